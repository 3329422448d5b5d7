"""Tests of the protocol versions that the registry reports."""

import pytest

from tests.verification.checks.fake_sources import (
    SUBJECT,
    FakeSources,
    build_registry_listing,
    build_release_answers,
    build_snapshot,
)
from tests.verification.checks.rules.release_checks import build_rocket_release, run_release_check
from verification.checks.types import CHECKS
from verification.outcomes import Outcome
from verification.sources.errors import SourceNotFoundError, SourceUnavailableError
from verification.sources.registry.client import RegistryClient as Client

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
def test_protocols_must_match_the_manifest(manifest, protocols, expected):
    files = {"main.go": ""} | ({"terraform-registry-manifest.json": manifest} if manifest else {})
    # The manifest of this release declares 5.0.
    pages = build_release_answers("1.2.0")["pages"]
    listing = build_registry_listing(protocols=protocols)
    sources = FakeSources(listing_answer=listing, code_answer=build_snapshot(files), pages=pages)
    assert CHECKS["registry.protocols"].run(SUBJECT, sources).outcome == expected


@pytest.mark.parametrize(
    ("has_manifest", "outcome", "summary"),
    [
        (True, Outcome.PASS, "Protocol 6.0 in both places."),
        (False, Outcome.FAIL, "The registry reports 6.0, but without a manifest, the protocol is 5.0."),
    ],
)
def test_manifest_of_the_release_counts_without_one_at_the_root(publish_releases, has_manifest, outcome, summary):
    sources = publish_releases(build_rocket_release(protocols=("6.0",), manifest=has_manifest), protocols=("6.0",))
    sources.registry = Client(sources.registry.base_url, sources.web)
    sources.github = FakeSources(code_answer=build_snapshot({"main.go": ""}))
    result = run_release_check("registry.protocols", sources)
    assert (result.outcome, result.summary) == (outcome, summary)


def publish_manifest_in_release(publish_releases, *versions):
    """Return the sources of releases whose commits have no manifest."""
    releases = [build_rocket_release(version, protocols=("6.0",)) for version in versions]
    sources = publish_releases(*releases, protocols=("6.0",))
    sources.registry = Client(sources.registry.base_url, sources.web)
    sources.github = FakeSources(code_answer=build_snapshot({"main.go": ""}))
    return sources


@pytest.mark.parametrize("end", ["manifest.json", "SHA256SUMS"])
@pytest.mark.parametrize(
    ("status", "error"), [(503, SourceUnavailableError), (404, SourceNotFoundError), (410, SourceNotFoundError)]
)
def test_manifest_that_cannot_be_read_is_not_taken_for_none(publish_releases, registry_server, end, status, error):
    """A missing file fails the check of a listed integration only if it is still missing after a day."""
    sources = publish_manifest_in_release(publish_releases, "1.0.0")
    registry_server.fail(status, under=f"/files/acme/rocket/1.0.0/terraform-provider-rocket_1.0.0_{end}")
    with pytest.raises(error, match=str(status)):
        run_release_check("registry.protocols", sources)


def test_manifest_counts_while_an_archive_is_not_available(publish_releases, registry_server):
    sources = publish_manifest_in_release(publish_releases, "1.0.0")
    registry_server.fail(503, under="/files/acme/rocket/1.0.0/terraform-provider-rocket_1.0.0_linux_amd64.zip")
    assert run_release_check("registry.protocols", sources).outcome == Outcome.PASS


def test_manifest_of_the_newest_release_counts_for_an_older_one(publish_releases):
    sources = publish_manifest_in_release(publish_releases, "1.0.0", "1.1.0")
    assert run_release_check("registry.protocols", sources, tag="v1.0.0").outcome == Outcome.PASS
