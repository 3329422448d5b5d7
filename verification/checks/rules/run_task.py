"""What did the portal's own rehearsal of the run task show? Read from the newest one; nothing is asked here."""

from datetime import timedelta

from portal.core.translation import gettext_noop
from verification.checks.types import Subject, check
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources

KEY = "run_task.rehearsal"
KNOWN = "run_task_rehearsal"
STAGES = {"pre_plan": "Pre-plan", "post_plan": "Post-plan", "pre_apply": "Pre-apply", "post_apply": "Post-apply"}
WORDS = {"pass": "passes", "warn": "passes with warnings", "fail": "fails", "error": "could not be looked at"}
MOST = 12


@check(
    KEY,
    title=gettext_noop("Rehearsal of the run task"),
    advice=gettext_noop(
        "Begin a rehearsal on the integration's page, and mend what fails there; it can be repeated at any hour."
    ),
    fresh=timedelta(days=90),
)
def rehearsal(subject: Subject, sources: Sources) -> Result:
    """The portal has played HCP Terraform to the endpoint, and every rule held."""
    said = subject.known.get(KNOWN)
    if not isinstance(said, dict):
        return Result(Outcome.NOT_RUN, "No rehearsal has been made yet.")
    verdicts = said["verdicts"]
    open_ = [each for each in verdicts if each["outcome"] not in ("pass",) and each["rule"] != "outcomes"]
    stages = ", ".join(STAGES.get(stage, stage) for stage in said["stages"])
    seen = tuple(Evidence(each["title"], each["sentence"]) for each in (open_ or verdicts)[:MOST])
    outcome = Outcome(said["outcome"])
    if outcome == Outcome.NOT_RUN:
        summary = f"The rehearsal did not show everything: {len(open_)} of {len(verdicts)} rules are open."
    else:
        left = f"; {len(open_)} of {len(verdicts)} rules do not hold plainly" if open_ else ""
        summary = f"The run task {WORDS[outcome]} its rehearsal of {stages}{left}."
    return Result(outcome, summary, seen, (("rehearsal", said["at"][:16]), ("address", said["url"][:200])))
