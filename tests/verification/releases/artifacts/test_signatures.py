"""Tests of the verdicts on signatures."""

import struct
import tracemalloc
from datetime import UTC, date, datetime

import pytest

from tests.conform.signature_cases import Case
from tests.conform.signature_mutations import add_armor
from tests.conform.signature_references import GpgReference
from tests.verification.releases.artifacts import openpgp
from tests.verification.releases.artifacts.signature_cases import ARMOR, CASES, DOCUMENT
from verification.outcomes import Outcome
from verification.releases.artifacts import digest_verification, signatures
from verification.releases.artifacts.digest_verification import SignatureResult
from verification.releases.artifacts.packets import PacketReader, read_key
from verification.releases.artifacts.signature_packets import Signature, read_packets
from verification.releases.artifacts.signatures import SignatureClass, verify_signature

NO_TAG = "openpgp: invalid data: tag byte does not have MSB set"
BASE64 = "illegal base64 data at input byte "
NOW = datetime(2026, 11, 1, tzinfo=UTC).timestamp()


def evaluate_case(keyring, case):
    keys = [keyring.export(name) for name in case.keys]
    return verify_signature(case.document, case.sign(keyring), keys, now=NOW)


@pytest.mark.parametrize("name", CASES)
def test_signature_has_its_class_and_terraforms_error(keyring, name):
    case = CASES[name]
    verdict = evaluate_case(keyring, case)
    assert verdict.kind == case.kind
    if case.terraform is not None:
        assert (verdict.terraform.accepts, verdict.terraform.message) == (
            case.terraform == "",
            case.terraform,
        )
    assert verdict.summary.endswith(".")


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.keys])
def test_signature_is_tampered_exactly_if_gpg_calls_it_bad(keyring, name):
    case = CASES[name]
    keys = tuple(keyring.export(key).decode() for key in case.keys)
    words = GpgReference().evaluate(Case(name, case.sign(keyring), keys, sums=case.document)).words
    verdict = evaluate_case(keyring, case)
    assert (verdict.kind == SignatureClass.TAMPERED) == ("BADSIG" in words)
    if verdict.outcome in (Outcome.PASS, Outcome.WARN):
        assert "VALIDSIG" in words


def test_failed_signature_that_sequoia_verifies_is_disputed(keyring, monkeypatch):
    monkeypatch.setattr("verification.releases.artifacts.keyrings.verify_document", lambda *_: SignatureResult.INVALID)
    verdict = evaluate_case(keyring, CASES["RSA"])
    assert (verdict.kind, verdict.outcome) == (SignatureClass.DISPUTED, Outcome.FAIL)


@pytest.mark.parametrize(
    ("armored_key", "message"),
    [
        (b"", "error decoding signing key: openpgp: invalid argument: no armored data found"),
        (b"no armor", "error decoding signing key: openpgp: invalid argument: no armored data found"),
        (f"{ARMOR}\n\nmQENBF".encode(), "error decoding signing key: unexpected EOF"),
        (f"{ARMOR}\n\n!!!!\n-----END PGP PUBLIC KEY BLOCK-----\n".encode(), f"error decoding signing key: {BASE64}"),
        (f"{ARMOR}\n\nAAAA\n-----END PGP PUBLIC KEY BLOCK-----\n".encode(), f"error decoding signing key: {NO_TAG}"),
    ],
)
def test_unreadable_key_fails_with_terraforms_error(keyring, armored_key, message):
    verdict = verify_signature(DOCUMENT, keyring.sign("good", DOCUMENT), [armored_key, keyring.export("good")], now=NOW)
    assert (verdict.kind, verdict.outcome) == (SignatureClass.UNREADABLE_KEY, Outcome.FAIL)
    assert (verdict.terraform.accepts, verdict.terraform.message) == (False, message)


def test_signer_is_found_in_a_block_of_several_keys(keyring):
    block = keyring.run_gpg("--armor", "--export", "=other <other@acme.example>", "=good <good@acme.example>")
    verdict = verify_signature(DOCUMENT, keyring.sign("good", DOCUMENT), [block], now=NOW)
    assert (verdict.kind, verdict.signer.fingerprint) == (
        SignatureClass.GOOD,
        keyring.fingerprint("good"),
    )


def test_verdict_has_the_key_the_certificate_and_the_digest(keyring):
    verdict = evaluate_case(keyring, CASES["expired since"])
    assert verdict.signer.label == "RSA 2048"
    assert verdict.certificate.user_ids == ("expired <expired@acme.example>",)
    assert verdict.certificate.expires_at.date() == date(2026, 1, 31)
    assert verdict.signature.digest == "sha512"


def evaluate_built_signature(signature=None, key=None):
    keys = [add_armor(key or openpgp.build_key()).encode()]
    return verify_signature(DOCUMENT, openpgp.sign(DOCUMENT) if signature is None else signature, keys, now=NOW)


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({}, SignatureClass.GOOD),
        ({"digest": 12}, SignatureClass.UNSUPPORTED),
        ({"digest": 14}, SignatureClass.UNSUPPORTED),
        ({"change": lambda number: b"\0\0"}, SignatureClass.MALFORMED),
        ({"change": lambda number: b"\x08\x34" + b"\x0f" * 263}, SignatureClass.MALFORMED),
        ({"change": lambda number: number[:-1] + bytes([number[-1] ^ 1])}, SignatureClass.TAMPERED),
        ({"kind": 0x10}, SignatureClass.OTHER_PURPOSE),
        ({"kind": 0x02}, SignatureClass.OTHER_PURPOSE),
    ],
)
def test_only_a_wrong_integer_is_tampered(options, kind):
    verdict = evaluate_built_signature(openpgp.sign(DOCUMENT, **options))
    assert verdict.kind == kind
    assert verdict.terraform.accepts is (kind == SignatureClass.GOOD)


LARGE_NUMBER = 1 << 4095 | 1


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (openpgp.build_key_body(1 << 16384 | 1, 65537), "an RSA key has more than 16384 bits"),
        (
            openpgp.build_key_body(LARGE_NUMBER, LARGE_NUMBER, 2, 3, algorithm=17),
            "a DSA key has more than 4096 bits",
        ),
        (
            openpgp.build_key_body(LARGE_NUMBER << 8, 1 << 255, 2, 3, algorithm=17),
            "a DSA key has more than 4096 bits",
        ),
    ],
)
def test_oversized_key_is_not_verified(body, reason):
    verdict = evaluate_built_signature(openpgp.sign(DOCUMENT, body=body), openpgp.build_key(body))
    assert (verdict.kind, verdict.terraform.accepts) == (SignatureClass.UNSUPPORTED_KEY, None)
    assert verdict.terraform.message.startswith(f"Not decided: {reason}")


@pytest.mark.parametrize(
    ("certifications", "kind"), [(500, SignatureClass.GOOD), (501, SignatureClass.UNSUPPORTED_KEY)]
)
def test_key_with_more_than_500_certifications_is_unsupported(certifications, kind):
    assert evaluate_built_signature(key=openpgp.build_key(certifications=certifications)).kind == kind


def test_keys_of_more_than_a_mebibyte_are_unsupported():
    assert verify_signature(DOCUMENT, b"", [b" " * 1024 * 1024, b" "], now=NOW).kind == SignatureClass.UNSUPPORTED_KEY


# the library cryptography refuses keys of 1,280 bits, which FIPS 186-4 doesn't define
DSA_P = int(
    "ecc7edb6e27b016c92d269e2c79ae7eeeb2f3a546115f9972326b6af51a27873f89cae5e64857d5d40582de274073392a4d9"
    "e8c225940c208e296189b9d909b571b10d2986902abd4c4f1de3d948551c10aa1f5b352812faccab5f9e270aac95ca214ed6"
    "5394bc67b02aba81a62314c5d0c74ec08356465e597d22a4b30a48fa1a3417a2cb83d71eb22e9d2868ce31eb4b4ce48b5b13"
    "922eb3517a5cee95e18f",
    16,
)
DSA_Q = 0xF979D04AF47AEBDD597A1ECFFCF00FECB91EE9E5EFE09F07CEFE2A1F
DSA_G = pow(2, (DSA_P - 1) // DSA_Q, DSA_P)


@pytest.mark.parametrize(
    ("digest", "result"), [(b"a" * 32, SignatureResult.VALID), (b"b" * 32, SignatureResult.INVALID)]
)
def test_dsa_key_of_an_unusual_size_is_verified(digest, result):
    secret = 1234567
    nonce = 7654321
    r = pow(DSA_G, nonce, DSA_P) % DSA_Q
    s = pow(nonce, -1, DSA_Q) * (int.from_bytes(b"a" * 28) + secret * r) % DSA_Q
    numbers = (DSA_P, DSA_Q, DSA_G, pow(DSA_G, secret, DSA_P))
    body = openpgp.build_key_body(*numbers, algorithm=17)
    key = read_key(PacketReader(body), is_subkey=False)
    signature = Signature(0, 17, "sha256", b"", numbers=(r.to_bytes(28), s.to_bytes(28)))
    assert digest_verification.verify_digest(key, signature, digest) == result
    signature.numbers = (b"", s.to_bytes(28))
    assert digest_verification.verify_digest(key, signature, digest) == SignatureResult.MALFORMED


def embed(signature):
    """Return the body of a signature that has another one in a subpacket."""
    size = len(signature) + 1
    length = bytes([size]) if size < 192 else struct.pack(">H", size - 192 + (192 << 8))
    area = length + b"\x20" + signature
    return b"\x04\x00\x01\x08" + struct.pack(">H", len(area)) + area


def test_signature_with_many_nested_signatures_is_malformed():
    body = b""
    while len(body) < 4080:
        body = embed(body)
    assert evaluate_built_signature(openpgp.write_packet(2, body)).kind == SignatureClass.MALFORMED


def test_partial_lengths_take_no_memory_of_their_own():
    data = b"\xd4" + b"\xe0x" * 200_000 + b"\x00"  # a packet in parts of one byte
    tracemalloc.start()
    try:
        packets = list(read_packets(data))
        assert (len(packets), tracemalloc.get_traced_memory()[1] < 2 * len(data)) == (1, True)
    finally:
        tracemalloc.stop()


def test_every_class_has_a_case_and_a_summary():
    assert set(signatures.SENTENCES) == set(SignatureClass)
    assert {case.kind for case in CASES.values()} | {
        SignatureClass.DISPUTED,
        SignatureClass.UNREADABLE_KEY,
        SignatureClass.UNSUPPORTED_KEY,
        SignatureClass.OTHER_PURPOSE,
        SignatureClass.NOT_FOR_SIGNING,
    } == set(SignatureClass)
    assert len(CASES) >= 40
