"""What did the portal's own rehearsal of the Nomad plugin show? Read from the newest one; nothing is asked here."""

from datetime import timedelta

from portal.core.translation import gettext_noop
from verification.checks.types import Subject, check
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources

KEY = "plugin.rehearsal"
KNOWN = "nomad_rehearsal"
WORDS = {"pass": "passes", "warn": "passes with warnings", "fail": "fails", "error": "could not be looked at in"}
MOST = 12


@check(
    KEY,
    title=gettext_noop("Rehearsal of the plugin"),
    advice=gettext_noop(
        "Begin a rehearsal on the integration's page, and mend what fails there; it can be repeated at any hour."
    ),
    fresh=timedelta(days=90),
)
def rehearsal(subject: Subject, sources: Sources) -> Result:
    """The portal has asked the plugin as Nomad's agent does, and every rule held."""
    said = subject.known.get(KNOWN)
    if not isinstance(said, dict):
        return Result(Outcome.NOT_RUN, "No rehearsal has been made yet.")
    verdicts, outcome = said["verdicts"], Outcome(said["outcome"])
    open_ = [each for each in verdicts if each["outcome"] != "pass"]
    seen = tuple(Evidence(each["title"], each["sentence"]) for each in (open_ or verdicts)[:MOST])
    if outcome == Outcome.NOT_RUN:
        summary = f"The rehearsal did not show everything: {len(open_)} of {len(verdicts)} rules are open."
    else:
        left = f"; {len(open_)} of {len(verdicts)} rules do not hold plainly" if open_ else ""
        summary = f"The {said['type']} plugin {WORDS[outcome]} its rehearsal{left}."
    return Result(outcome, summary, seen, (("rehearsal", said["at"][:16]), ("version", said["version"])))
