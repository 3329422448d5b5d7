"""Results of the newest test run of an integration. The checks themselves run nothing."""

from collections.abc import Sequence

from portal.core.value_types import JsonObject
from verification.outcomes import Evidence, Outcome, Result

NO_TEST_RUN_RESULT = Result(Outcome.NOT_RUN, "No test run yet.")
OUTCOME_PHRASES = {
    "pass": "passed its test run",
    "warn": "passed its test run with warnings",
    "fail": "failed its test run",
    "error": "couldn't complete its test run",
}
MAX_EVIDENCE_ITEMS = 12


def build_test_run_result(
    test_run: JsonObject, open_results: Sequence[JsonObject], name: str, suffix: str, revision: tuple[str, str]
) -> Result:
    """Return the result of a test run.

    Args:
        open_results: Results of the rules that did not pass.
        name: Name of what was tested, at the start of the summary.
        suffix: Text at the end of the first sentence of the summary.
        revision: Pair of an object and its revision in addition to the test run.
    """
    rule_results, outcome = test_run["verdicts"], Outcome(test_run["outcome"])
    evidence = tuple(
        Evidence(rule_result["title"], rule_result["sentence"])
        for rule_result in (open_results or rule_results)[:MAX_EVIDENCE_ITEMS]
    )
    counts = f"{len(open_results)} of {len(rule_results)} rules"
    if outcome == Outcome.NOT_RUN:
        summary = f"The test run was incomplete. {counts} have no result."
    else:
        summary = f"The {name} {OUTCOME_PHRASES[outcome]}{suffix}."
        summary += f" {counts} didn't pass." if open_results else ""
    return Result(outcome, summary, evidence, (("test run", test_run["at"][:16]), revision))
