import io
from datetime import UTC, datetime

import pytest

from tests.verification.releases import faults
from tests.verification.releases.conftest import NOW
from tests.verification.releases.world import ELF, Release, build_zip
from verification.outcomes import Outcome
from verification.releases import RULES, TERRAFORM_ID, verify
from verification.releases.inspection import Reader
from verification.sources.http.client import OutboundClient
from verification.sources.registry.protocol import RegistryProtocol

EVERY = (*(id for id, _, _ in RULES), TERRAFORM_ID)
PLATFORMS = (
    ("darwin", "amd64"),
    ("darwin", "arm64"),
    ("linux", "amd64"),
    ("linux", "arm64"),
    ("linux", "arm"),
    ("linux", "s390x"),
    ("windows", "amd64"),
)
UNSEEN = {
    "packages": "fail",
    "protocols": "not_run",
    "checksums": "not_run",
    "signature": "not_run",
    "key": "not_run",
    "archive": "not_run",
    "terraform": "fail",
}


def faulty(report):
    """Return the outcomes that did not pass, except platforms, because these releases have only one."""
    outcomes_by_id = {check.id.removeprefix("release."): str(check.result.outcome) for check in report.checks}
    return {id: outcome for id, outcome in outcomes_by_id.items() if outcome != "pass" and id != "platforms"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("good", {}),
        ("second-key", {}),
        ("ed25519", {"signature": "fail"}),
        ("weak-key", {"signature": "fail"}),
        ("sha1", {"signature": "fail"}),
        ("expired-since", {"signature": "warn", "key": "warn"}),
        ("expired-at-signing", {"signature": "fail", "key": "warn"}),
        ("revoked", {"signature": "fail", "terraform": "fail"}),
        ("wrong-key", {"signature": "fail", "key": "not_run", "terraform": "fail"}),
        ("sums-crlf", {"protocols": "warn", "checksums": "warn"}),
        ("sums-twice-second-wrong", {"protocols": "warn", "checksums": "fail"}),
        ("zip-changed", {"archive": "fail", "terraform": "fail"}),
        ("zip-prefix", {"archive": "fail"}),
        ("binary-other-version", {"archive": "fail"}),
        ("binary-no-executable", {"archive": "fail"}),
        ("shasum-other", {"checksums": "fail", "terraform": "fail"}),
        ("filename-other", {"packages": "fail", "checksums": "fail", "terraform": "fail"}),
        ("protocol-6", {"protocols": "fail"}),
        ("arch-other", {"packages": "fail", "terraform": "fail"}),
        ("package-404", UNSEEN),
        ("package-page", UNSEEN),
        ("package-500", UNSEEN | {"packages": "error", "terraform": "error"}),
        ("zip-404", {"archive": "fail", "terraform": "fail"}),
        ("zip-500", {"archive": "error", "terraform": "error"}),
        ("sig-404", {"signature": "fail", "key": "not_run", "terraform": "fail"}),
        ("download-ftp", {"archive": "fail", "terraform": "fail"}),
        ("versions-404", UNSEEN | {"listed": "fail", "packages": "not_run"}),
        ("versions-429", UNSEEN | {"listed": "error", "packages": "not_run", "terraform": "error"}),
        ("versions-empty", UNSEEN | {"listed": "fail", "packages": "not_run"}),
        ("version-4", {"protocols": "fail", "terraform": "fail"}),
        ("version-short", {"listed": "warn"}),
        ("warnings", {"listed": "warn"}),
    ],
)
def test_release(verify_published, name, expected):
    make = next(table[name] for table in (faults.INSTALL, faults.QUERY, faults.VERSIONS) if name in table)
    report = verify_published(make(name))
    assert faulty(report) == expected
    assert tuple(check.id for check in report.checks) == EVERY
    assert all(check.result.summary for check in report.checks)


def test_platforms_each_have_their_say(verify_published):
    """A release for every recommended platform, all with a program for linux_amd64."""
    report = verify_published(Release("everywhere", platforms=PLATFORMS))
    assert {check.id: str(check.result.outcome) for check in report.checks}["release.platforms"] == "pass"
    archive = next(check.result for check in report.checks if check.id == "release.archive")
    assert archive.outcome == Outcome.FAIL
    assert {evidence.label: evidence.value for evidence in archive.evidence} == {
        "darwin_amd64, darwin_arm64": "The program is in the format ELF, which is not that of darwin.",
        "linux_arm64": "The program was built for amd64, not for arm64.",
        "linux_arm": "The program was built for amd64, not for arm.",
        "linux_s390x": "The program was built for amd64, not for s390x.",
        "windows_amd64": "The program is in the format ELF, which is not that of windows.",
    }
    assert set(report.others) == {f"{os}_{arch}" for os, arch in PLATFORMS}
    assert all(judgement.accepts for judgement in report.others.values())


def test_platform_that_is_missing(verify_published):
    report = verify_published(Release("no-linux", platforms=(("windows", "amd64"),), members={"x": b""}))
    assert report.terraform.message.startswith("Provider registry.acme-tools.io/acme/no-linux v1.0.0 does not have a")
    outcomes = {check.id: check.result for check in report.checks}
    assert outcomes["release.platforms"].summary == "linux_amd64 is missing; HCP Terraform runs on it."


@pytest.mark.parametrize(
    ("day", "summary"),
    [
        (datetime(2026, 1, 10, tzinfo=UTC), "The key expires within 30 days, on 2026-01-31."),
        (datetime(2026, 1, 26, tzinfo=UTC), "The key expires within a week, on 2026-01-31."),
        (datetime(2026, 2, 1, tzinfo=UTC), "The key expired on 2026-01-31."),
    ],
)
def test_expiry_is_foretold(verify_published, day, summary):
    release = Release("ends", signer="expired", signed_at="20260102T000000", keys=("expired",))
    report = verify_published(release, now=day.timestamp())
    key = next(check.result for check in report.checks if check.id == "release.key")
    assert (key.outcome, key.summary) == (Outcome.WARN, summary)


def test_manifest_that_was_replaced(verify_published):
    def replace(release, release_files):
        release_files[f"{release.prefix}_manifest.json"] = (
            b'{"version": 1, "metadata": {"protocol_versions": ["5.0"]}} '
        )

    report = verify_published(Release("manifest", after=replace))
    assert faulty(report) == {"protocols": "fail"}


def test_without_a_version_the_newest_release_is_read(world, verify_published):
    for version in ("1.0.0", "1.10.0", "1.9.0", "2.0.0-rc1"):
        world.publish(Release("many", version=version))
    assert verify_published(Release("many", version="0.9.0"), version="").release.version == "1.10.0"


def test_each_file_is_asked_for_once(world, verify_published):
    world.requested_paths.clear()
    verify_published(Release("once", platforms=PLATFORMS))
    assert len(world.requested_paths) == len(set(world.requested_paths))
    assert (
        len(world.requested_paths) == 1 + 1 + 2 * len(PLATFORMS) + 2 + 1
    )  # discovery, list, package and archive, sums, manifest


@pytest.mark.parametrize(
    ("document", "base"),
    [
        (404, "/v1/providers/"),
        ({}, "/v1/providers/"),
        (b"<html>", "/v1/providers/"),
        ({"providers.v1": "/elsewhere"}, "/elsewhere/"),
        ({"providers.v1": 1}, "/v1/providers/"),
    ],
)
def test_discovery(world, monkeypatch, document, base):
    monkeypatch.setitem(world.routes, "/.well-known/terraform.json", document)
    world.requested_paths.clear()
    RegistryProtocol(world.url, OutboundClient(loopback=True)).versions("acme", "rocket")
    assert world.requested_paths == ["/.well-known/terraform.json", f"{base}acme/rocket/versions"]


def test_with_the_network_cut_nothing_passes():
    protocol = RegistryProtocol("http://127.0.0.1:1", OutboundClient(loopback=True))
    report = verify(Reader(protocol, "acme", "rocket", NOW), "1.0.0")
    assert {str(check.result.outcome) for check in report.checks} == {"error", "not_run"}
    assert (report.outcome, report.terraform.accepts, report.terraform.outage) == (Outcome.ERROR, False, True)


def test_addresses_of_a_release_are_held_to_the_rules(verify_published):
    """A registry can't redirect the portal to a private host."""
    report = verify_published(Release("inside", package={"download_url": "https://10.0.0.1/x.zip"}))
    archive = next(check.result for check in report.checks if check.id == "release.archive")
    assert (archive.outcome, archive.summary) == (
        Outcome.FAIL,
        "10.0.0.1 is a private address. Use a public host.",
    )
    assert report.terraform.accepts is None


def test_world_makes_real_archives():
    import zipfile

    with zipfile.ZipFile(io.BytesIO(build_zip({"a": ELF}))) as archive_file:
        assert archive_file.namelist() == ["a"]


def test_release_0_0_0_is_listed_and_never_installed(verify_published):
    judgement = verify_published(Release("zero", version="0.0.0"), version="0.0.0").terraform
    assert (judgement.verdict, "no available releases match" in judgement.message) == ("refuse", True)
