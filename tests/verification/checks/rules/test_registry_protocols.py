"""Tests of the protocol versions that the registry reports."""

import pytest

from tests.verification.checks.fake_sources import FakeSources, build_snapshot
from tests.verification.checks.rules.release_checks import build_rocket_release, run_release_check
from verification.outcomes import Outcome
from verification.sources.errors import SourceUnavailableError
from verification.sources.registry.client import RegistryClient as Client


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


@pytest.mark.parametrize("end", ["manifest.json", "SHA256SUMS"])
def test_manifest_that_an_outage_hides_is_not_missing(publish_releases, registry_server, end):
    sources = publish_releases(build_rocket_release(protocols=("6.0",)), protocols=("6.0",))
    sources.registry = Client(sources.registry.base_url, sources.web)
    sources.github = FakeSources(code_answer=build_snapshot({"main.go": ""}))
    registry_server.fail(503, under=f"/files/acme/rocket/1.0.0/terraform-provider-rocket_1.0.0_{end}")
    with pytest.raises(SourceUnavailableError, match="503"):
        run_release_check("registry.protocols", sources)
