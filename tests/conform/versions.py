"""Version constraints and the choice of a version compared with Terraform.

Verdicts of Terraform 1.11.4 are recorded, so that machines without it compare too. Where Terraform is installed, the
long form also asks it about as many fresh pairs, drawn from the seed.
"""

from collections.abc import Iterable

from tests.conform.base import Disagreement, RunOptions, Suite, SuiteReport
from tests.verification.releases import terraform
from tests.verification.terraform.pairs import Pair, Selection, generate_random_pairs
from tests.verification.terraform.record import PAIRS, read_pairs, read_selections
from tests.verification.terraform.reference import (
    ACCEPTED,
    BAD_CONSTRAINT,
    BAD_VERSION,
    NO_MATCH,
    PANIC,
    evaluate_pairs,
)
from verification.terraform.versions import (
    MAX_VERSION_CHARACTERS as MAX_LENGTH,
    InvalidVersionError,
    parse_constraint,
    parse_version,
)

RECORDED_REFERENCE = "Terraform 1.11.4, recorded verdicts"
LIVE_REFERENCE = "Terraform 1.11.4, recorded verdicts and the installed program"
SHORT_LIVE_PAIRS = 100
AIM = 0.995
TOO_LARGE = "Terraform panics on a version with a number of more than 64 bits. The portal refuses the version"
TOO_LONG = "The portal refuses versions and constraints of more than 200 characters. Terraform has no such limit"
MAX_CASE_LENGTH = 40
LIMIT_PAIRS = (
    Pair("< 100", "18446744073709551615.0.0"),
    Pair("< 100", "18446744073709551616.0.0"),
    Pair(">= 1.0.0", "1.18446744073709551616.0"),
    Pair("< 100", f"1.0.0-{'a' * 300}"),
    Pair(">= 1.0.0", f"1.0.0+{'b' * 200}"),
    Pair("< 100", f"1{'0' * 250}.0.0"),
    Pair(f">= 1.0.0-{'a' * 300}", "1.0.0"),
    Pair(", ".join([">= 1.0.0"] * 30), "1.0.0"),
)
TIE = (
    "Versions that differ only in build metadata have no order. Terraform selects any of them, and can select another "
    "one in the next run. The portal names all of them"
)


def run(options: RunOptions) -> SuiteReport:
    """Compare the recorded verdicts, then fresh ones where Terraform is installed."""
    pairs = read_pairs()
    selections = read_selections()
    recorded_count = len(pairs)
    if terraform.is_available():
        fresh = generate_random_pairs(PAIRS if options.full else SHORT_LIVE_PAIRS, options.seed + 1)
        fresh += LIMIT_PAIRS
        pairs += zip(fresh, evaluate_pairs(fresh), strict=True)
    disagreements = [*compare_pairs(pairs), *compare_selections(selections)]
    figures = (
        ("Recorded pairs", f"{recorded_count:,}"),
        ("Pairs checked by the installed Terraform", f"{len(pairs) - recorded_count:,}"),
        ("Lists of versions", str(len(selections))),
    )
    reference = LIVE_REFERENCE if terraform.is_available() else RECORDED_REFERENCE
    return SuiteReport(reference, len(pairs) + len(selections), tuple(disagreements), figures=figures, aim=AIM)


def fuzz(options: RunOptions) -> SuiteReport:
    """Compare random pairs with the installed Terraform."""
    if not terraform.is_available():
        return SuiteReport(LIVE_REFERENCE, 0, not_run="Terraform is not installed")
    pairs = generate_random_pairs(options.cases, options.seed)
    disagreements = compare_pairs(zip(pairs, evaluate_pairs(pairs), strict=True))
    return SuiteReport("The installed Terraform", options.cases, tuple(disagreements))


def compare_pairs(answers: Iterable[tuple[Pair, str]]) -> Iterable[Disagreement]:
    for pair, verdict in answers:
        answer = evaluate_pair(pair)
        if answer != verdict:
            case = f"{shorten(pair.constraint)!r} on {shorten(pair.version)!r}"
            yield Disagreement(case, answer, verdict, explain(pair, answer, verdict))


def shorten(text: str) -> str:
    """Return a text as a table shows it."""
    return text if len(text) <= MAX_CASE_LENGTH else f"{text[:MAX_CASE_LENGTH]}… ({len(text)} characters)"


def explain(pair: Pair, answer: str, verdict: str) -> str:
    """Return the documented class of a difference, or an empty text."""
    if verdict == PANIC and answer == BAD_VERSION:
        return TOO_LARGE
    refused_text = {BAD_VERSION: pair.version, BAD_CONSTRAINT: pair.constraint}.get(answer, "")
    return TOO_LONG if len(refused_text) > MAX_LENGTH else ""


def evaluate_pair(pair: Pair) -> str:
    """Return the portal's verdict in the reference's words."""
    try:
        constraint = parse_constraint(pair.constraint)
    except InvalidVersionError:
        return BAD_CONSTRAINT
    try:
        return ACCEPTED if constraint.allows(parse_version(pair.version)) else NO_MATCH
    except InvalidVersionError:
        return BAD_VERSION


def compare_selections(answers: Iterable[tuple[Selection, str]]) -> Iterable[Disagreement]:
    for selection, chosen_version in answers:
        versions = map(parse_version, selection.versions)
        best = [str(version) for version in parse_constraint(selection.constraint).find_ties(versions)]
        if best != ([chosen_version] if chosen_version else []):
            case = f"{selection.constraint!r} on {', '.join(selection.versions)}"
            yield Disagreement(
                case, " or ".join(best) or "none", chosen_version or "none", TIE if chosen_version in best else ""
            )


SUITE = Suite("versions", "Version constraints and order", run)
FUZZER = Suite("versions-fuzz", "Random version constraints", fuzz, "--fuzz versions")
