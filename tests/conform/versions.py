"""Version constraints and the choice of a version compared with Terraform.

Verdicts of Terraform 1.11.4 are recorded, so that machines without it compare too. Where Terraform is installed, the
long form also asks it about as many fresh pairs, drawn from the seed.
"""

from collections.abc import Iterable

from tests.conform.base import Disagreement, RunOptions, Suite, SuiteReport
from tests.verification.releases import terraform
from tests.verification.versions.judge import ACCEPTED, BAD_CONSTRAINT, BAD_VERSION, NO_MATCH, judge_pairs
from tests.verification.versions.pairs import Pair, Selection, generate_random_pairs
from tests.verification.versions.record import PAIRS, read_pairs, read_selections
from verification.versions import BadVersion, constraint, parse

RECORDED_JUDGE = "Terraform 1.11.4, recorded verdicts"
LIVE_JUDGE = "Terraform 1.11.4, recorded verdicts and the installed program"
SHORT_LIVE_PAIRS = 100
AIM = 0.995
TIE = (
    "Versions that differ only in build metadata have no order: Terraform takes any of them, another one at each run. "
    "The portal names all of them"
)


def run(options: RunOptions) -> SuiteReport:
    """Compare the recorded verdicts, then fresh ones where Terraform is installed."""
    pairs, selections = read_pairs(), read_selections()
    recorded_count = len(pairs)
    if terraform.available():
        fresh = generate_random_pairs(PAIRS if options.full else SHORT_LIVE_PAIRS, options.seed + 1)
        pairs += zip(fresh, judge_pairs(fresh), strict=True)
    found = [*compare_pairs(pairs), *compare_selections(selections)]
    figures = (
        ("Recorded pairs", f"{recorded_count:,}"),
        ("Pairs judged by the installed Terraform", f"{len(pairs) - recorded_count:,}"),
        ("Lists to choose from", str(len(selections))),
    )
    judge = LIVE_JUDGE if terraform.available() else RECORDED_JUDGE
    return SuiteReport(judge, len(pairs) + len(selections), tuple(found), figures=figures, aim=AIM)


def fuzz(options: RunOptions) -> SuiteReport:
    """Compare random pairs with the installed Terraform."""
    if not terraform.available():
        return SuiteReport(LIVE_JUDGE, 0, not_run="Terraform is not installed")
    pairs = generate_random_pairs(options.cases, options.seed)
    found = compare_pairs(zip(pairs, judge_pairs(pairs), strict=True))
    return SuiteReport("The installed Terraform", options.cases, tuple(found))


def compare_pairs(judged: Iterable[tuple[Pair, str]]) -> Iterable[Disagreement]:
    for pair, verdict in judged:
        answer = match(pair)
        if answer != verdict:
            yield Disagreement(f"{pair.constraint!r} on {pair.version!r}", answer, verdict)


def match(pair: Pair) -> str:
    """Return the portal's verdict in the judge's words."""
    try:
        allowed = constraint(pair.constraint)
    except BadVersion:
        return BAD_CONSTRAINT
    try:
        return ACCEPTED if allowed.lets_pass(parse(pair.version)) else NO_MATCH
    except BadVersion:
        return BAD_VERSION


def compare_selections(judged: Iterable[tuple[Selection, str]]) -> Iterable[Disagreement]:
    for selection, chosen in judged:
        versions = map(parse, selection.versions)
        best = [str(version) for version in constraint(selection.constraint).find_ties(versions)]
        if best != ([chosen] if chosen else []):
            case = f"{selection.constraint!r} on {', '.join(selection.versions)}"
            yield Disagreement(case, " or ".join(best) or "none", chosen or "none", TIE if chosen in best else "")


SUITE = Suite("versions", "Version constraints and order", run)
FUZZER = Suite("versions-fuzz", "Random version constraints", fuzz, "--fuzz versions")
