"""Tests that faults cover the recorded behavior of Terraform, and that the portal predicts it.

Keys describe what Terraform refuses or accepts; values are the faults of such releases.
"""

import pytest

from tests.verification.releases import faults

FAULTS = {**faults.INSTALL, **faults.CRASH, **faults.QUERY, **faults.VERSIONS}
REFUSED_CASES = {
    "the archive was changed": ("zip-changed",),
    "the registry's checksum is not that of the list": ("shasum-other",),
    "the archive is not in the list": ("zip-missing-in-sums", "sums-empty", "filename-other"),
    "the list is in binary mode": ("sums-binary-mode",),
    "signed by another key": ("wrong-key",),
    "no key is listed": ("no-keys",),
    "the signature is corrupt": ("signature-bit-flipped", "signature-truncated"),
    "the list was changed after it was signed": ("sums-changed", "dsa-tampered", "sha1-tampered", "weak-key-tampered"),
    "the signature is armored or missing": ("signature-armored", "signature-text", "signature-empty", "signature-html"),
    "the key is not armored": ("key-not-armored", "key-empty", "key-truncated", "key-not-base64"),
    "the key is revoked": ("revoked",),
    "the platform is missing": ("package-404",),
    "only unsupported protocols": ("protocols-4", "protocols-7", "version-4", "version-7"),
    "the program is missing or another provider's": ("binary-missing", "binary-of-other-provider"),
    "the archive is not a ZIP file": ("not-a-zip", "zip-truncated"),
    "the list cannot be downloaded": ("sums-404", "sums-403", "sums-500"),
    "the signature cannot be downloaded": ("sig-404",),
    "the archive cannot be downloaded": ("zip-404", "zip-403", "zip-500"),
    "the version is invalid": ("version-v1", "version-text"),
    "there are no versions": ("versions-empty", "versions-null"),
    "the response is not JSON": ("versions-html", "package-html"),
    "the package is for another platform": ("arch-other", "os-other"),
    "the provider is unknown": ("versions-404",),
    "an outage": ("versions-500", "versions-429", "package-500"),
    "a slow response": ("slow",),
    "access is denied": ("versions-401", "versions-403", "package-401"),
    "the trust signature is not armored or not valid": ("trust-not-armored", "trust-by-another", "trust-is-a-key"),
}
ACCEPTED_CASES = {
    "valid releases": ("good", "second-key", "protocol-both", "sha512"),
    "an expired key that signed while it was valid": ("expired-since",),
    "a key that had expired when it signed": ("expired-at-signing",),
    "SHA-1": ("sha1",),
    "weak keys": ("weak-key",),
    "elliptic curves": ("ed25519", "nistp256"),
    "DSA": ("dsa",),
    "a subkey": ("subkey",),
    "a protocol that the program does not speak": ("protocol-6",),
    "uppercase digits and Windows line breaks in the list": ("sums-upper-case", "sums-crlf"),
    "warnings": ("warnings",),
    "a program that no system can start": ("binary-not-executable",),
}


@pytest.mark.parametrize("fault", REFUSED_CASES)
def test_release_that_terraform_refuses_is_refused_with_a_message(verify_published, fault, monkeypatch):
    monkeypatch.setattr("verification.releases.install_simulation.RESPONSE_TIMEOUT_SECONDS", 1.0)
    decisions = {name: verify_published(FAULTS[name](f"t-{name}")).terraform for name in REFUSED_CASES[fault]}
    assert {name for name, decision in decisions.items() if decision.accepts is not False} == set()
    assert all(decision.message for decision in decisions.values())


@pytest.mark.parametrize("fault", ACCEPTED_CASES)
def test_release_that_terraform_accepts_is_accepted(verify_published, fault):
    decisions = {name: verify_published(FAULTS[name](f"t-{name}")).terraform for name in ACCEPTED_CASES[fault]}
    assert {name for name, decision in decisions.items() if decision.accepts is not True} == set()
