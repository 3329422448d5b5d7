"""Tests of the checks of a listing in the registry."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.verification.checks.fake_sources import (
    PLATFORMS_OF_2021,
    SUBJECT,
    FakeSources,
    build_assets,
    build_code_sources,
    build_registry_listing,
    build_release,
)
from verification.checks.rules.published_versions import (
    INVALID_TAG_CAUSE,
    NO_FILES_CAUSE,
    UNKNOWN_CAUSE,
    list_missing_releases,
)
from verification.checks.types import CHECKS
from verification.outcomes import Outcome
from verification.sources.errors import SourceNotFoundError, SourceUnavailableError

LATER = replace(SUBJECT, now=datetime(2026, 4, 2, tzinfo=UTC))
KEYS = [key for key in CHECKS if key.startswith("registry.")]
UNREPORTED_LISTING = build_registry_listing(
    platforms=None, protocols=None, docs=None, warning=None, unlisted=None, moved_to=None, tier="", newest=""
)


def run_registry_check(key, subject=LATER, listing=None, **fields):
    sources = FakeSources(listing_answer=listing or build_registry_listing(), **fields)
    return CHECKS[f"registry.{key}"].run(subject, sources)


def get_outcome(key, subject=LATER, **changes):
    return run_registry_check(key, subject, build_registry_listing(**changes)).outcome


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, Outcome.PASS),
        ({"source": "https://github.com/Acme/Terraform-Provider-Rocket"}, Outcome.PASS),
        ({"repository_id": None}, Outcome.PASS),
        ({"full_name": "Acme/rocket"}, Outcome.PASS),
        ({"full_name": "acme/rockets"}, Outcome.FAIL),
        ({"full_name": "globex/rocket"}, Outcome.FAIL),
        ({"full_name": "rocket"}, Outcome.FAIL),
        ({"full_name": ""}, Outcome.FAIL),
        ({"source": "https://github.com/acme/terraform-provider-rocketry"}, Outcome.WARN),
        ({"repository_id": 9}, Outcome.FAIL),
        ({"source": "https://github.com/globex/terraform-provider-rocket", "repository_id": None}, Outcome.FAIL),
        ({"source": "https://git.example/acme/terraform-provider-rocket", "repository_id": None}, Outcome.FAIL),
        ({"versions": (), "newest": ""}, Outcome.FAIL),
    ],
)
def test_listing_must_belong_to_the_repository(changes, expected):
    assert get_outcome("listed", **changes) == expected


def test_only_a_listing_of_the_repository_is_observed():
    assert run_registry_check("listed").observations == {"registry": build_registry_listing().as_dict()}
    for changes in ({"repository_id": 9}, {"full_name": "globex/rocket", "versions": (), "newest": ""}):
        assert run_registry_check("listed", listing=build_registry_listing(**changes)).observations == {}


def test_missing_listing_fails_as_a_missing_item():
    result = CHECKS["registry.listed"].run(LATER, FakeSources(listing_answer=None))
    assert (result.outcome, result.missing_item) == (Outcome.FAIL, "acme/rocket in the registry")


@pytest.mark.parametrize("key", KEYS)
def test_blank_repository_fails_without_a_request(key):
    sources = FakeSources()
    result = CHECKS[key].run(replace(SUBJECT, repository="", namespace="", provider=""), sources)
    assert (result.outcome, sources.requested_addresses) == (Outcome.FAIL, [])


@pytest.mark.parametrize("key", KEYS)
def test_outage_is_raised(key):
    with pytest.raises(SourceUnavailableError):
        CHECKS[key].run(LATER, FakeSources(listing_answer=SourceUnavailableError("Down.")))


@pytest.mark.parametrize("key", [key for key in KEYS if key != "registry.releases"])  # reads only the versions
def test_listing_without_reported_fields_does_not_pass(key):
    sources = build_code_sources({"main.go": ""}, listing_answer=UNREPORTED_LISTING)
    assert CHECKS[key].run(LATER, sources).outcome in (Outcome.NOT_RUN, Outcome.FAIL, Outcome.WARN)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, Outcome.PASS),
        ({"warning": "Use acme/rocket2."}, Outcome.WARN),
        ({"unlisted": True, "warning": None}, Outcome.FAIL),
        ({"moved_to": "acme/rocket2"}, Outcome.FAIL),
        ({"warning": None}, Outcome.NOT_RUN),
        ({"unlisted": None}, Outcome.NOT_RUN),
        ({"moved_to": None}, Outcome.NOT_RUN),
    ],
)
def test_state_must_be_reported_and_without_warnings(changes, expected):
    assert get_outcome("state", **changes) == expected


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ((), Outcome.FAIL),
        (("v1.2.0", "v1.0.0"), Outcome.PASS),
        (("v1.2.0", "v1.1.0"), Outcome.WARN),
        (("v1.3.0", "v1.2.0"), Outcome.FAIL),
        (("v1.3.0-rc1", "v1.2.0"), Outcome.WARN),
        (("nightly", "v1.2.0"), Outcome.WARN),
    ],
)
def test_every_release_must_be_in_the_registry(tags, expected):
    assert run_registry_check("releases", releases_answer=tuple(map(build_release, tags))).outcome == expected


def test_missing_release_of_the_last_hour_is_a_warning():
    fresh = replace(SUBJECT, now=datetime(2026, 4, 1, 0, 30, tzinfo=UTC))
    assert run_registry_check("releases", fresh, releases_answer=(build_release("v1.3.0"),)).outcome == Outcome.WARN
    assert run_registry_check("latest", fresh, releases_answer=(build_release("v1.3.0"),)).outcome == Outcome.WARN


def test_draft_is_not_expected_in_the_registry():
    releases = (build_release("v1.2.0"), build_release("v1.3.0", draft=True))
    assert run_registry_check("releases", releases_answer=releases).outcome == Outcome.PASS


PREFIX = "terraform-provider-rocket_1.3.0"
FILES = tuple(f"{PREFIX}_{end}" for end in ("linux_amd64.zip", "SHA256SUMS", "SHA256SUMS.sig", "manifest.json"))


@pytest.mark.parametrize(
    ("release", "cause"),
    [
        (build_release("1.3.0"), INVALID_TAG_CAUSE),
        (build_release("v1.3"), INVALID_TAG_CAUSE),
        (build_release("v1.3.0"), NO_FILES_CAUSE),
        (
            build_release("v1.3.0", assets=build_assets(*FILES[1:])),
            f"No file is named {PREFIX}_OS_ARCH.zip. Attach the archives to the release.",
        ),
        (
            build_release("v1.3.0", assets=build_assets(*FILES[::2])),
            f"{PREFIX}_SHA256SUMS is missing. Attach it to the release.",
        ),
        (
            build_release("v1.3.0", assets=build_assets(*FILES[:2])),
            f"{PREFIX}_SHA256SUMS.sig is missing. Attach it to the release.",
        ),
        (build_release("v1.3.0", assets=build_assets(*FILES)), UNKNOWN_CAUSE),
    ],
)
def test_missing_release_has_its_likely_cause(release, cause):
    (missing_release,) = list_missing_releases((release,), ("1.2.0",), "rocket")
    assert missing_release.cause == cause


def test_older_release_than_in_the_registry_is_a_conflict():
    result = run_registry_check(
        "latest", listing=build_registry_listing(newest="1.2.0"), releases_answer=(build_release("v1.1.0"),)
    )
    assert result.summary == (
        "Two sources contradict each other about the newest version: GitHub says v1.1.0; the registry says 1.2.0."
        " A reviewer decides."
    )
    assert [(evidence.label, evidence.value, bool(evidence.url), evidence.at) for evidence in result.evidence] == [
        ("GitHub", "v1.1.0", True, LATER.now),
        ("the registry", "1.2.0", True, LATER.now),
    ]


def test_release_that_the_registry_has_only_as_a_prerelease_is_missing():
    listing = build_registry_listing(versions=("2.0.0-beta1",), newest="2.0.0-beta1")
    result = run_registry_check("latest", listing=listing, releases_answer=(build_release("v1.0.0"),))
    assert result.summary == "GitHub has v1.0.0, but the registry has 2.0.0-beta1."


@pytest.mark.parametrize(
    ("tags", "summary"),
    [
        (("v1.2.0", "v1.1.0"), "1 of the newest 2 releases is missing from the registry."),
        (("v1.2.0", "v1.1.0", "nightly"), "2 of the newest 3 releases are missing from the registry."),
        (("nightly",), "The only release is missing from the registry."),
    ],
)
def test_summary_counts_the_missing_releases(tags, summary):
    assert run_registry_check("releases", releases_answer=tuple(map(build_release, tags))).summary == summary


def test_branch_with_the_name_of_the_tag_is_the_cause_if_the_files_show_none():
    answers = {"releases_answer": (build_release("v1.3.0", assets=build_assets(*FILES)),), "branches": ("v1.3.0",)}
    assert run_registry_check("releases", **answers).evidence[-1].value.startswith("A branch is also named v1.3.0")
    assert run_registry_check("releases", **(answers | {"branches": ()})).evidence[-1].value == UNKNOWN_CAUSE


@pytest.mark.parametrize(
    ("tag", "newest", "expected"),
    [
        ("v1.2.0", "1.2.0", Outcome.PASS),
        ("v1.3.0", "1.2.0", Outcome.FAIL),
        ("v1.1.0", "1.2.0", Outcome.NOT_RUN),
        ("nightly", "1.2.0", Outcome.FAIL),
        ("v1.2.0", "", Outcome.FAIL),
    ],
)
def test_newest_versions_are_compared_with_both_sources_as_evidence(tag, newest, expected):
    result = run_registry_check(
        "latest", listing=build_registry_listing(newest=newest), releases_answer=(build_release(tag),)
    )
    assert result.outcome == expected
    assert len(result.evidence) == (2 if tag != "nightly" and newest else 1)


@pytest.mark.parametrize(
    ("platforms", "expected"),
    [
        (build_registry_listing().platforms, Outcome.PASS),
        (PLATFORMS_OF_2021, Outcome.WARN),
        (("linux_amd64",), Outcome.WARN),
        (("darwin_arm64",), Outcome.FAIL),
        ((), Outcome.FAIL),
        (None, Outcome.NOT_RUN),
    ],
)
def test_recommended_platforms_are_required(platforms, expected):
    assert get_outcome("platforms", platforms=platforms) == expected


@pytest.mark.parametrize(
    ("listing_status", "tier", "registry_tier", "expected"),
    [
        ("unlisted", "", "community", Outcome.PASS),
        ("unlisted", "", "partner", Outcome.WARN),
        ("unlisted", "", "partner-premier", Outcome.WARN),
        ("delisted", "partner", "partner", Outcome.WARN),
        ("listed", "partner", "partner", Outcome.PASS),
        ("listed", "verified", "partner", Outcome.PASS),
        ("listed", "partner-premier", "partner", Outcome.PASS),
        ("listed", "partner", "community", Outcome.FAIL),
        ("on_notice", "partner", "community", Outcome.FAIL),
        ("listed", "partner", "", Outcome.NOT_RUN),
    ],
)
def test_tier_must_match_the_listing_status(listing_status, tier, registry_tier, expected):
    assert get_outcome("tier", replace(LATER, listing_status=listing_status, tier=tier), tier=registry_tier) == expected


@pytest.mark.parametrize(
    ("docs", "expected"),
    [
        ({"overview": 1, "resources": 1}, Outcome.PASS),
        ({"overview": 1, "data-sources": 1}, Outcome.PASS),
        ({"overview": 1, "functions": 1}, Outcome.PASS),
        ({"overview": 1, "guides": 3}, Outcome.FAIL),
        ({"resources": 1}, Outcome.FAIL),
        ({}, Outcome.FAIL),
        ({"overview": 1, "resources": 999}, Outcome.WARN),
        (None, Outcome.NOT_RUN),
    ],
)
def test_docs_need_an_overview_and_a_reference_page(docs, expected):
    assert get_outcome("docs", docs=docs) == expected


def test_missing_code_of_the_tag_is_raised():
    with pytest.raises(SourceNotFoundError):
        run_registry_check("protocols", code_answer=None)
