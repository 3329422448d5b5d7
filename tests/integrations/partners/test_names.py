"""Tests of partner names: valid, similar, and found by domain."""

from datetime import datetime

import pytest

from integrations.partners import name_validation
from integrations.partners.models import Partner
from integrations.partners.reserved_names import compute_lookalike_key
from portal.core.name_matching import VOWEL_MARKS, compute_name_key, compute_skeleton


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Initech", ""),
        ("O’Neil & Söhne GmbH", ""),
        ("日本Tech", ""),
        ("Toyota トヨタ", ""),
        ("Яндекс", ""),
        ("a < b", ""),
        ("x" * 121, "Enter 120 characters or fewer. You entered 121."),
        ("!!!", "Enter at least one letter or digit."),
        ("<b>Initech</b>", "Enter plain text without HTML."),
        ("Initech&lt;", "Enter plain text without HTML."),
        (
            "Ini\u202etech",
            "The text contains an invisible character. Type the text instead of pasting it.",
        ),
        ("Ini\x07tech", "The text contains an invisible character. Type the text instead of pasting it."),
        (
            "Initeсh",  # with a Cyrillic с
            "The name mixes look-alike letters from several alphabets. Use one alphabet.",
        ),
    ],
)
def test_name_is_accepted_or_refused_with_a_reason(name: str, message: str) -> None:
    assert name_validation.explain_name_refusal(name) == message


@pytest.mark.parametrize("name", ["Acme", "ACME", "A.c.m.e", "Äcme", "Асmе", "Ａｃｍｅ"])
def test_lookalike_of_an_existing_name_is_found(acme: Partner, name: str, now: datetime) -> None:
    assert name_validation.find_similar_partner(name, now) == acme


@pytest.mark.parametrize("name", ["G1obex", "GIobex", "Gl0bex"])
def test_similar_digits_and_capitals_look_alike(globex: Partner, name: str, now: datetime) -> None:
    assert name_validation.find_similar_partner(name, now) == globex


def test_public_email_provider_is_not_a_company_domain() -> None:
    assert [name_validation.get_company_domain(a) for a in ("x@Gmail.com", "x@outlook.com", "x@acme.example")] == [
        "",
        "",
        "acme.example",
    ]


def test_companies_are_found_by_domain_and_similar_name_but_not_by_public_email(acme: Partner, globex: Partner) -> None:
    Partner.objects.filter(pk=globex.pk).update(domain="gmail.com")
    assert name_validation.find_matching_partners("", ["dora@acme.example"]) == [acme]
    assert name_validation.find_matching_partners("Acme Inc.", ["dora@initech.example"]) == [acme]
    assert name_validation.find_matching_partners("Acmes", ["dora@initech.example"]) == [acme]
    assert name_validation.find_matching_partners("", ["dora@gmail.com"]) == []
    assert name_validation.find_matching_partners("Initech", []) == []


@pytest.mark.parametrize(
    ("name", "other"), [("राम", "रमा"), ("กินดี", "กันดี"), ("பாலம்", "பலம்"), ("សិលា", "សាលា")], ids=["hi", "th", "ta", "km"]
)
def test_names_that_differ_in_vowel_marks_are_different(name, other):
    for compute_key in (compute_skeleton, compute_name_key, compute_lookalike_key):
        assert compute_key(name) != compute_key(other)


def test_vowel_marks_do_not_distinguish_latin_names():
    keys = {compute_skeleton(f"Acme{mark}") for mark in VOWEL_MARKS}
    assert keys == {"acme", "acmeo"}  # some look like an o
