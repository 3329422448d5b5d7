"""Tests that the table lists every fault that Terraform answers in its own way or lets pass.

The left side is what was measured of the real client; the right side names the releases that are made so.
"""

import pytest

from tests.verification.releases import faults

EVERY = {**faults.INSTALL, **faults.CRASH, **faults.QUERY, **faults.VERSIONS}
REFUSED_CASES = {
    "the archive was changed": ("zip-changed",),
    "the registry's checksum is not that of the list": ("shasum-other",),
    "the archive is not in the list": ("zip-missing-in-sums", "sums-empty", "filename-other"),
    "the list is in binary mode": ("sums-binary-mode",),
    "signed by another key": ("wrong-key",),
    "no key is listed": ("no-keys",),
    "the signature is corrupt": ("signature-flipped", "signature-cut"),
    "the list was changed after it was signed": ("sums-changed", "dsa-tampered", "sha1-tampered", "weak-key-tampered"),
    "the signature is armoured, or none": ("signature-armoured", "signature-text", "signature-empty", "signature-page"),
    "the key is not armoured": ("key-no-armour", "key-empty", "key-cut", "key-no-base64"),
    "the key is revoked": ("revoked",),
    "the platform is missing": ("package-404",),
    "another protocol only": ("protocols-4", "protocols-7", "version-4", "version-7"),
    "no program, or another's": ("binary-missing", "binary-of-another"),
    "no zip": ("no-zip", "zip-cut"),
    "the list cannot be had": ("sums-404", "sums-403", "sums-500"),
    "the signature cannot be had": ("sig-404",),
    "the archive cannot be had": ("zip-404", "zip-403", "zip-500"),
    "a version that is none": ("version-v1", "version-text"),
    "no versions": ("versions-empty", "versions-null"),
    "no JSON": ("versions-page", "package-page"),
    "another platform than was asked for": ("arch-other", "os-other"),
    "an unknown provider": ("versions-404",),
    "an outage": ("versions-500", "versions-429", "package-500"),
    "a slow answer": ("slow",),
    "no access": ("versions-401", "versions-403", "package-401"),
    "the trust signature is not armoured, or does not hold": ("trust-no-armour", "trust-by-another", "trust-is-a-key"),
}
ACCEPTED_CASES = {
    "sound releases": ("good", "second-key", "protocol-both", "sha512"),
    "an expired key that signed while it was valid": ("expired-since",),
    "a key that had expired when it signed": ("expired-at-signing",),
    "SHA-1": ("sha1",),
    "weak keys": ("weak-key",),
    "elliptic curves": ("ed25519", "nistp256"),
    "DSA": ("dsa",),
    "a subkey": ("subkey",),
    "another protocol than the program speaks": ("protocol-6",),
    "capitals and Windows line ends in the list": ("sums-upper-case", "sums-crlf"),
    "warnings": ("warnings",),
    "a program that no system starts": ("binary-no-executable",),
}


@pytest.mark.parametrize("fault", REFUSED_CASES)
def test_what_terraform_refuses_is_in_the_table_and_is_refused(verify_published, fault, monkeypatch):
    monkeypatch.setattr("verification.releases.install_simulation.RESPONSE_TIMEOUT_SECONDS", 1.0)
    judgements_by_name = {name: verify_published(EVERY[name](f"t-{name}")).terraform for name in REFUSED_CASES[fault]}
    assert {name for name, judgement in judgements_by_name.items() if judgement.accepts is not False} == set()
    assert all(judgement.message for judgement in judgements_by_name.values())


@pytest.mark.parametrize("fault", ACCEPTED_CASES)
def test_what_terraform_lets_pass_is_in_the_table_and_is_accepted(verify_published, fault):
    judgements_by_name = {name: verify_published(EVERY[name](f"t-{name}")).terraform for name in ACCEPTED_CASES[fault]}
    assert {name for name, judgement in judgements_by_name.items() if judgement.accepts is not True} == set()
