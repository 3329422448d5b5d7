"""Tests of forms generated from questions."""

import pytest
from django.http import QueryDict

from integrations.programs.registry import PROGRAMS
from integrations.programs.requirements import FulfillingParty, Question, Requirement, RequirementKind
from integrations.submissions.forms.requirements import (
    FIELD_FACTORIES,
    RequirementForm,
    collect_draft_data,
    list_answers,
)

OPTIONS = (("a", "First"), ("b", "Second"))


def build_requirement(*fields: Question) -> Requirement:
    return Requirement("X-1", "Question", FulfillingParty.PARTNER, RequirementKind.FORM, fields=fields)


def build_question(kind: str, **more) -> Requirement:
    options = OPTIONS if kind.startswith("choice") else ()
    return build_requirement(Question("q", "Question", kind, options=options, **more))


def build_bound_form(requirement: Requirement, *values: str) -> RequirementForm:
    post = QueryDict(mutable=True)
    post.setlist("q", list(values))
    return RequirementForm(requirement, data=post)


def get_errors(form: RequirementForm) -> list[str]:
    assert not form.is_valid()
    return form.errors["q"]


def test_answer_must_have_the_form_of_the_pattern():
    requirement = build_question(
        "url", pattern=r"https://github\.com/acme/rocket/pull/[0-9]+", help="For example …/pull/12, in 90% of cases"
    )
    assert build_bound_form(requirement, "https://github.com/acme/rocket/pull/7").is_valid()
    for address in ("https://github.com/acme/rocket", "https://github.com/acme/rocket/pull/7/files"):
        problems = get_errors(build_bound_form(requirement, address))
        assert problems == ["The answer doesn't have the required format. For example …/pull/12, in 90% of cases"]


@pytest.mark.parametrize(
    ("kind", "value", "answer"),
    [
        ("text", " Rocket ", "Rocket"),
        ("lines", "one\r\ntwo", "one\ntwo"),
        ("url", "https://docs.example.com/a?b=c", "https://docs.example.com/a?b=c"),
        ("url", "docs.example.com", "https://docs.example.com"),
        ("email", "a@acme.example", "a@acme.example"),
        ("choice", "b", "b"),
        ("choices", "b", ["b"]),
        ("number", "12", 12),
        ("number", "1.5", 1.5),
        ("date", "2026-05-01", "2026-05-01"),
        ("yes", "on", True),
    ],
)
def test_valid_answer_is_converted(kind, value, answer):
    form = build_bound_form(build_question(kind), value)
    assert form.is_valid(), form.errors
    assert form.cleaned_data == {"q": answer}


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        ("text", "", "Enter an answer."),
        ("text", "a\nb", "Enter the text on one line."),
        ("url", "not an address", "Enter a complete URL, such as https://docs.example.com/page."),
        ("url", "javascript:alert(1)", "The URL must start with https:// or http://."),
        ("url", "ftp://example.com/", "The URL must start with https:// or http://."),
        ("url", "https://me:secret@example.com/", "Remove the user name and password from the URL."),
        ("email", "nobody", "Enter a valid email address, such as name@example.com."),
        ("email", "a@b.example\r\nBcc: c@d.example", "Enter a valid email address, such as name@example.com."),
        ("choice", "c", "Select an option."),
        ("choices", "c", "Select an option."),
        ("number", "many", "Enter a number."),
        ("number", "NaN", "Enter a number."),
        ("date", "tomorrow", "Enter a date as YYYY-MM-DD."),
        ("date", "0026-04-14", "Check the year."),
        ("yes", "", "Select the checkbox to confirm."),
    ],
)
def test_invalid_answer_is_explained(kind, value, message):
    assert get_errors(build_bound_form(build_question(kind), value)) == [message]


def test_long_answer_is_refused():
    assert get_errors(build_bound_form(build_question("lines", max_length=5), "123456")) == [
        "Ensure this value has at most 5 characters (it has 6)."
    ]


@pytest.mark.parametrize("edition", PROGRAMS["terraform-run-task"].editions, ids=lambda edition: edition.date)
def test_third_line_of_a_two_line_summary_is_refused(edition):
    summary = next(field for r in edition.list_requirements() for field in r.fields if field.max_lines == 2)
    form = RequirementForm(build_requirement(summary), data={summary.key: "one\ntwo\nthree"})
    assert form.errors == {summary.key: ["Enter 2 lines or fewer. You entered 3."]}


def test_optional_question_can_stay_empty():
    form = build_bound_form(build_question("date", required=False), "")
    assert form.is_valid()
    assert form.cleaned_data == {}


def test_every_question_of_every_edition_has_a_form():
    kinds = {
        field.type
        for program in PROGRAMS.values()
        for edition in program.editions
        for tiers in [[r for t in edition.tiers for r in t.requirements]]
        for requirement in (*edition.list_requirements(), *tiers)
        for field in requirement.fields
    }
    assert kinds - set(FIELD_FACTORIES) == set()


def test_draft_keeps_what_was_entered_and_nothing_else():
    post = QueryDict("q=not+an+address&r=a&r=b&csrfmiddlewaretoken=x&action=answer")
    requirement = build_requirement(
        Question("q", "Q", "url"), Question("r", "R", "choices", options=OPTIONS), Question("s", "S", "yes")
    )
    assert collect_draft_data(requirement, post) == {"q": "not an address", "r": ["a", "b"]}


def test_draft_omits_characters_that_databases_refuse():
    post = QueryDict(mutable=True)
    post["q"] = "a\x00b\ud800c"
    assert collect_draft_data(build_question("lines"), post) == {"q": "abc"}


def test_answers_are_listed_as_labels():
    requirement = build_requirement(
        Question("q", "Q", "choices", options=OPTIONS), Question("s", "S", "yes"), Question("t", "T")
    )
    assert list_answers(requirement, {"q": ["a", "b"], "s": True}) == [("Q", "First, Second"), ("S", "Yes"), ("T", "")]
