"""What is a rule for Nomad's plugins, and what do its rules have in common?"""

from collections.abc import Callable
from dataclasses import dataclass

from verification.outcomes import Outcome
from verification.testruns.kinds.nomad_plugin.records import Asked, Seen
from verification.testruns.kinds.run_task.judging import Said, Verdict, failed, not_run


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its key, its words, the questions that show it, and the function that finds what is true.

    `type`: the only type of plugin that it is for, blank for all.
    """

    key: str
    title: str
    advice: str
    acts: tuple[str, ...]
    finds: Callable[[Seen], Said]
    type: str = ""

    def judge(self, seen: Seen) -> Verdict:
        if seen.unavailable:
            return Verdict(self.key, self.title, Outcome.NOT_RUN, seen.unavailable)
        outcome, sentence = _not_asked(self, seen) or self.finds(seen)
        advice = self.advice if outcome in (Outcome.WARN, Outcome.FAIL) else ""
        return Verdict(self.key, self.title, outcome, sentence, advice)


def _not_asked(rule: Rule, seen: Seen) -> Said | None:
    """What is to be said where a question that the rule needs was not asked."""
    if all(seen.of(act) is not None for act in rule.acts):
        return None
    if seen.broken:
        return Outcome.ERROR, f"We could not look: {seen.broken}"
    if not seen.over:
        return not_run("Not reached yet.")
    spoken = seen.of("handshake")
    return not_run("Not reached: the handshake failed." if spoken and not spoken.is_answered else "Not reached.")


def of(seen: Seen, act: str) -> Asked:
    """A question that was asked: the rule has named it."""
    asked = seen.of(act)
    assert asked is not None
    return asked


def trouble(asked: Asked) -> Said | None:
    """What is to be said of a question without an answer; None where there is one."""
    if asked.is_answered:
        return None
    if asked.came == "UNIMPLEMENTED":
        return failed(f"It does not know the question {asked.title}.")
    return failed(asked.sentence)
