from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.verification.checks.fake_sources import (
    PLATFORMS_OF_2021,
    SUBJECT,
    FakeSources,
    build_registry_listing,
    code,
    release,
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
from verification.sources.github.responses import ReleaseAsset

LATER = replace(SUBJECT, now=datetime(2026, 4, 2, tzinfo=UTC))
KEYS = [key for key in CHECKS if key.startswith("registry.")]
UNREPORTED_LISTING = build_registry_listing(
    platforms=None, protocols=None, docs=None, warning=None, unlisted=None, moved_to=None, tier="", newest=""
)


def result(key, subject=LATER, listing=None, **fields):
    return CHECKS[f"registry.{key}"].run(
        subject, FakeSources(published_said=listing or build_registry_listing(), **fields)
    )


def outcome(key, subject=LATER, **changes):
    return result(key, subject, build_registry_listing(**changes)).outcome


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
def test_listed(changes, expected):
    assert outcome("listed", **changes) == expected


def test_listed_keeps_the_picture_for_the_next_look():
    assert result("listed").observations == {"registry": build_registry_listing().as_dict()}
    assert (
        result("listed", listing=build_registry_listing(repository_id=9)).observations == {}
    )  # it belongs to someone else
    assert (
        result("listed", listing=build_registry_listing(full_name="globex/rocket", versions=(), newest="")).observations
        == {}
    )


def test_not_listed_is_an_absence_that_is_asked_again():
    check_result = CHECKS["registry.listed"].run(LATER, FakeSources(published_said=None))
    assert (check_result.outcome, check_result.missing_item) == (Outcome.FAIL, "acme/rocket in the registry")


@pytest.mark.parametrize("key", KEYS)
def test_without_a_repository_no_one_is_asked(key):
    sources = FakeSources()
    check_result = CHECKS[key].run(replace(SUBJECT, namespace="", provider=""), sources)
    assert (check_result.outcome, sources.requested_addresses) == (Outcome.FAIL, [])


@pytest.mark.parametrize("key", KEYS)
def test_outage_is_left_to_the_runner(key):
    with pytest.raises(SourceUnavailableError):
        CHECKS[key].run(LATER, FakeSources(published_said=SourceUnavailableError("Down.")))


@pytest.mark.parametrize("key", KEYS)
def test_what_no_answer_reported_never_passes(key):
    sources = FakeSources(
        published_said=UNREPORTED_LISTING, releases_said=(release("v1.2.0"),), code_said=code({"main.go": ""})
    )
    assert CHECKS[key].run(LATER, sources).outcome in (Outcome.NOT_RUN, Outcome.FAIL, Outcome.WARN) or (
        key == "registry.releases"
    )


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, Outcome.PASS),
        ({"warning": "Use acme/rocket2."}, Outcome.WARN),
        ({"unlisted": True}, Outcome.FAIL),
        ({"moved_to": "acme/rocket2"}, Outcome.FAIL),
        ({"warning": None}, Outcome.NOT_RUN),
        ({"unlisted": None}, Outcome.NOT_RUN),
        ({"moved_to": None}, Outcome.NOT_RUN),
    ],
)
def test_state(changes, expected):
    assert outcome("state", **changes) == expected


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
def test_releases(tags, expected):
    assert result("releases", releases_said=tuple(map(release, tags))).outcome == expected


def test_release_of_this_very_hour_is_no_fault():
    fresh = replace(SUBJECT, now=datetime(2026, 4, 1, 0, 30, tzinfo=UTC))
    assert result("releases", fresh, releases_said=(release("v1.3.0"),)).outcome == Outcome.WARN
    assert result("latest", fresh, releases_said=(release("v1.3.0"),)).outcome == Outcome.WARN


def test_draft_is_not_looked_for():
    assert result("releases", releases_said=(release("v1.2.0"), release("v1.3.0", draft=True))).outcome == Outcome.PASS


def files(*names):
    return tuple(ReleaseAsset(at, name, 10, f"https://example.test/{name}") for at, name in enumerate(names))


WHOLE = (
    "terraform-provider-rocket_1.3.0_linux_amd64.zip",
    "terraform-provider-rocket_1.3.0_SHA256SUMS",
    "terraform-provider-rocket_1.3.0_SHA256SUMS.sig",
    "terraform-provider-rocket_1.3.0_manifest.json",
)


@pytest.mark.parametrize(
    ("one", "cause"),
    [
        (release("v1.3.0", draft=True), "The release is a draft."),
        (release("1.3.0"), INVALID_TAG_CAUSE),
        (release("v1.3"), INVALID_TAG_CAUSE),
        (release("v1.3.0"), NO_FILES_CAUSE),
        (release("v1.3.0", assets=files(*WHOLE[1:])), "There is no terraform-provider-rocket_1.3.0_OS_ARCH.zip."),
        (release("v1.3.0", assets=files(*WHOLE[::2])), "There is no terraform-provider-rocket_1.3.0_SHA256SUMS."),
        (release("v1.3.0", assets=files(*WHOLE[:2])), "There is no terraform-provider-rocket_1.3.0_SHA256SUMS.sig."),
        (release("v1.3.0", assets=files(*WHOLE)), UNKNOWN_CAUSE),
    ],
)
def test_likely_cause(one, cause):
    assert [missing_release.cause for missing_release in list_missing_releases((one,), ("1.2.0",), "rocket")] == [cause]


def test_older_release_than_the_registry_has_is_a_conflict_with_both_sources():
    check_result = result("latest", listing=build_registry_listing(newest="1.2.0"), releases_said=(release("v1.1.0"),))
    assert check_result.summary == (
        "Two sources contradict each other about the newest version: GitHub says v1.1.0; the registry says 1.2.0."
        " A reviewer decides."
    )
    assert [
        (evidence.label, evidence.value, bool(evidence.url), evidence.at) for evidence in check_result.evidence
    ] == [
        ("GitHub", "v1.1.0", True, LATER.now),
        ("the registry", "1.2.0", True, LATER.now),
    ]


def test_branch_named_like_the_tag_is_the_cause_where_the_files_show_none():
    answers = {"releases_said": (release("v1.3.0", assets=files(*WHOLE)),), "branches": ("v1.3.0",)}
    assert result("releases", **answers).evidence[-1].value.startswith("A branch is also named v1.3.0")
    assert result("releases", **(answers | {"branches": ()})).evidence[-1].value == UNKNOWN_CAUSE


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
def test_latest_shows_both_sources(tag, newest, expected):
    check_result = result("latest", listing=build_registry_listing(newest=newest), releases_said=(release(tag),))
    assert check_result.outcome == expected
    assert len(check_result.evidence) == (2 if tag != "nightly" and newest else 1)


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
def test_platforms(platforms, expected):
    assert outcome("platforms", platforms=platforms) == expected


MANIFEST = '{"version": 1, "metadata": {"protocol_versions": ["6.0"]}}'


@pytest.mark.parametrize(
    ("manifest", "protocols", "expected"),
    [
        (MANIFEST, ("6.0",), Outcome.PASS),
        (MANIFEST, ("5.0",), Outcome.FAIL),
        (None, ("5.0",), Outcome.PASS),
        (None, ("6.0",), Outcome.FAIL),
        ("{}", ("6.0",), Outcome.FAIL),
        ("no JSON", ("6.0",), Outcome.FAIL),
        (MANIFEST, None, Outcome.NOT_RUN),
    ],
)
def test_protocols(manifest, protocols, expected):
    files = {"main.go": ""} | ({"terraform-registry-manifest.json": manifest} if manifest else {})
    check_result = result("protocols", listing=build_registry_listing(protocols=protocols), code_said=code(files))
    assert check_result.outcome == expected


@pytest.mark.parametrize(
    ("listing_status", "tier", "shown_tier", "expected"),
    [
        ("unlisted", "", "community", Outcome.PASS),
        ("unlisted", "", "partner", Outcome.WARN),
        ("delisted", "partner", "partner", Outcome.WARN),
        ("listed", "partner", "partner", Outcome.PASS),
        ("listed", "verified", "partner", Outcome.PASS),
        ("listed", "partner-premier", "partner", Outcome.PASS),
        ("listed", "partner", "community", Outcome.FAIL),
        ("on_notice", "partner", "community", Outcome.FAIL),
        ("listed", "partner", "", Outcome.NOT_RUN),
    ],
)
def test_tier(listing_status, tier, shown_tier, expected):
    assert outcome("tier", replace(LATER, listing_status=listing_status, tier=tier), tier=shown_tier) == expected


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
def test_docs(docs, expected):
    assert outcome("docs", docs=docs) == expected


def test_protocols_of_deleted_tag_are_left_to_the_runner():
    with pytest.raises(SourceNotFoundError):
        result("protocols", code_said=None)
