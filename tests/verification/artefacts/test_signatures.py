from datetime import UTC, date, datetime

import pytest

from tests.conform.signature_cases import Case
from tests.conform.signature_judges import GpgJudge
from tests.verification.artefacts.signed import ARMOUR, CASES, DOCUMENT
from verification.artefacts import signatures
from verification.artefacts.signatures import Class, judge
from verification.base import Outcome

NO_TAG = "openpgp: invalid data: tag byte does not have MSB set"
BASE64 = "illegal base64 data at input byte "
NOW = datetime(2026, 11, 1, tzinfo=UTC).timestamp()


def verdict(keyring, case):
    keys = [keyring.export(name) for name in case.keys]
    return judge(case.document, case.make(keyring), keys, now=NOW)


@pytest.mark.parametrize("name", CASES)
def test_signature(keyring, name):
    case = CASES[name]
    found = verdict(keyring, case)
    assert found.kind == case.kind
    if case.terraform is not None:
        assert (found.terraform.accepts, found.terraform.message) == (case.terraform == "", case.terraform)
    assert found.summary.endswith(".")


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.keys])
def test_tampered_is_what_gpg_calls_bad(keyring, name):
    case = CASES[name]
    keys = tuple(keyring.export(key).decode() for key in case.keys)
    words = GpgJudge().judge(Case(name, case.make(keyring), keys, sums=case.document)).words
    found = verdict(keyring, case)
    assert (found.kind == Class.TAMPERED) == ("BADSIG" in words)
    if found.outcome in (Outcome.PASS, Outcome.WARN):
        assert "VALIDSIG" in words


def test_signature_that_sequoia_verifies_is_not_called_tampered(keyring, monkeypatch):
    monkeypatch.setattr("verification.artefacts.keyrings.holds", lambda *_: False)
    found = verdict(keyring, CASES["RSA"])
    assert (found.kind, found.outcome) == (Class.DISPUTED, Outcome.FAIL)


@pytest.mark.parametrize(
    ("armored", "message"),
    [
        (b"", "error decoding signing key: openpgp: invalid argument: no armored data found"),
        (b"no armour", "error decoding signing key: openpgp: invalid argument: no armored data found"),
        (f"{ARMOUR}\n\nmQENBF".encode(), "error decoding signing key: unexpected EOF"),
        (f"{ARMOUR}\n\n!!!!\n-----END PGP PUBLIC KEY BLOCK-----\n".encode(), f"error decoding signing key: {BASE64}"),
        (f"{ARMOUR}\n\nAAAA\n-----END PGP PUBLIC KEY BLOCK-----\n".encode(), f"error decoding signing key: {NO_TAG}"),
    ],
)
def test_key_that_cannot_be_read(keyring, armored, message):
    found = judge(DOCUMENT, keyring.sign("good", DOCUMENT), [armored, keyring.export("good")], now=NOW)
    assert (found.kind, found.outcome) == (Class.UNREADABLE_KEY, Outcome.FAIL)
    assert (found.terraform.accepts, found.terraform.message) == (False, message)


def test_block_of_several_keys_is_searched(keyring):
    block = keyring.gpg("--armor", "--export", "=other <other@acme.example>", "=good <good@acme.example>")
    found = judge(DOCUMENT, keyring.sign("good", DOCUMENT), [block], now=NOW)
    assert (found.kind, found.signer.fingerprint) == (Class.GOOD, keyring.fingerprint("good"))


def test_verdict_says_what_was_looked_at(keyring):
    found = verdict(keyring, CASES["expired since"])
    assert found.signer.label == "RSA 2048"
    assert found.certificate.user_ids == ("expired <expired@acme.example>",)
    assert found.certificate.expires_at.date() == date(2026, 1, 31)
    assert found.signature.digest == "sha512"


def test_every_class_has_a_case_and_a_sentence():
    assert set(signatures.SENTENCES) == set(Class)
    assert {case.kind for case in CASES.values()} | {
        Class.DISPUTED,
        Class.UNREADABLE_KEY,
        Class.NOT_FOR_SIGNING,
    } == set(Class)
    assert len(CASES) >= 40
