"""Check of the newest Nomad plugin test. The check itself runs nothing."""

from datetime import timedelta

from portal.core.translation import gettext_noop
from verification.checks.types import Subject, register_check
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources

CHECK_KEY = "plugin.test_run"
OBSERVATION_KEY = "nomad_plugin_test_run"
OUTCOME_PHRASES = {
    "pass": "passed its test run",
    "warn": "passed its test run with warnings",
    "fail": "failed its test run",
    "error": "couldn't complete its test run",
}
MAX_EVIDENCE_ITEMS = 12


@register_check(
    CHECK_KEY,
    title=gettext_noop("Nomad plugin test"),
    advice=gettext_noop(
        "Start a test run on the integration page, then fix the failed rules. You can repeat it anytime."
    ),
    max_age=timedelta(days=90),
)
def check_nomad_plugin_test(subject: Subject, sources: Sources) -> Result:
    """The portal has called the plugin as Nomad's agent does, and all rules passed."""
    test_run = subject.known.get(OBSERVATION_KEY)
    if not isinstance(test_run, dict):
        return Result(Outcome.NOT_RUN, "No test run yet.")
    rule_results, outcome = test_run["verdicts"], Outcome(test_run["outcome"])
    open_results = [rule_result for rule_result in rule_results if rule_result["outcome"] != "pass"]
    evidence = tuple(
        Evidence(rule_result["title"], rule_result["sentence"])
        for rule_result in (open_results or rule_results)[:MAX_EVIDENCE_ITEMS]
    )
    if outcome == Outcome.NOT_RUN:
        summary = f"The test run was incomplete. {len(open_results)} of {len(rule_results)} rules have no result."
    else:
        details = f" {len(open_results)} of {len(rule_results)} rules didn't pass." if open_results else ""
        summary = f"The {test_run['type']} plugin {OUTCOME_PHRASES[outcome]}.{details}"
    return Result(outcome, summary, evidence, (("test run", test_run["at"][:16]), ("version", test_run["version"])))
