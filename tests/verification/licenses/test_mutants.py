"""Tests that no change of terms passes: added sentences and small random changes."""

import os
import random
import re

import pytest

from tests.verification.licenses.corpus import build_policy, fill_license_text
from tests.verification.licenses.mutants import WORD, draw_mutants
from tests.verification.licenses.sentences import RESTRICTIONS, TERMS_WITHOUT_PUNCTUATION
from verification.licenses.policy import evaluate_file
from verification.licenses.templates import VARIANTS

SEED = int(os.environ.get("LICENSE_SEED") or random.SystemRandom().randrange(10**9))
MUTANTS = 200  # bin/bench licenses draws a thousand
LICENSE_IDS = ("MIT", "BSD-3-Clause", "Apache-2.0", "MPL-2.0", "BSL-1.0")


def is_allowed(text: str) -> bool:
    return evaluate_file(text.encode(), build_policy()).verdict == "allow"


def insert_between_paragraphs(text: str, sentence: str, place: int) -> str:
    paragraphs = re.split(r"\n\s*\n", text)
    return "\n\n".join([*paragraphs[:place], sentence, *paragraphs[place:]])


@pytest.mark.parametrize("id", LICENSE_IDS)
def test_sentence_before_or_after_an_intact_text_is_not_allowed(id):
    text = fill_license_text(id)
    assert is_allowed(text)
    assert [
        s for s in RESTRICTIONS for t in (f"{s}\n\n{text}", f"{text}\n\n{s}\n", f"{text} {s}") if is_allowed(t)
    ] == []


@pytest.mark.parametrize("id", LICENSE_IDS)
def test_sentence_between_paragraphs_is_not_allowed(id):
    text = fill_license_text(id)
    count = len(re.split(r"\n\s*\n", text))
    places = {1, 2, count // 2, count - 1}
    assert [(s, p) for s in RESTRICTIONS for p in places if is_allowed(insert_between_paragraphs(text, s, p))] == []


def test_mutants_of_a_fresh_seed_are_not_allowed():
    print(f"LICENSE_SEED={SEED}")
    passing_mutants = [
        (id, kind, mutated_text) for id, kind, mutated_text in draw_mutants(SEED, MUTANTS) if is_allowed(mutated_text)
    ]
    assert passing_mutants == [], f"LICENSE_SEED={SEED}"


@pytest.mark.parametrize("id", ["MIT", "BSD-3-Clause"])
def test_no_word_of_the_terms_can_be_removed(id):
    text = fill_license_text(id)
    words = [word for word in WORD.finditer(text) if word.start() >= text.index(VARIANTS.texts[id].start)]
    shorter = [text[: word.start()] + text[word.end() :] for word in words]
    assert [t for t in shorter if is_allowed(t)] == []


@pytest.mark.parametrize(
    ("holder", "expected"),
    [
        ("THE AUTHOR", True),
        ("JANE DOE", True),
        ("Jane Doe and contributors", True),
        ("THE COPYRIGHT HOLDER own company.", False),
        ("ACME COMPANY THE COPYRIGHT HOLDER", False),
        ("THE COPYRIGHT JANE DOE", False),
        ("THE COPYRIGHTHOLDER JANE DOE", False),
        ("THE AUTHOR OWN COMPANY", False),
        ("THE REGENTS OWN COMPANY", False),
        ("MY COMPANY", False),
    ],
)
def test_disclaimer_names_a_role_or_a_holder_of_the_notices(holder, expected):
    text = fill_license_text("BSD-3-Clause")
    changed_text = text.replace("SHALL THE COPYRIGHT HOLDER", f"SHALL {holder}")
    assert changed_text != text
    assert is_allowed(changed_text) is expected


def test_words_added_to_a_copyright_line_are_not_allowed():
    holders = [f"2021 {words}" for sentence in RESTRICTIONS if (words := " ".join(sentence.split()[:6]))]
    text = fill_license_text("MIT")
    texts = [text.replace("2021 Jane Doe", f"2021 Jane Doe {holder[5:]}") for holder in holders]
    assert [t.splitlines()[2] for t in texts if is_allowed(t)] == []


@pytest.mark.parametrize(
    "place",
    [
        "{} Copyright (c) 2021 Jane Doe",
        "Copyright (c) 2021 {} Jane Doe",
        "Copyright (c) 2021 Jane Doe. {}",
        "Copyright (c) 2021 Jane Doe - {}",
        "Copyright (c) 2021 Jane Doe ({})",
        "Copyright (c) 2021 Jane Doe and\n{}",
        "Copyright (c) 2021 Jane Doe https://acme.example/{}",
        "Copyright (c) 2021 Jane Doe\n```{}\n```",
        "Author: {}\nCopyright (c) 2021 Jane Doe",
    ],
)
def test_terms_in_the_place_of_names_are_not_allowed(place):
    text = fill_license_text("MIT").replace("Copyright (c) 2021 Jane Doe", place)
    slug = "/{}" in place or "`{}" in place
    insertions = [terms.rstrip(".").replace(" ", "-") if slug else terms for terms in TERMS_WITHOUT_PUNCTUATION]
    assert [terms for terms in insertions if is_allowed(text.format(terms))] == []
