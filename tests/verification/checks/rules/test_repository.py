"""Tests of the checks of a repository's identity and state."""

from dataclasses import replace

import pytest

from tests.verification.checks.fake_sources import REPOSITORY, SUBJECT, FakeSources, build_license_policy, build_release
from verification.checks.types import CHECKS
from verification.outcomes import Outcome
from verification.sources.errors import AccessDeniedError, SourceUnavailableError


def run_check(key, subject=SUBJECT, **fields):
    return CHECKS[key].run(subject, FakeSources(**fields))


def get_outcome(key, subject=SUBJECT, **fields):
    return run_check(key, subject, **fields).outcome


KEYS = ["repository.public", "repository.name", "repository.release", "repository.language"]


@pytest.mark.parametrize("key", KEYS)
def test_missing_repository_fails(key):
    assert get_outcome(key, repository_answer=None) == Outcome.FAIL


@pytest.mark.parametrize("key", KEYS)
def test_blank_repository_fails_without_a_request(key):
    sources = FakeSources()
    result = CHECKS[key].run(replace(SUBJECT, repository=""), sources)
    assert (result.outcome, sources.requested_addresses) == (Outcome.FAIL, [])


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("error", [SourceUnavailableError("Down."), AccessDeniedError("No.")])
def test_outage_is_raised(key, error):
    with pytest.raises(type(error)):
        run_check(key, repository_answer=error)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, Outcome.PASS),
        ({"archived": True}, Outcome.FAIL),
        ({"private": True}, Outcome.FAIL),
        ({"id": 9}, Outcome.FAIL),
        ({"owner_id": 9, "full_name": "globex/terraform-provider-rocket"}, Outcome.PASS),
        ({"full_name": "acme/terraform-provider-rockets"}, Outcome.PASS),
    ],
)
def test_repository_must_be_active_and_have_the_recorded_id(change, expected):
    assert get_outcome("repository.public", repository_answer=replace(REPOSITORY, **change)) == expected


def test_id_is_recorded_by_the_first_check():
    subject = replace(SUBJECT, repository_id=None)
    first = run_check("repository.public", subject, repository_answer=replace(REPOSITORY, id=9))
    assert (first.outcome, first.observations) == (
        "pass",
        {"entered.id": {"repository": SUBJECT.repository, "number": 9}},
    )
    later = replace(subject, known=first.observations)
    assert get_outcome("repository.public", later, repository_answer=replace(REPOSITORY, id=9)) == "pass"
    assert run_check("repository.public", later).freeze_reason.startswith(
        "acme/terraform-provider-rocket is now a different repository."
    )


def test_id_of_another_repository_does_not_count():
    observations = {"entered.id": {"repository": "acme/terraform-provider-old", "number": 9}}
    assert get_outcome("repository.public", replace(SUBJECT, repository_id=None, known=observations)) == "pass"


@pytest.mark.parametrize(
    ("name", "pattern", "expected"),
    [
        ("terraform-provider-rocket", SUBJECT.repository_pattern, Outcome.PASS),
        ("terraform-provider-Rocket", SUBJECT.repository_pattern, Outcome.FAIL),
        ("my-terraform-provider-rocket", SUBJECT.repository_pattern, Outcome.FAIL),
        ("anything", "", Outcome.PASS),
    ],
)
def test_name_must_match_the_pattern(name, pattern, expected):
    subject = replace(SUBJECT, repository_pattern=pattern)
    assert get_outcome("repository.name", subject, repository_answer=replace(REPOSITORY, name=name)) == expected


@pytest.mark.parametrize(
    ("releases", "expected"),
    [
        ((), Outcome.FAIL),
        ((build_release("v1.2.3"),), Outcome.PASS),
        ((build_release("v1.2.3", draft=True),), Outcome.FAIL),
        ((build_release("1.2.3"),), Outcome.FAIL),
        ((build_release("v1.2.3+linux"),), Outcome.PASS),
        ((build_release("v1.2"),), Outcome.FAIL),
        ((build_release("v1.3.0-beta1"),), Outcome.WARN),
        ((build_release("v1.3.0-beta1"), build_release("v1.2.3")), Outcome.PASS),
        ((build_release("v1.0.0-rc.1"),), Outcome.WARN),
    ],
)
def test_published_release_needs_a_version_tag(releases, expected):
    assert get_outcome("repository.release", releases_answer=releases) == expected


def test_result_has_the_newest_valid_release():
    result = run_check("repository.release", releases_answer=(build_release("nightly"), build_release("v1.2.3")))
    assert result.inspected_revisions[-1] == ("release", "v1.2.3")


@pytest.mark.parametrize(
    ("tag", "expected", "summary"),
    [
        ("v1.2.3", Outcome.PASS, "v1.2.3 is published."),
        ("v0.1.0", Outcome.PASS, "v0.1.0 is published."),
        ("v0.2.0", Outcome.FAIL, "The repository has no published release v0.2.0."),
        ("v9.9.9", Outcome.FAIL, "The repository has no published release v9.9.9."),
        ("v1.4.0", Outcome.FAIL, "The repository has no published release v1.4.0."),
    ],
)
def test_requested_release_must_be_published(tag, expected, summary):
    releases = (build_release("v1.4.0", draft=True), build_release("v1.3.0"), build_release("v1.2.3"))
    older = (build_release("v0.1.0"), build_release("v0.2.0", draft=True))
    subject = replace(SUBJECT, tag=tag)
    result = run_check("repository.release", subject, releases_answer=releases, older_releases=older)
    assert (result.outcome, result.summary) == (expected, summary)


@pytest.mark.parametrize(
    ("language", "required_languages", "expected"),
    [
        ("Go", ("Go",), Outcome.PASS),
        ("Rust", ("Go",), Outcome.FAIL),
        ("", ("Go",), Outcome.NOT_RUN),
        ("Rust", (), Outcome.PASS),
    ],
)
def test_language_must_be_one_of_the_program(language, required_languages, expected):
    subject = replace(SUBJECT, licenses=build_license_policy(languages=required_languages))
    repository = replace(REPOSITORY, language=language)
    assert get_outcome("repository.language", subject, repository_answer=repository) == expected
