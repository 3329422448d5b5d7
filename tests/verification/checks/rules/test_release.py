"""Tests of the checks of one release: its files in the registry and on GitHub."""

import json
import struct
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.fakes import signed_releases
from tests.verification.checks.fake_sources import (
    SUBJECT,
    FakeSources,
    build_assets,
    build_release,
    build_release_answers,
)
from tests.verification.checks.rules.release_checks import (
    NOW,
    OTHER_OWNER,
    REGISTRY_CHECKS,
    RELEASE_CHECKS,
    Sources,
    build_rocket_release,
    run_registry_checks,
    run_release_check,
)
from verification.checks.types import CHECKS
from verification.outcomes import Outcome
from verification.releases.install_layout import RECOMMENDED_PLATFORMS
from verification.sources.errors import SourceUnavailableError
from verification.sources.github.responses import ReleaseAsset
from verification.sources.registry.client import RegistryClient as Client


def get_problems(sources: Sources) -> dict[str, str]:
    """Return the outcomes of the checks that did not pass."""
    results = run_registry_checks(sources)
    return {key: str(result.outcome) for key, result in results.items() if result.outcome != "pass"}


def build_changed_release(end: str, change: Callable[[bytes], bytes]) -> signed_releases.SignedRelease:
    """Return a release with a file that was changed after signing."""
    signed_release = build_rocket_release()
    name = next(name for name in signed_release.files if name.endswith(end))
    signed_release.files[name] = change(signed_release.files[name])
    return signed_release


def test_valid_release_passes_every_check(publish_releases):
    sources = publish_releases(build_rocket_release(platforms=RECOMMENDED_PLATFORMS), platforms=RECOMMENDED_PLATFORMS)
    results = run_registry_checks(sources)
    assert {key: str(result.outcome) for key, result in results.items()} == dict.fromkeys(REGISTRY_CHECKS, "pass")
    evidence_values = {e.label: e.value for e in results["release.signature"].evidence}
    assert evidence_values["Terraform"] == "Would install the release on linux_amd64"
    assert dict(results["release.signature"].inspected_revisions)["version"] == "1.0.0"


def test_files_are_fetched_once_for_all_checks(publish_releases, registry_server):
    sources = publish_releases()
    registry_server.requests.clear()
    run_registry_checks(sources)
    assert len(registry_server.requests) == len(set(registry_server.requests)) == 7


def test_files_are_fetched_once_for_any_spelling_of_the_namespace(publish_releases, registry_server):
    sources = publish_releases()
    registry_server.requests.clear()
    first = run_release_check("release.archive", sources)
    assert (run_release_check("release.archive", sources, namespace="Acme"), len(registry_server.requests)) == (
        first,
        7,
    )


@pytest.mark.parametrize(
    ("build", "expected", "terraform"),
    [
        (
            lambda: build_rocket_release(keys=[signed_releases.build_key(OTHER_OWNER)]),
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
            lambda: build_rocket_release(keys=[]),
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
            lambda: build_rocket_release(manifest=False),
            {"release.protocols": "warn"},
            "Would install the release on linux_amd64",
        ),
    ],
)
def test_fault_has_its_outcomes_and_terraforms_message(publish_releases, build, expected, terraform):
    sources = publish_releases(build())
    assert get_problems(sources) == expected
    evidence_values = {e.label: e.value for e in run_release_check("keys.registered", sources).evidence}
    assert evidence_values["Terraform"] == terraform


def test_late_header_of_a_program_is_read_and_remembered(publish_releases, registry_server):
    program = b"MZ" + bytes(58) + struct.pack("<L", 2000) + bytes(1936) + b"PE\0\0" + struct.pack("<H", 0x8664)
    platforms = ("linux_amd64", "windows_amd64")
    signed_release = build_rocket_release(platforms=platforms, programs={"windows_amd64": program})
    base = f"{registry_server.url}/files/acme/rocket/1.0.0"
    assets = [ReleaseAsset(at, name, 1, f"{base}/{name}") for at, name in enumerate(signed_release.files)]

    def run_check(**subject: Any) -> Any:
        sources = publish_releases(signed_release, platforms=platforms)
        sources.github = FakeSources(releases_answer=(build_release("v1.0.0", assets=tuple(assets)),))
        return run_release_check("release.archive", sources, **subject)

    first = run_check()
    assert (first.outcome, run_check(known=first.observations)) == (Outcome.PASS, first)


def test_archive_is_fetched_again_for_a_new_file_on_github_or_after_a_week(publish_releases, registry_server):
    signed_release = build_rocket_release()
    base = f"{registry_server.url}/files/acme/rocket/1.0.0"
    archive = next(name for name in signed_release.files if name.endswith(".zip"))

    def run_check(number: int, days: int = 0, **subject: Any) -> tuple[Any, bool]:
        """Return the result of release.archive for a file with this ID on GitHub, and whether it was fetched."""
        sources = publish_releases(signed_release)
        asset = ReleaseAsset(number, archive, len(signed_release.files[archive]), f"{base}/{archive}")
        sources.github = FakeSources(releases_answer=(build_release("v1.0.0", assets=(asset,)),))
        result = run_release_check("release.archive", sources, now=NOW + timedelta(days=days), **subject)
        return result, any(path.endswith(".zip") for path in registry_server.requests)

    first, has_download = run_check(7)
    assert (first.outcome, has_download) == (Outcome.PASS, True)
    json.dumps(first.observations)
    second, has_download = run_check(7, known=first.observations)
    assert (second, has_download) == (first, False)
    assert run_check(8, known=first.observations)[1]
    assert run_check(7, days=8, known=first.observations)[1]
    unreadable = {"release.archives": {f"{base}/{archive}": {"identity": f"7:{len(signed_release.files[archive])}"}}}
    assert run_check(7, known=unreadable) == (first, True)
    signed_release.files[archive] += b"x"
    assert run_check(8, known=first.observations)[0].outcome == Outcome.FAIL


def test_archives_that_were_read_before_an_outage_are_not_fetched_again(publish_releases, registry_server):
    """An outage is as good as a lack of time: archives that together take too long are read in several attempts."""
    platforms = ("linux_amd64", "windows_amd64")
    signed_release = build_rocket_release(platforms=platforms)
    base = f"{registry_server.url}/files/acme/rocket/1.0.0"
    assets = tuple(ReleaseAsset(at, name, 1, f"{base}/{name}") for at, name in enumerate(signed_release.files))

    def run_check(status: int, **subject: Any) -> tuple[Any, set[str]]:
        """Return the result if the second archive has this status, and the platforms whose archives were fetched."""
        sources = publish_releases(signed_release, platforms=platforms)
        sources.github = FakeSources(releases_answer=(build_release("v1.0.0", assets=assets),))
        registry_server.requests.clear()
        if status != 200:
            registry_server.fail(status, under="/files/acme/rocket/1.0.0/terraform-provider-rocket_1.0.0_windows")
        result = run_release_check("release.archive", sources, **subject)
        return result, {name for name in platforms for path in registry_server.requests if path.endswith(f"{name}.zip")}

    first, fetched = run_check(503)
    assert (first.outcome, fetched) == (Outcome.ERROR, {"linux_amd64", "windows_amd64"})
    second, fetched = run_check(200, known=first.observations)
    assert (second.outcome, fetched) == (Outcome.PASS, {"windows_amd64"})
    assert len(second.observations["release.archives"]) == len(platforms)


def test_outage_of_github_keeps_the_remembered_archives(publish_releases):
    sources = publish_releases()
    sources.github = FakeSources(releases_answer=SourceUnavailableError("Down."))
    result = run_release_check("release.archive", sources)
    assert (result.outcome, result.observations) == (Outcome.PASS, {})


def test_no_check_passes_without_network():
    sources = Sources(Client("http://127.0.0.1:1"))
    assert {str(result.outcome) for result in run_registry_checks(sources).values()} <= {"error", "not_run"}


def build_sources_without(end: str, **changed: bytes) -> Sources:
    """Return sources of a release in whose registry the address with this end is missing."""
    answers = build_release_answers()
    pages = {address: page for address, page in answers["pages"].items() if not address.endswith(end)}
    pages |= {address: changed[key] for address in pages for key in changed if address.endswith(key)}
    sources: Any = FakeSources(releases_answer=answers["releases_answer"], pages=pages)
    return Sources(sources, sources, sources)


@pytest.mark.parametrize("end", ["/versions", "/linux/amd64", "_SHA256SUMS", ".sig", ".zip"])
def test_what_the_registry_does_not_have_is_a_missing_item(end):
    """A listed integration fails only if it is still missing after a day."""
    results = run_registry_checks(build_sources_without(end))
    problems = [result for result in results.values() if result.outcome not in (Outcome.PASS, Outcome.WARN)]
    assert Outcome.FAIL in {result.outcome for result in problems}
    assert all(result.missing_item for result in problems)
    unread = [result.summary for result in problems if result.outcome == Outcome.NOT_RUN]
    assert all("Terraform reports: " in summary for summary in unread)


def test_platform_that_is_not_listed_is_no_missing_item():
    """linux_amd64 is always read for Terraform's decision, and returns 404 here."""
    answers = build_release_answers()["pages"]
    texts = {
        address: page.replace('"linux"', '"windows"') for address, page in answers.items() if isinstance(page, str)
    }
    files = {address: b"Broken." for address, page in answers.items() if isinstance(page, bytes)}
    pages = {address.replace("/linux/", "/windows/"): page for address, page in (texts | files).items()}
    sources: Any = FakeSources(pages=pages)
    results = run_registry_checks(Sources(sources, sources, sources))
    assert results["release.key"].outcome == Outcome.NOT_RUN
    assert {result.missing_item for result in results.values()} == {""}


def test_missing_archive_does_not_excuse_another_failure():
    results = run_registry_checks(build_sources_without(".zip", sig=b"no signature"))
    failures = {key: bool(result.missing_item) for key, result in results.items() if result.outcome == Outcome.FAIL}
    assert failures == {"release.archive": True, "release.signature": False, "release.terraform": True}


@pytest.mark.parametrize("key", RELEASE_CHECKS)
def test_blank_repository_fails_without_a_request(key):
    subject = replace(SUBJECT, repository="", namespace="", provider="")
    assert CHECKS[key].run(subject, None).outcome == Outcome.FAIL


COMPLETE = (
    "terraform-provider-rocket_1.2.0_linux_amd64.zip",
    "terraform-provider-rocket_1.2.0_manifest.json",
    "terraform-provider-rocket_1.2.0_SHA256SUMS",
    "terraform-provider-rocket_1.2.0_SHA256SUMS.sig",
)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (build_assets(*COMPLETE), "pass"),
        (build_assets(*COMPLETE, size=0), "fail"),
        (build_assets(*COMPLETE[:3]), "fail"),
        (build_assets(COMPLETE[0], *COMPLETE[2:]), "warn"),
        (build_assets("rocket_1.2.0_linux_amd64.zip", *COMPLETE[1:]), "fail"),
        ((), "fail"),
    ],
)
def test_files_on_github_must_be_complete_and_not_empty(files, expected):
    releases = (build_release("v1.1.0"), build_release("v1.2.0", assets=files), build_release("v1.3.0", draft=True))
    github = FakeSources(releases_answer=releases)
    assert run_release_check("release.files", Sources(None, github)).outcome == expected


@pytest.mark.parametrize("key", ["release.files", "release.tag"])
def test_outage_is_raised(key):
    with pytest.raises(SourceUnavailableError):
        run_release_check(key, Sources(None, FakeSources(releases_answer=SourceUnavailableError("Down."))))
