from dataclasses import replace

import pytest

from tests.verification.checks.fake_sources import REPOSITORY, SUBJECT, FakeSources, release
from verification.checks.types import CHECKS
from verification.outcomes import Outcome
from verification.sources.errors import AccessDeniedError, SourceUnavailableError


def result(key, subject=SUBJECT, **fields):
    return CHECKS[key].run(subject, FakeSources(**fields))


def outcome(key, subject=SUBJECT, **fields):
    return result(key, subject, **fields).outcome


KEYS = ["repository.public", "repository.name", "repository.release", "repository.language"]


@pytest.mark.parametrize("key", KEYS)
def test_missing_repository_fails(key):
    assert outcome(key, repository_said=None) == Outcome.FAIL


@pytest.mark.parametrize("key", KEYS)
def test_blank_address_fails_without_asking(key):
    sources = FakeSources()
    check_result = CHECKS[key].run(replace(SUBJECT, repository=""), sources)
    assert (check_result.outcome, sources.requested_addresses) == (Outcome.FAIL, [])


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("refusal", [SourceUnavailableError("Down."), AccessDeniedError("No.")])
def test_outage_is_left_to_the_runner(key, refusal):
    with pytest.raises(type(refusal)):
        result(key, repository_said=refusal)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, Outcome.PASS),
        ({"archived": True}, Outcome.FAIL),
        ({"id": 9}, Outcome.FAIL),
        ({"owner_id": 9, "full_name": "globex/terraform-provider-rocket"}, Outcome.PASS),
        ({"full_name": "acme/terraform-provider-rockets"}, Outcome.PASS),
    ],
)
def test_public(change, expected):
    assert outcome("repository.public", repository_said=replace(REPOSITORY, **change)) == expected


def test_public_without_a_recorded_number_records_the_first_that_it_sees():
    subject = replace(SUBJECT, repository_id=None)
    first = result("repository.public", subject, repository_said=replace(REPOSITORY, id=9))
    assert (first.outcome, first.observations) == (
        "pass",
        {"entered.id": {"repository": SUBJECT.repository, "number": 9}},
    )
    later = replace(subject, known=first.observations)
    assert outcome("repository.public", later, repository_said=replace(REPOSITORY, id=9)) == "pass"
    assert result("repository.public", later).freeze_reason.startswith(
        "acme/terraform-provider-rocket is now a different repository."
    )


def test_number_of_another_address_does_not_count():
    observations = {"entered.id": {"repository": "acme/terraform-provider-old", "number": 9}}
    assert outcome("repository.public", replace(SUBJECT, repository_id=None, known=observations)) == "pass"


@pytest.mark.parametrize(
    ("name", "pattern", "expected"),
    [
        ("terraform-provider-rocket", SUBJECT.repository_pattern, Outcome.PASS),
        ("terraform-provider-Rocket", SUBJECT.repository_pattern, Outcome.FAIL),
        ("my-terraform-provider-rocket", SUBJECT.repository_pattern, Outcome.FAIL),
        ("anything", "", Outcome.PASS),
    ],
)
def test_name(name, pattern, expected):
    subject = replace(SUBJECT, repository_pattern=pattern)
    assert outcome("repository.name", subject, repository_said=replace(REPOSITORY, name=name)) == expected


@pytest.mark.parametrize(
    ("releases", "expected"),
    [
        ((), Outcome.FAIL),
        ((release("v1.2.3"),), Outcome.PASS),
        ((release("v1.2.3", draft=True),), Outcome.FAIL),
        ((release("1.2.3"),), Outcome.FAIL),
        ((release("v1.2"),), Outcome.FAIL),
        ((release("v1.3.0-beta1", prerelease=True),), Outcome.WARN),
        ((release("v1.3.0-beta1", prerelease=True), release("v1.2.3")), Outcome.PASS),
    ],
)
def test_release(releases, expected):
    assert outcome("repository.release", releases_said=releases) == expected


def test_release_names_what_was_looked_at():
    check_result = result("repository.release", releases_said=(release("nightly"), release("v1.2.3")))
    assert check_result.inspected_revisions[-1] == ("release", "v1.2.3")


@pytest.mark.parametrize(
    ("subject_fields", "expected", "summary"),
    [
        ({"tag": "v1.2.3"}, Outcome.PASS, "v1.2.3 is published."),
        ({"version": "1.2.3"}, Outcome.PASS, "v1.2.3 is published."),
        ({"tag": "v9.9.9"}, Outcome.FAIL, "There is no published release v9.9.9."),
        ({"tag": "v1.4.0"}, Outcome.FAIL, "There is no published release v1.4.0."),
    ],
)
def test_release_that_was_asked_for(subject_fields, expected, summary):
    releases = (release("v1.4.0", draft=True), release("v1.3.0"), release("v1.2.3"))
    check_result = result("repository.release", replace(SUBJECT, **subject_fields), releases_said=releases)
    assert (check_result.outcome, check_result.summary) == (expected, summary)


@pytest.mark.parametrize(
    ("language", "required_languages", "expected"),
    [
        ("Go", ("Go",), Outcome.PASS),
        ("Rust", ("Go",), Outcome.FAIL),
        ("", ("Go",), Outcome.NOT_RUN),
        ("Rust", (), Outcome.PASS),
    ],
)
def test_language(language, required_languages, expected):
    subject = replace(SUBJECT, languages=required_languages)
    assert outcome("repository.language", subject, repository_said=replace(REPOSITORY, language=language)) == expected
