"""Tests of the checks of a repository's owner and of its release artifacts."""

from dataclasses import replace

import pytest

from tests.verification.checks.fake_sources import REPOSITORY, SUBJECT, FakeSources, build_assets, build_release
from verification.checks.types import CHECKS
from verification.outcomes import Outcome
from verification.sources.errors import RequestRefusedError, SourceUnavailableError
from verification.sources.http.client import ResponseTooLargeError

KEYS = ["repository.owner", "repository.renamed", "repository.tag_branch", "repository.sbom"]
ZIP = "https://downloads.acme.com/rocket.zip"


def run_check(key, subject=SUBJECT, **fields):
    return CHECKS[key].run(subject, FakeSources(**fields))


@pytest.mark.parametrize("key", KEYS)
def test_blank_repository_fails_without_a_request(key):
    sources = FakeSources()
    assert CHECKS[key].run(replace(SUBJECT, repository=""), sources).outcome == Outcome.FAIL
    assert sources.requested_addresses == []


@pytest.mark.parametrize("key", KEYS)
def test_outage_is_raised(key):
    with pytest.raises(SourceUnavailableError):
        run_check(key, **dict.fromkeys(("repository_answer", "releases_answer"), SourceUnavailableError("Down.")))


def test_recorded_owner_passes():
    assert run_check("repository.owner").outcome == Outcome.PASS


def test_owner_is_recorded_by_the_first_check():
    first = run_check("repository.owner", replace(SUBJECT, repository_owner_id=None))
    owner_observation = {"entered.owner": {"repository": SUBJECT.repository, "number": 47}}
    assert (first.outcome, first.observations) == (Outcome.WARN, owner_observation)
    later = replace(SUBJECT, repository_owner_id=None, known=first.observations)
    assert run_check("repository.owner", later).outcome == Outcome.PASS
    moved_repository = replace(REPOSITORY, owner_id=9)
    assert run_check("repository.owner", later, repository_answer=moved_repository).outcome == Outcome.FAIL


def test_new_owner_fails_with_a_reason_for_a_hold():
    moved_repository = replace(REPOSITORY, owner_id=9, full_name="globex/terraform-provider-rocket")
    result = run_check("repository.owner", repository_answer=moved_repository)
    assert (result.outcome, result.freeze_reason) == (
        Outcome.FAIL,
        "acme/terraform-provider-rocket now belongs to globex. A reviewer must confirm the new owner.",
    )


def test_deleted_repository_fails_as_a_missing_item():
    result = run_check("repository.owner", repository_answer=None)
    assert (result.outcome, result.missing_item) == (
        Outcome.FAIL,
        "the repository acme/terraform-provider-rocket",
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("acme/terraform-provider-rocket", Outcome.PASS),
        ("Acme/Terraform-Provider-Rocket", Outcome.PASS),
        ("acme/terraform-provider-rockets", Outcome.WARN),
    ],
)
def test_renamed_repository_is_a_warning(name, expected):
    assert run_check("repository.renamed", repository_answer=replace(REPOSITORY, full_name=name)).outcome == expected


@pytest.mark.parametrize(
    ("branches", "releases", "expected"),
    [
        ((), ("v1.2.0",), Outcome.PASS),
        (("v1.2.0",), ("v1.2.0",), Outcome.FAIL),
        (("v1.0.0",), ("v1.2.0", "v1.0.0"), Outcome.PASS),
        ((), ("nightly",), Outcome.NOT_RUN),
        ((), (), Outcome.NOT_RUN),
    ],
)
def test_branch_with_the_name_of_the_newest_tag_fails(branches, releases, expected):
    answers = {"branches": branches, "releases_answer": tuple(map(build_release, releases))}
    assert run_check("repository.tag_branch", **answers).outcome == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("terraform-provider-rocket_1.2.0_sbom.json", Outcome.PASS),
        ("rocket.spdx.json", Outcome.PASS),
        ("rocket.cdx.xml", Outcome.PASS),
        ("bom.json", Outcome.PASS),
        ("rocket-cyclonedx.json", Outcome.PASS),
        ("terraform-provider-rocket_1.2.0_linux_amd64.zip", Outcome.FAIL),
        ("bombay.json", Outcome.FAIL),
        ("random.json", Outcome.FAIL),
    ],
)
def test_sbom_is_required_among_the_files(name, expected):
    releases = (build_release("v1.2.0", assets=build_assets(name)),)
    assert run_check("repository.sbom", releases_answer=releases).outcome == expected


def test_sbom_of_an_older_release_does_not_count():
    releases = (build_release("v1.2.0"), build_release("v1.1.0", assets=build_assets("sbom.json")))
    assert run_check("repository.sbom", releases_answer=releases).outcome == Outcome.FAIL
    subject = replace(SUBJECT, tag="v1.1.0")
    assert run_check("repository.sbom", subject, releases_answer=releases).outcome == Outcome.PASS


@pytest.mark.parametrize(
    ("download_status", "expected"),
    [
        (200, Outcome.PASS),
        (ResponseTooLargeError("Long."), Outcome.PASS),
        (404, Outcome.WARN),
        (403, Outcome.WARN),
        (500, Outcome.ERROR),
        (429, Outcome.ERROR),
        (SourceUnavailableError("Down."), Outcome.ERROR),
    ],
)
def test_download_must_work(download_status, expected):
    subject = replace(SUBJECT, answers={"NO-8": {"download": ZIP}})
    assert run_check("release.download", subject, pages={ZIP: download_status}).outcome == expected


def test_refused_download_url_is_not_an_outage():
    subject = replace(SUBJECT, answers={"NO-8": {"download": ZIP}})
    result = run_check("release.download", subject, pages={ZIP: RequestRefusedError("Use https.")})
    assert (result.outcome, result.summary, result.evidence[0].label) == (
        Outcome.NOT_RUN,
        "The download URL can't be checked.",
        "not checked: Use https.",
    )


def test_download_falls_back_to_the_files_of_the_release():
    releases = (build_release("v1.2.0", assets=build_assets("a.zip")),)
    pages = {"https://example.com/a.zip": 200}
    assert run_check("release.download", releases_answer=releases, pages=pages).outcome == Outcome.PASS
    assert run_check("release.download", releases_answer=(build_release("v1.2.0"),)).outcome == Outcome.WARN
