from datetime import UTC, datetime

import pytest

from tests.verification.artefacts.signed import ARMOUR, CASES, DOCUMENT
from verification.artefacts import gpg, signatures
from verification.artefacts.gpg import Status
from verification.artefacts.signatures import Class, judge
from verification.base import Outcome

BASE64 = "illegal base64 data at input byte "
NOW = datetime(2026, 11, 1, tzinfo=UTC).timestamp()


def verdict(keyring, case, **options):
    keys = [keyring.export(name) for name in case.keys]
    return judge(case.document, case.make(keyring), keys, now=NOW, **options)


@pytest.mark.parametrize("name", CASES)
def test_signature(keyring, name):
    case = CASES[name]
    found = verdict(keyring, case)
    assert found.kind == case.kind
    if case.terraform is not None:
        assert (found.terraform.accepts, found.terraform.message) == (case.terraform == "", case.terraform)
    assert found.summary.endswith(".")


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.keys])
def test_signature_agrees_with_gpg(keyring, name):
    """gpg is the oracle: whatever it calls bad is a fault here, and whatever is good here it calls good."""
    case = CASES[name]
    key = b"".join(keyring.export(key) for key in case.keys)
    said = gpg.ask(case.document, case.make(keyring), key)
    found = verdict(keyring, case)
    if found.outcome in (Outcome.PASS, Outcome.WARN):
        assert said.signed is True
        assert said.fingerprint == found.signer.fingerprint
    if said.signed is False:
        assert found.kind == Class.TAMPERED
    if found.kind == Class.TAMPERED:
        assert said.signed is False


def test_without_gpg_faults_stay_faults_and_terraform_stays_open(keyring):
    """The program's verdict does not hang on gpg; what Terraform would say is then open where policy hides it."""
    opened = set()
    for name, case in CASES.items():
        found = verdict(keyring, case, ask=lambda *_: Status(None))
        expected = verdict(keyring, case)
        assert (found.outcome, name) == (expected.outcome, name)
        if found.terraform.accepts is None and expected.terraform.accepts is not None:
            opened.add(name)
        else:
            assert found.terraform == expected.terraform
    assert opened == {
        "expired at signing", "revoked", "expired signature", "expired key and signature", "SHA-1", "RSA 1024",
        "changed, SHA-1", "changed, RSA 1024", "changed, revoked", "changed, outlived",
    }  # fmt: skip


def test_gpg_that_disagrees_is_a_fault(keyring):
    case = CASES["document changed"]
    key = keyring.fingerprint("good")
    found = verdict(keyring, case, ask=lambda *_: Status(True, key, ("GOODSIG", "VALIDSIG")))
    assert (found.kind, found.outcome) == (Class.DISPUTED, Outcome.FAIL)


def test_gpg_that_names_another_key_does_not_count(keyring):
    found = verdict(keyring, CASES["SHA-1"], ask=lambda *_: Status(True, "A" * 40, ("GOODSIG", "VALIDSIG")))
    assert found.kind == Class.TAMPERED


@pytest.mark.parametrize(
    ("armoured", "message"),
    [
        (b"", "error decoding signing key: openpgp: invalid argument: no armored data found"),
        (b"no armour", "error decoding signing key: openpgp: invalid argument: no armored data found"),
        (f"{ARMOUR}\n\nmQENBF".encode(), "error decoding signing key: unexpected EOF"),
        (f"{ARMOUR}\n\n!!!!\n-----END PGP PUBLIC KEY BLOCK-----\n".encode(), f"error decoding signing key: {BASE64}"),
        (f"{ARMOUR}\n\nAAAA\n-----END PGP PUBLIC KEY BLOCK-----\n".encode(), None),
    ],
)
def test_key_that_cannot_be_read(keyring, armoured, message):
    found = judge(DOCUMENT, keyring.sign("good", DOCUMENT), [armoured, keyring.export("good")], now=NOW)
    assert (found.kind, found.outcome) == (Class.UNREADABLE_KEY, Outcome.FAIL)
    assert found.terraform.accepts is (None if message is None else False)
    assert message in (None, found.terraform.message)


def test_block_of_several_keys_is_searched(keyring):
    block = keyring.gpg("--armor", "--export", "=other <other@acme.example>", "=good <good@acme.example>")
    found = judge(DOCUMENT, keyring.sign("good", DOCUMENT), [block], now=NOW)
    assert (found.kind, found.signer.fingerprint) == (Class.GOOD, keyring.fingerprint("good"))


def test_verdict_says_what_was_looked_at(keyring):
    found = verdict(keyring, CASES["expired since"])
    assert found.signer.shown == "RSA 2048"
    assert found.key.user_ids == ("expired <expired@acme.example>",)
    assert found.key.primary.expires_at == datetime(2026, 1, 31, tzinfo=UTC)
    assert found.signature.digest == "SHA512"


def test_every_class_has_a_case_and_a_sentence():
    assert set(signatures.SENTENCES) == set(Class)
    assert {case.kind for case in CASES.values()} | {Class.DISPUTED, Class.UNREADABLE_KEY} == set(Class)
    assert len(CASES) >= 40


@pytest.mark.parametrize(
    ("output", "signed"),
    [
        ("[GNUPG:] GOODSIG 1 a\n[GNUPG:] VALIDSIG AB 2026 1 0 4 0 1 8 00 AB\n", True),
        ("[GNUPG:] REVKEYSIG 1 a\n[GNUPG:] VALIDSIG AB 2026\n", True),
        ("[GNUPG:] EXPKEYSIG 1 a\n[GNUPG:] VALIDSIG AB 2026\n", True),
        ("[GNUPG:] EXPSIG 1 a\n[GNUPG:] VALIDSIG AB 2026\n", True),
        ("[GNUPG:] GOODSIG 1 a\n", None),
        ("[GNUPG:] VALIDSIG AB 2026\n", None),
        ("[GNUPG:] BADSIG 1 a\n", False),
        ("[GNUPG:] GOODSIG 1 a\n[GNUPG:] VALIDSIG AB\n[GNUPG:] BADSIG 1 a\n", False),
        ("[GNUPG:] ERRSIG 1 1 8 00 1 9\n[GNUPG:] NO_PUBKEY 1\n", None),
        ("gpg: GOODSIG VALIDSIG\n", None),
        ("user id: [GNUPG:] GOODSIG 1\nx [GNUPG:] VALIDSIG AB\n", None),
        ("[GNUPG:] \n[GNUPG:] NODATA 4\n", None),
        ("", None),
    ],
)
def test_status_lines(output, signed):
    assert gpg.read(output).signed is signed


def test_gpg_leaves_nothing_behind(keyring, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert gpg.ask(DOCUMENT, keyring.sign("good", DOCUMENT), keyring.export("good")).signed is True
    assert list(tmp_path.iterdir()) == []


def test_gpg_that_is_not_installed(keyring, monkeypatch):
    monkeypatch.setattr(gpg, "program", lambda: "")
    assert gpg.ask(DOCUMENT, keyring.sign("good", DOCUMENT), keyring.export("good")) == Status(None)
