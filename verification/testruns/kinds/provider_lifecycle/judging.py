"""What is a rule of the lifecycle, and what do its rules have in common?"""

from collections.abc import Callable
from dataclasses import dataclass

from verification.outcomes import Outcome
from verification.testruns.kinds.provider_lifecycle.records import FINISHED, Ran, Seen, error_of
from verification.testruns.kinds.run_task.judging import Said, Verdict, failed, not_run

BROKEN = (  # what Terraform says of it depends on which of its parts notices first
    "plugin did not respond", "panic:", "plugin exited", "connection is shutting down", "unexpected eof",
    "request was cancelled",
)  # fmt: skip
INCONSISTENT = "Provider produced inconsistent result after apply"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its key, its words, the steps that show it, and the function that finds what is true."""

    key: str
    title: str
    advice: str
    acts: tuple[str, ...]
    finds: Callable[[Seen], Said]

    def judge(self, seen: Seen) -> Verdict:
        if seen.unavailable:
            return Verdict(self.key, self.title, Outcome.NOT_RUN, seen.unavailable)
        outcome, sentence = _not_looked(self, seen) or self.finds(seen)
        advice = "" if outcome in (Outcome.PASS, Outcome.NOT_RUN, Outcome.ERROR) else self.advice
        return Verdict(self.key, self.title, outcome, sentence, advice)


def _not_looked(rule: Rule, seen: Seen) -> Said | None:
    """What is to be said where a step that the rule needs was not made, or ended for reasons of ours."""
    missing = [act for act in rule.acts if seen.of(act) is None]
    if missing and seen.broken:
        return Outcome.ERROR, f"We could not look: {seen.broken}"
    if missing:
        return not_run(why_missing(seen))
    return None


def why_missing(seen: Seen) -> str:
    """Why a step was not reached."""
    if not seen.over:
        return "Not reached yet."
    bad = next((ran for ran in seen.ran if ran.act in ("init", "plan", "apply", "change", "update", "destroy")
                and not ran.is_good), None)  # fmt: skip
    return f"Not reached: “{bad.title}” did not go well." if bad else "Not reached."


def of(seen: Seen, act: str) -> Ran:
    """A step that was made: the rule has named it."""
    ran = seen.of(act)
    assert ran is not None
    return ran


def trouble(ran: Ran) -> Said | None:
    """What is to be said of a command that did not go well; None where it did."""
    if ran.is_good:
        return None
    if ran.ended != FINISHED:
        return failed(ran.sentence)
    error = error_of(ran)
    if any(word in f"{ran.errors}\n{ran.output}".lower() for word in BROKEN):
        return failed(f"The provider broke down. {error}")
    return failed(error)


def unread(ran: Ran) -> Said | None:
    """What is to be said where a plan should be read and cannot be."""
    if ran.plan is None:
        return Outcome.ERROR, "We could not look: Terraform's plan could not be read."
    return None
