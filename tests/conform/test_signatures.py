"""Tests of the signature suite's short form, without Terraform."""

from dataclasses import replace

import pytest

from tests.conform import signature_references, signature_vectors, signatures
from tests.conform.base import RunOptions
from tests.conform.signature_cases import Case
from tests.conform.signature_differences import CRITICAL, NO_LENGTH, explain
from tests.conform.signature_mutations import add_armor, remove_armor
from tests.conform.signature_references import GpgVerdict
from tests.conform.signature_vectors import (
    RECORDED_CASES,
    RECORDED_SEED,
    draw_fuzz_cases,
    load_cases,
    load_fuzz_verdicts,
)
from verification.releases.artifacts.signatures import SignatureClass

pytestmark = pytest.mark.any_database
SAMPLE = 250
# Terraform has the same words for signatures that cannot be computed
INAPPLICABLE = {
    f"listed built {name}"
    for name in ("RSA with SHA3-256", "RSA with SHA3-512", "integer of length 0", "integer longer than the modulus")
}


def test_signature_is_tampered_only_if_its_digest_verification_fails() -> None:
    tampered_cases = set()
    failing_cases = set()
    for case, error in load_cases():
        if signatures.evaluate_signature(case).kind == SignatureClass.TAMPERED:
            tampered_cases.add(case.name)
        if "verification failure" in error and case.name not in INAPPLICABLE:
            failing_cases.add(case.name)
    assert tampered_cases == failing_cases


def test_sound_signatures_by_go_libraries_are_accepted() -> None:
    refusals = [
        case.name
        for case, error in load_cases()
        if case.name.startswith("go ") and not error and not signatures.evaluate_signature(case).terraform.accepts
    ]
    assert refusals == []


def test_mutated_releases_have_the_recorded_verdicts() -> None:
    step = RECORDED_CASES // SAMPLE
    sample, fingerprint = draw_fuzz_cases(RECORDED_SEED, RECORDED_CASES, step)
    letters = load_fuzz_verdicts(RECORDED_SEED, RECORDED_CASES, fingerprint)
    verdicts = signatures.evaluate_with_portal(sample)
    assert signatures.compare(sample, verdicts, letters[::step], "recorded") == []


@pytest.mark.parametrize("program", ["/bin/true", "/bin/false"])
def test_program_that_verifies_nothing_is_reported(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    monkeypatch.setattr(signature_references, "GPG", program)
    disagreements, figures = signatures.compare_with_gpg([case for case, _ in load_cases()][:3])
    assert [one.case for one in disagreements] == ["Control: GOODSIG", "Control: BADSIG"]
    assert figures == ()


def test_difference_without_evidence_is_not_explained() -> None:
    explained_cases = [
        case.name
        for case, error in load_cases()[::5]
        if explain(case, signatures.evaluate_signature(case), GpgVerdict(bool(error), (), (), ""))
    ]
    assert explained_cases == []


DERIVATION = bytes.fromhex("03010a09c2bb")  # of the recorded ECDH subkey, and the head of the packet behind it
PASSED_OVER = "error decoding signing key: openpgp: invalid data: user ID signature with wrong type"
VERIFIED = "error decoding signing key: openpgp: invalid data: subkey signature invalid"


@pytest.mark.parametrize(
    ("changed_derivation", "message"),
    [
        ("03010a09", ""),
        ("03010809", VERIFIED),  # SHA-256
        ("03010a07", VERIFIED),  # AES-128
        ("03020a09", PASSED_OVER),
        ("03010209", PASSED_OVER),  # SHA-1
        ("03010a01", PASSED_OVER),  # IDEA
        ("02010a09", PASSED_OVER),
        ("01010a09", PASSED_OVER),
    ],
)
def test_subkey_with_unknown_key_derivation_is_passed_over(changed_derivation: str, message: str) -> None:
    """Terraform 1.11.4 has these messages. The signature of a subkey that it passes over follows a user ID."""
    case = next(case for case, _ in load_cases() if case.name == "go ProtonMail P521 sha224-a")
    changed_bytes = bytes.fromhex(changed_derivation) + DERIVATION[4:]
    key = add_armor(remove_armor(case.keys[0]).replace(DERIVATION, changed_bytes))
    verdict = signatures.evaluate_signature(replace(case, keys=(key,)))
    assert verdict.terraform.message == message


def _replace_first(case_name: str, old: bytes, new: bytes) -> Case:
    """Return a recorded case with other bytes in its signature."""
    case = next(case for case, _ in load_cases() if case.name == case_name)
    assert old in case.signature[:70]
    return replace(case, signature=case.signature.replace(old, new, 1))


@pytest.mark.parametrize(
    ("case_name", "old", "new", "reason"),
    [
        ("gpg ed25519 SHA256", b"\x88\x8b\x04", b"\x8b\x04", NO_LENGTH),
        ("go ProtonMail rsa3072 sha224-a", b"\xc2\xc0\xf3\x04", b"\xc2\xf3\x04", NO_LENGTH),
        ("gpg dsa SHA256", b"\x0a\x09\x10", b"\x0a\x09\xea", CRITICAL),
    ],
)
def test_sound_signature_that_only_gpg_refuses_is_explained(
    case_name: str, old: bytes, new: bytes, reason: str
) -> None:
    """Terraform 1.11.4 installs these releases."""
    changed_case = _replace_first(case_name, old, new)
    assert signatures.evaluate_signature(changed_case).terraform.accepts
    differences, figures = signatures.compare_with_gpg([changed_case])
    assert differences == []
    assert figures[1] == (reason, "1")


def test_fuzzer_without_terraform_and_record_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.verification.releases.terraform.TERRAFORM", None)
    monkeypatch.setattr(signature_vectors, "FUZZ_VERDICTS_FILE", signature_vectors.DATA / "missing.json")
    report = signatures.fuzz(RunOptions(seed=2, cases=3))
    assert report.cases == 0
    assert report.not_run.startswith("Terraform is not installed")
