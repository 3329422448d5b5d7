"""Tests of the signature suite's short form, without Terraform."""

import pytest

from tests.conform import signature_judges, signature_vectors, signatures
from tests.conform.base import RunOptions
from tests.conform.signature_differences import explain
from tests.conform.signature_judges import GpgVerdict
from tests.conform.signature_vectors import RECORDED_CASES, RECORDED_SEED, fuzz_cases, load_cases, load_fuzz_verdicts
from verification.releases.artifacts.signatures import SignatureClass

pytestmark = pytest.mark.any_database
SAMPLE = 250
# Terraform has the same words for signatures that cannot be computed
INAPPLICABLE = {
    f"listed built {name}"
    for name in ("RSA with SHA3-256", "RSA with SHA3-512", "integer of length 0", "integer longer than the modulus")
}


def test_tampered_is_said_only_where_the_arithmetic_fails():
    tampered_cases, failing_cases = set(), set()
    for case, error in load_cases():
        if signatures.judge_signature(case).kind == SignatureClass.TAMPERED:
            tampered_cases.add(case.name)
        if "verification failure" in error and case.name not in INAPPLICABLE:
            failing_cases.add(case.name)
    assert tampered_cases == failing_cases


def test_sound_signatures_by_go_libraries_are_accepted():
    refusals = [
        case.name
        for case, error in load_cases()
        if case.name.startswith("go ") and not error and not signatures.judge_signature(case).terraform.accepts
    ]
    assert refusals == []


def test_mutated_releases_are_judged_as_recorded():
    cases, fingerprint = fuzz_cases(RECORDED_SEED, RECORDED_CASES)
    letters = load_fuzz_verdicts(RECORDED_SEED, RECORDED_CASES, fingerprint)
    step = RECORDED_CASES // SAMPLE
    sample = cases[::step]
    verdicts = signatures.judge_with_portal(sample)
    assert signatures.compare(sample, verdicts, letters[::step], "recorded") == []


@pytest.mark.parametrize("program", ["/bin/true", "/bin/false"])
def test_program_that_judges_nothing_is_no_judge(monkeypatch, program):
    monkeypatch.setattr(signature_judges, "GPG", program)
    disagreements, figures = signatures.compare_with_gpg([case for case, _ in load_cases()][:3])
    assert [one.case for one in disagreements] == ["Control: GOODSIG", "Control: BADSIG"]
    assert figures == ()


def test_difference_without_evidence_is_not_explained():
    explained_cases = [
        case.name
        for case, error in load_cases()[::5]
        if explain(case, signatures.judge_signature(case), GpgVerdict(bool(error), (), (), ""))
    ]
    assert explained_cases == []


def test_fuzzer_without_terraform_and_record_is_not_run(monkeypatch):
    monkeypatch.setattr("tests.verification.releases.terraform.TERRAFORM", None)
    monkeypatch.setattr(signature_vectors, "FUZZ", signature_vectors.DATA / "missing.json")
    report = signatures.fuzz(RunOptions(seed=2, cases=3))
    assert report.cases == 0
    assert report.not_run.startswith("Terraform is not installed")
