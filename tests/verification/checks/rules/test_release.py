"""Tests of the checks of one release: its files in the registry and on GitHub."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.fakes import signed
from tests.verification.checks.fake_sources import SUBJECT, release
from tests.verification.checks.rules.release_checks import (
    FAMILY,
    NOW,
    OTHER,
    REGISTRY_CHECKS,
    GitHub,
    Sources,
    results,
    rocket,
)
from verification.checks.types import CHECKS
from verification.outcomes import Outcome
from verification.releases.install_layout import RECOMMENDED_PLATFORMS
from verification.sources.errors import SourceUnavailableError
from verification.sources.github.responses import ReleaseAsset
from verification.sources.registry.client import RegistryClient as Client


def faults(sources: Sources, **subject: Any) -> dict[str, str]:
    """Return the outcomes of the checks that did not pass."""
    check_results = results(sources, **subject)
    return {key: str(result.outcome) for key, result in check_results.items() if result.outcome != "pass"}


def build_changed_release(end: str, change: Callable[[bytes], bytes]) -> signed.Signed:
    """Return a release with a file that was changed after signing."""
    signed_release = rocket()
    name = next(name for name in signed_release.files if name.endswith(end))
    signed_release.files[name] = change(signed_release.files[name])
    return signed_release


def test_good_release_passes_everything(publish_releases):
    sources = publish_releases(rocket(platforms=RECOMMENDED_PLATFORMS), platforms=RECOMMENDED_PLATFORMS)
    check_results = results(sources)
    assert {key: str(result.outcome) for key, result in check_results.items()} == dict.fromkeys(REGISTRY_CHECKS, "pass")
    evidence_values = {e.label: e.value for e in check_results["release.signature"].evidence}
    assert evidence_values["Terraform"] == "Would install the release on linux_amd64"
    assert dict(check_results["release.signature"].inspected_revisions)["version"] == "1.0.0"


def test_bytes_are_fetched_once_for_all_checks(publish_releases, registry_server):
    sources = publish_releases()
    registry_server.seen.clear()
    results(sources)
    assert len(registry_server.seen) == len(set(registry_server.seen)) == 7


@pytest.mark.parametrize(
    ("make", "expected", "terraform"),
    [
        (
            lambda: rocket(keys=[signed.key(OTHER)]),
            {
                "release.signature": "fail",
                "release.key": "not_run",
                "release.terraform": "fail",
                "keys.registered": "fail",
                "keys.rotation": "not_run",
                "keys.personal": "not_run",
            },
            "Would refuse the release on linux_amd64: authentication signature from unknown issuer",
        ),
        (
            lambda: rocket(keys=[]),
            {
                "release.signature": "fail",
                "release.key": "not_run",
                "release.terraform": "fail",
                "keys.expiry": "not_run",
                "keys.registered": "fail",
                "keys.rotation": "not_run",
                "keys.personal": "not_run",
            },
            "Would refuse the release on linux_amd64: authentication signature from unknown issuer",
        ),
        (
            lambda: build_changed_release("_SHA256SUMS", lambda text: text + b"\n"),
            {"release.checksums": "fail", "release.signature": "fail", "release.terraform": "fail"},
            "Would refuse the release on linux_amd64: error checking signature: "
            "openpgp: invalid signature: RSA verification failure",
        ),
        (
            lambda: rocket(manifest=False),
            {"release.protocols": "warn"},
            "Would install the release on linux_amd64",
        ),
    ],
)
def test_fault_is_said_in_our_words_and_in_terraforms(publish_releases, make, expected, terraform):
    sources = publish_releases(make())
    assert faults(sources) == expected
    evidence_values = {e.label: e.value for e in results(sources, "keys.registered")["keys.registered"].evidence}
    assert evidence_values["Terraform"] == terraform


def test_archive_that_is_the_same_file_on_github_is_not_fetched_again(publish_releases, registry_server):
    signed_release = rocket()
    base = f"{registry_server.url}/files/acme/rocket/1.0.0"
    archive = next(name for name in signed_release.files if name.endswith(".zip"))

    def again(number: int, days: int = 0, **subject: Any) -> tuple[Any, bool]:
        """Return the result of release.archive for a file with this ID on GitHub, and whether it was fetched."""
        sources = publish_releases(signed_release)
        asset = ReleaseAsset(number, archive, len(signed_release.files[archive]), f"{base}/{archive}")
        sources.github = GitHub((release("v1.0.0", assets=(asset,)),))
        check_results = results(sources, "release.archive", now=NOW + timedelta(days=days), **subject)[
            "release.archive"
        ]
        return check_results, any(path.endswith(".zip") for path in registry_server.seen)

    first, has_download = again(7)
    assert (first.outcome, has_download) == (Outcome.PASS, True)
    json.dumps(first.observations)
    second, has_download = again(7, known=first.observations)
    assert (second, has_download) == (first, False)
    assert again(8, known=first.observations)[1]
    assert again(7, days=8, known=first.observations)[1]
    signed_release.files[archive] += b"x"
    assert again(8, known=first.observations)[0].outcome == Outcome.FAIL


def test_with_the_network_cut_nothing_passes():
    sources = Sources(Client("http://127.0.0.1:1"))
    assert {str(result.outcome) for result in results(sources).values()} <= {"error", "not_run"}


@pytest.mark.parametrize("key", FAMILY)
def test_without_a_repository_nothing_is_asked(key):
    about = replace(SUBJECT, repository="", namespace="", provider="")
    assert CHECKS[key].run(about, None).outcome == Outcome.FAIL


def assets(*names: str, size: int = 5) -> tuple[ReleaseAsset, ...]:
    return tuple(ReleaseAsset(at, name, size, f"https://example.test/{name}") for at, name in enumerate(names))


COMPLETE = (
    "terraform-provider-rocket_1.2.0_linux_amd64.zip",
    "terraform-provider-rocket_1.2.0_manifest.json",
    "terraform-provider-rocket_1.2.0_SHA256SUMS",
    "terraform-provider-rocket_1.2.0_SHA256SUMS.sig",
)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (assets(*COMPLETE), "pass"),
        (assets(*COMPLETE, size=0), "fail"),
        (assets(*COMPLETE[:3]), "fail"),
        (assets(COMPLETE[0], *COMPLETE[2:]), "warn"),
        (assets("rocket_1.2.0_linux_amd64.zip", *COMPLETE[1:]), "fail"),
        ((), "fail"),
    ],
)
def test_files_on_github(files, expected):
    github = GitHub((release("v1.1.0"), release("v1.2.0", assets=files), release("v1.3.0", draft=True)))
    assert results(Sources(None, github), "release.files")["release.files"].outcome == expected


@pytest.mark.parametrize("key", ["release.files", "release.tag"])
def test_outage_is_left_to_the_runner(key):
    with pytest.raises(SourceUnavailableError):
        results(Sources(None, GitHub(SourceUnavailableError("Down."))), key)
