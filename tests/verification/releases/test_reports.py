"""Tests of the reports on published releases."""

from datetime import UTC, datetime

import pytest

from tests.verification.releases import faults
from tests.verification.releases.conftest import NOW
from tests.verification.releases.release_registry import Release
from verification.outcomes import Outcome
from verification.releases import RULES, TERRAFORM_ID, inspection, verify
from verification.releases.inspection import ReleaseReader
from verification.sources.http.client import OutboundClient
from verification.sources.registry.protocol import RegistryProtocol

CHECK_IDS = (*(id for id, _, _ in RULES), TERRAFORM_ID)
PLATFORMS = (
    ("darwin", "amd64"),
    ("darwin", "arm64"),
    ("linux", "amd64"),
    ("linux", "arm64"),
    ("linux", "arm"),
    ("linux", "s390x"),
    ("windows", "amd64"),
)
UNREADABLE_PACKAGE = {
    "packages": "fail",
    "protocols": "not_run",
    "checksums": "not_run",
    "signature": "not_run",
    "key": "not_run",
    "archive": "not_run",
    "terraform": "fail",
}


def get_result(report, id):
    return report.results[id]


def get_problems(report):
    """Return the outcomes that did not pass, except of release.platforms, because these releases have only one."""
    outcomes_by_id = {id.removeprefix("release."): str(result.outcome) for id, result in report.results.items()}
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
        ("sums-repeated-second-wrong", {"protocols": "warn", "checksums": "fail"}),
        ("zip-changed", {"archive": "fail", "terraform": "fail"}),
        ("zip-prefix", {"archive": "fail"}),
        ("binary-other-version", {"archive": "fail"}),
        ("binary-not-executable", {"archive": "fail"}),
        ("shasum-other", {"checksums": "fail", "terraform": "fail"}),
        ("filename-other", {"packages": "fail", "checksums": "fail", "terraform": "fail"}),
        ("protocol-6", {"protocols": "fail"}),
        ("arch-other", {"packages": "fail", "terraform": "fail"}),
        ("package-404", UNREADABLE_PACKAGE),
        ("package-html", UNREADABLE_PACKAGE | {"packages": "error", "terraform": "error"}),
        ("package-401", UNREADABLE_PACKAGE | {"packages": "error", "terraform": "error"}),
        ("package-500", UNREADABLE_PACKAGE | {"packages": "error", "terraform": "error"}),
        ("zip-404", {"archive": "fail", "terraform": "fail"}),
        ("zip-500", {"archive": "error", "terraform": "error"}),
        ("sig-404", {"signature": "fail", "key": "not_run", "terraform": "fail"}),
        ("download-ftp", {"archive": "fail", "terraform": "fail"}),
        ("versions-404", UNREADABLE_PACKAGE | {"listed": "fail", "packages": "not_run"}),
        ("versions-429", UNREADABLE_PACKAGE | {"listed": "error", "packages": "not_run", "terraform": "error"}),
        ("versions-403", UNREADABLE_PACKAGE | {"listed": "error", "packages": "not_run", "terraform": "error"}),
        ("versions-html", UNREADABLE_PACKAGE | {"listed": "error", "packages": "not_run", "terraform": "error"}),
        ("versions-empty", UNREADABLE_PACKAGE | {"listed": "fail", "packages": "not_run"}),
        ("version-4", {"protocols": "fail", "terraform": "fail"}),
        ("version-short", {"listed": "warn"}),
        ("warnings", {"listed": "warn"}),
    ],
)
def test_release_has_the_expected_outcomes(verify_published, name, expected):
    build_release = next(table[name] for table in (faults.INSTALL, faults.QUERY, faults.VERSIONS) if name in table)
    report = verify_published(build_release(name))
    assert get_problems(report) == expected
    assert tuple(report.results) == CHECK_IDS
    assert all(result.summary for result in report.results.values())


def test_archive_of_every_platform_is_checked(verify_published):
    """All archives of the release contain a program for linux_amd64."""
    report = verify_published(Release("everywhere", platforms=PLATFORMS))
    assert get_result(report, "release.platforms").outcome == Outcome.PASS
    archive = get_result(report, "release.archive")
    assert archive.outcome == Outcome.FAIL
    assert {evidence.label: evidence.value for evidence in archive.evidence} == {
        "darwin_amd64, darwin_arm64": "The executable is in ELF format, which darwin can't run.",
        "linux_arm64": "The executable was built for amd64, not for arm64.",
        "linux_arm": "The executable was built for amd64, not for arm.",
        "linux_s390x": "The executable was built for amd64, not for s390x.",
        "windows_amd64": "The executable is in ELF format, which windows can't run.",
    }
    assert set(report.others) == {f"{os}_{arch}" for os, arch in PLATFORMS}
    assert all(decision.accepts for decision in report.others.values())


def test_platforms_above_the_limit_do_not_pass(verify_published, monkeypatch):
    monkeypatch.setattr(inspection, "MAX_PLATFORMS", 1)
    report = verify_published(Release("over", platforms=(("linux", "amd64"), ("linux", "arm64"))))
    for id in ("release.packages", "release.checksums", "release.signature", "release.archive"):
        result = get_result(report, id)
        assert (result.outcome, result.summary) == (Outcome.NOT_RUN, "There was nothing to check for linux_arm64.")


def test_release_without_linux_is_refused_by_terraform(verify_published):
    report = verify_published(Release("no-linux", platforms=(("windows", "amd64"),), members={"x": b""}))
    assert report.terraform.message.startswith("Provider registry.acme-tools.io/acme/no-linux v1.0.0 does not have a")
    assert get_result(report, "release.platforms").summary == "linux_amd64 is missing; HCP Terraform runs on it."


@pytest.mark.parametrize(
    ("day", "summary"),
    [
        (datetime(2026, 1, 10, tzinfo=UTC), "The key expires within 30 days, on 2026-01-31."),
        (datetime(2026, 1, 26, tzinfo=UTC), "The key expires within a week, on 2026-01-31."),
        (datetime(2026, 2, 1, tzinfo=UTC), "The key expired on 2026-01-31."),
    ],
)
def test_expiring_key_is_a_warning(verify_published, day, summary):
    release = Release("ends", signer="expired", signed_at="20260102T000000", keys=("expired",))
    report = verify_published(release, now=day.timestamp())
    key = get_result(report, "release.key")
    assert (key.outcome, key.summary) == (Outcome.WARN, summary)


@pytest.mark.parametrize(
    ("name", "summary"),
    [
        ("sig-404", "There was nothing to check."),
        ("wrong-key", "No registered key signed this release, so there is no key to check."),
    ],
)
def test_key_is_called_unregistered_only_if_the_signature_was_read(verify_published, name, summary):
    key = get_result(verify_published((faults.INSTALL | faults.QUERY)[name](name)), "release.key")
    assert (key.outcome, key.summary) == (Outcome.NOT_RUN, summary)


def test_expiring_subkey_is_a_warning(verify_published):
    release = Release("subkey-ends", signer="short-subkey", keys=("short-subkey",))
    key = get_result(verify_published(release, now=datetime(2026, 4, 20, tzinfo=UTC).timestamp()), "release.key")
    assert (key.outcome, key.summary) == (Outcome.WARN, "The key expires within 30 days, on 2026-05-01.")


def test_manifest_replaced_after_signing_fails_the_protocols(verify_published):
    def replace_manifest(release, release_files):
        release_files[f"{release.prefix}_manifest.json"] += b" "

    report = verify_published(Release("manifest", change_files=replace_manifest))
    assert get_problems(report) == {"protocols": "fail"}


def test_newest_stable_version_is_verified_by_default(registry, verify_published):
    for version in ("1.0.0", "1.10.0", "1.9.0", "2.0.0-rc1"):
        registry.publish(Release("many", version=version))
    assert verify_published(Release("many", version="0.9.0"), version="").release.version == "1.10.0"


def test_each_file_is_requested_once(registry, verify_published):
    registry.requested_paths.clear()
    verify_published(Release("once", platforms=PLATFORMS))
    assert len(registry.requested_paths) == len(set(registry.requested_paths))
    # discovery, versions, package and archive of each platform, checksums, signature, and manifest
    assert len(registry.requested_paths) == 1 + 1 + 2 * len(PLATFORMS) + 2 + 1


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
def test_discovery_document_sets_the_base_path(registry, monkeypatch, document, base):
    monkeypatch.setitem(registry.routes, "/.well-known/terraform.json", document)
    registry.requested_paths.clear()
    RegistryProtocol(registry.url, OutboundClient(loopback=True)).get_versions("acme", "rocket")
    assert registry.requested_paths == ["/.well-known/terraform.json", f"{base}acme/rocket/versions"]


def test_no_check_passes_without_network():
    protocol = RegistryProtocol("http://127.0.0.1:1", OutboundClient(loopback=True))
    report = verify(ReleaseReader(protocol, "acme", "rocket", NOW), "1.0.0")
    assert {str(result.outcome) for result in report.results.values()} == {"error", "not_run"}
    assert (report.outcome, report.terraform.accepts, report.terraform.outage) == (Outcome.ERROR, False, True)


def test_download_from_a_private_address_is_refused(verify_published):
    report = verify_published(Release("inside", package={"download_url": "https://10.0.0.1/x.zip"}))
    archive = get_result(report, "release.archive")
    assert (archive.outcome, archive.summary) == (Outcome.FAIL, "10.0.0.1 is a private address. Use a public host.")
    assert report.terraform.accepts is None


@pytest.mark.parametrize(
    ("field", "which"),
    [
        ("download_url", "download"),
        ("shasums_url", "SHASUMS"),
        ("shasums_signature_url", "SHASUMS signature"),
    ],
)
def test_url_that_cannot_be_parsed_is_refused(verify_published, field, which):
    report = verify_published(Release(field.replace("_", "-"), package={field: "https://["}))
    assert report.terraform.message == f"registry response includes invalid {which} URL"
    assert report.outcome == Outcome.FAIL


def test_version_0_0_0_is_never_installed(verify_published):
    decision = verify_published(Release("zero", version="0.0.0"), version="0.0.0").terraform
    assert (decision.verdict, "no available releases match" in decision.message) == ("refuse", True)
