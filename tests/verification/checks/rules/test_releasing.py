from dataclasses import replace

import pytest

from tests.verification.checks.fake_sources import REPOSITORY, SUBJECT, FakeSources, release
from verification.checks.types import CHECKS
from verification.outcomes import Outcome
from verification.sources.errors import RequestRefusedError, SourceUnavailableError
from verification.sources.github.responses import ReleaseAsset
from verification.sources.http.client import ResponseTooLargeError

KEYS = ["repository.owner", "repository.renamed", "repository.tag_branch", "repository.sbom"]
ZIP = "https://downloads.acme.com/rocket.zip"


def run(key, subject=SUBJECT, **fields):
    return CHECKS[key].run(subject, FakeSources(**fields))


@pytest.mark.parametrize("key", KEYS)
def test_without_a_repository_no_one_is_asked(key):
    sources = FakeSources()
    assert CHECKS[key].run(replace(SUBJECT, repository=""), sources).outcome == Outcome.FAIL
    assert sources.requested_addresses == []


@pytest.mark.parametrize("key", KEYS)
def test_outage_is_left_to_the_runner(key):
    with pytest.raises(SourceUnavailableError):
        run(key, repository_said=SourceUnavailableError("Down."), releases_said=SourceUnavailableError("Down."))


def test_owner():
    assert run("repository.owner").outcome == Outcome.PASS


def test_owner_that_was_not_recorded_is_recorded_at_the_first_look():
    first = run("repository.owner", replace(SUBJECT, repository_owner_id=None))
    owner_observation = {"entered.owner": {"repository": SUBJECT.repository, "number": 47}}
    assert (first.outcome, first.observations) == (Outcome.WARN, owner_observation)
    later = replace(SUBJECT, repository_owner_id=None, known=first.observations)
    assert run("repository.owner", later).outcome == Outcome.PASS
    assert run("repository.owner", later, repository_said=replace(REPOSITORY, owner_id=9)).outcome == Outcome.FAIL


def test_other_owner_freezes():
    moved_repository = replace(REPOSITORY, owner_id=9, full_name="globex/terraform-provider-rocket")
    check_result = run("repository.owner", repository_said=moved_repository)
    assert (check_result.outcome, check_result.freeze_reason) == (
        Outcome.FAIL,
        "acme/terraform-provider-rocket now belongs to globex. A reviewer must confirm the new owner.",
    )


def test_deleted_repository_is_asked_for_again():
    check_result = run("repository.owner", repository_said=None)
    assert (check_result.outcome, check_result.missing_item) == (
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
def test_renamed(name, expected):
    assert run("repository.renamed", repository_said=replace(REPOSITORY, full_name=name)).outcome == expected


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
def test_tag_branch(branches, releases, expected):
    answers = {"branches": branches, "releases_said": tuple(map(release, releases))}
    assert run("repository.tag_branch", **answers).outcome == expected


def asset(name):
    return ReleaseAsset(1, name, 10, f"https://example.com/{name}")


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
def test_sbom(name, expected):
    assert run("repository.sbom", releases_said=(release("v1.2.0", assets=(asset(name),)),)).outcome == expected


def test_sbom_of_an_older_release_does_not_count():
    releases = (release("v1.2.0"), release("v1.1.0", assets=(asset("sbom.json"),)))
    assert run("repository.sbom", releases_said=releases).outcome == Outcome.FAIL
    assert run("repository.sbom", replace(SUBJECT, tag="v1.1.0"), releases_said=releases).outcome == Outcome.PASS


@pytest.mark.parametrize(
    ("download_status", "expected"),
    [(200, Outcome.PASS), (ResponseTooLargeError("Long."), Outcome.PASS), (404, Outcome.WARN), (403, Outcome.WARN)],
)
def test_download(download_status, expected):
    subject = replace(SUBJECT, answers={"NO-8": {"download": ZIP}})
    assert run("release.download", subject, pages={ZIP: download_status}).outcome == expected


@pytest.mark.parametrize("download_status", [500, 429, SourceUnavailableError("Down."), RequestRefusedError("No.")])
def test_download_that_is_down_or_refused_is_left_to_the_runner(download_status):
    subject = replace(SUBJECT, answers={"NO-8": {"download": ZIP}})
    with pytest.raises((SourceUnavailableError, RequestRefusedError)):
        run("release.download", subject, pages={ZIP: download_status})


def test_download_falls_back_on_the_files_of_the_release():
    releases = (release("v1.2.0", assets=(asset("a.zip"),)),)
    assert run("release.download", releases_said=releases, pages={"https://example.com/a.zip": 200}).outcome == "pass"
    assert run("release.download", releases_said=(release("v1.2.0"),)).outcome == Outcome.WARN
