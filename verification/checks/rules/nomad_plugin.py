"""What did the portal's own rehearsal of the Nomad plugin show? Read from the newest one; nothing is asked here."""

from datetime import timedelta

from portal.core.translation import gettext_noop
from verification.checks.types import Subject, register_check
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources

CHECK_KEY = "plugin.rehearsal"
OBSERVATION_KEY = "nomad_rehearsal"
OUTCOME_PHRASES = {
    "pass": "passes",
    "warn": "passes with warnings",
    "fail": "fails",
    "error": "could not be looked at in",
}
MAX_EVIDENCE_ITEMS = 12


@register_check(
    CHECK_KEY,
    title=gettext_noop("Rehearsal of the plugin"),
    advice=gettext_noop(
        "Begin a rehearsal on the integration's page, and mend what fails there; it can be repeated at any hour."
    ),
    max_age=timedelta(days=90),
)
def check_nomad_plugin_test(subject: Subject, sources: Sources) -> Result:
    """The portal has asked the plugin as Nomad's agent does, and every rule held."""
    test_run = subject.known.get(OBSERVATION_KEY)
    if not isinstance(test_run, dict):
        return Result(Outcome.NOT_RUN, "No rehearsal has been made yet.")
    rule_results, outcome = test_run["verdicts"], Outcome(test_run["outcome"])
    open_results = [rule_result for rule_result in rule_results if rule_result["outcome"] != "pass"]
    evidence = tuple(
        Evidence(rule_result["title"], rule_result["sentence"])
        for rule_result in (open_results or rule_results)[:MAX_EVIDENCE_ITEMS]
    )
    if outcome == Outcome.NOT_RUN:
        summary = f"The rehearsal did not show everything: {len(open_results)} of {len(rule_results)} rules are open."
    else:
        suffix = f"; {len(open_results)} of {len(rule_results)} rules do not hold plainly" if open_results else ""
        summary = f"The {test_run['type']} plugin {OUTCOME_PHRASES[outcome]} its rehearsal{suffix}."
    return Result(outcome, summary, evidence, (("rehearsal", test_run["at"][:16]), ("version", test_run["version"])))
