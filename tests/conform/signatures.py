"""Verdicts on signatures, checksums and archives compared with Terraform's, and with GnuPG's for signatures."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from tests.conform import signature_references
from tests.conform.base import Disagreement, RunOptions, Suite, SuiteReport
from tests.conform.progress import track
from tests.conform.signature_cases import NAME, VERSION, Case
from tests.conform.signature_differences import explain
from tests.conform.signature_references import HOST, GpgReference, TerraformReference
from tests.conform.signature_vectors import (
    ACCEPTED,
    abbreviate_verdict,
    draw_fuzz_cases,
    load_cases,
    load_fuzz_verdicts,
)
from tests.verification.releases import terraform
from tests.verification.releases.release_registry import ReleaseRegistry
from verification.releases import install_simulation
from verification.releases.artifacts import signatures
from verification.releases.inspection import ReleaseReader
from verification.sources.http.client import OutboundClient
from verification.sources.registry.protocol import RegistryProtocol
from verification.terraform.messages import TerraformDecision

LIVE_SAMPLE = 10  # every tenth case is put to the real Terraform in the short form
REFERENCE = "Terraform 1.11, recorded verdicts and the installed program"
RECORDED_VERDICTS = "recorded verdicts of terraform 1.11.4"

CONTROL = "gpg good SHA256"  # a recorded signature that is sound for everyone


class Portal:
    """The portal's verdicts, by the path that a check takes: over HTTP from a registry."""

    def __init__(self) -> None:
        self.registry = ReleaseRegistry(None)

    def close(self) -> None:
        self.registry.stop()

    def evaluate(self, case: Case) -> TerraformDecision:
        self.registry.routes.update(case.build_responses(self.registry.url, "portal"))
        protocol = RegistryProtocol(self.registry.url, OutboundClient(loopback=True))
        release = ReleaseReader(protocol, "portal", NAME, time.time(), host=HOST).read(VERSION)
        return install_simulation.simulate_installation(release, "linux_amd64")


@contextmanager
def close_at_exit(*references: Portal | TerraformReference) -> Iterator[None]:
    """Close reference implementations after the block."""
    try:
        yield
    finally:
        for reference in references:
            reference.close()


def run(options: RunOptions) -> SuiteReport:
    """Compare the recorded cases with the record, and with the real Terraform where it is installed."""
    recorded_cases = load_cases()
    cases = [case for case, _ in recorded_cases]
    errors = [error for _, error in recorded_cases]
    verdicts = evaluate_with_portal(cases)
    disagreements = compare(cases, verdicts, [abbreviate_verdict(error) for error in errors], RECORDED_VERDICTS)
    step = 1 if options.full else LIVE_SAMPLE
    live = cases[::step] if terraform.is_available() else []
    disagreements += compare(
        live,
        verdicts[: len(live) * step : step],
        [abbreviate_verdict(error) for error in evaluate_with_terraform(live)],
        "terraform init",
    )
    differences, figures = compare_with_gpg(cases if options.full else cases[::LIVE_SAMPLE])
    figures = (("Cases checked by the installed Terraform", f"{len(live):,}"), *figures)
    return SuiteReport(REFERENCE, len(cases), tuple(disagreements + differences), figures=figures)


def fuzz(options: RunOptions) -> SuiteReport:
    """Compare verdicts on mutated releases with Terraform's.

    Where verdicts are recorded for the seed, they decide every case and the installed Terraform a sample; else
    the installed Terraform decides every case.
    """
    mutated_cases, fingerprint = draw_fuzz_cases(options.seed, options.cases)
    fuzz_verdicts = load_fuzz_verdicts(options.seed, options.cases, fingerprint)
    if not terraform.is_available() and not fuzz_verdicts:
        return SuiteReport(
            REFERENCE, 0, not_run="Terraform is not installed, and no verdicts are recorded for this seed"
        )
    verdicts = evaluate_with_portal(mutated_cases)
    disagreements = compare(mutated_cases, verdicts, fuzz_verdicts, RECORDED_VERDICTS) if fuzz_verdicts else []
    step = LIVE_SAMPLE if fuzz_verdicts else 1
    live = mutated_cases[::step] if terraform.is_available() else []
    answers = [abbreviate_verdict(error) for error in evaluate_with_terraform(live)]
    disagreements += compare(live, verdicts[: len(live) * step : step], answers, "terraform init")
    differences, figures = compare_with_gpg(mutated_cases)
    figures = (
        ("Accepted by Terraform", f"{(fuzz_verdicts or answers).count(ACCEPTED):,}"),
        ("Cases checked by the installed Terraform", f"{len(live):,}"),
        *figures,
        *_count_mutations(mutated_cases),
    )
    return SuiteReport(REFERENCE, len(mutated_cases), tuple(disagreements + differences), figures=figures)


def _count_mutations(mutated_cases: Sequence[Case]) -> Iterator[tuple[str, str]]:
    counts = Counter(case.name.rsplit(" ", 1)[1] for case in mutated_cases)
    return ((f"Cases of {name}", f"{count:,}") for name, count in sorted(counts.items()))


def evaluate_with_portal(cases: Sequence[Case]) -> list[TerraformDecision]:
    portal = Portal()
    with close_at_exit(portal):
        return [portal.evaluate(case) for case in track(cases, len(cases), "releases checked by the portal")]


def evaluate_with_terraform(cases: Sequence[Case]) -> list[str]:
    reference = TerraformReference()
    with close_at_exit(reference):
        return reference.evaluate(cases)


def compare(
    cases: Sequence[Case], verdicts: Sequence[TerraformDecision], letters: Sequence[str], reference: str
) -> list[Disagreement]:
    """Return the cases on which the portal and Terraform differ: accepted, refused or crashed."""
    return [
        Disagreement(case.name, f"{verdict.verdict} {verdict.message}".strip(), f"{reference}: {expected_letter}")
        for case, verdict, expected_letter in zip(cases, verdicts, letters, strict=True)
        if abbreviate_decision(verdict) != expected_letter
    ]


def abbreviate_decision(verdict: TerraformDecision) -> str:
    return abbreviate_verdict(verdict.message) if verdict.accepts is False else "a" if verdict.accepts else "?"


def compare_with_gpg(cases: Sequence[Case]) -> tuple[list[Disagreement], tuple[tuple[str, str], ...]]:
    """Return the differences from gpg about signatures that its report does not explain, and the counts of all."""
    if signature_references.GPG is None:
        return [], (("GnuPG", "not run: gpg is not installed"),)
    if failures := check_gpg():
        return failures, ()
    classes = Counter[str]()
    unexplained_cases = []
    for case, gpg in zip(cases, GpgReference().evaluate_all(cases), strict=True):
        verdict = evaluate_signature(case)
        if gpg.is_accepted == bool(verdict.terraform.accepts):
            continue
        reason = explain(case, verdict, gpg)
        classes[reason] += 1
        if not reason:
            unexplained_cases.append(Disagreement(case.name, f"{verdict.kind}", f"gpg: {' '.join(gpg.words)}"))
    explained_counts = tuple((reason, f"{count:,}") for reason, count in classes.most_common() if reason)
    return unexplained_cases, (("Signatures verified with gpg", f"{len(cases):,}"), *explained_counts)


def check_gpg() -> list[Disagreement]:
    """Return what is wrong with gpg as a reference: it must accept a good signature and refuse it over other bytes."""
    good = next(case for case, _ in load_cases() if case.name == CONTROL)
    bad = replace(good, sums=good.sums + b"\n")
    verdicts = GpgReference().evaluate_all([good, bad])
    expected_verdicts = ((True, "GOODSIG"), (False, "BADSIG"))
    return [
        Disagreement(f"Control: {word}", "gpg cannot verify signatures", f"gpg: {' '.join(gpg.words)}")
        for gpg, (is_accepted, word) in zip(verdicts, expected_verdicts, strict=True)
        if gpg.is_accepted != is_accepted or word not in gpg.words
    ]


def evaluate_signature(case: Case) -> signatures.Verdict:
    return signatures.verify_signature(case.sums, case.signature, [key.encode() for key in case.keys], now=time.time())


SUITE = Suite("signatures", "Signatures, checksums, and archives", run)
FUZZER = Suite("signatures-fuzz", "Mutated releases", fuzz, "--fuzz signatures")
