"""What is a verdict, and what do the rules have in common? Standard library and the vocabulary of checks."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from verification.outcomes import Outcome, worst
from verification.testruns.kinds.run_task.records import Exchange, Seen

Said = tuple[Outcome, str]  # what is found of one request or run


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one rule says of a rehearsal. `notes`: what is worth knowing and changes nothing."""

    rule: str
    title: str
    outcome: Outcome
    sentence: str
    advice: str = ""
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {
            "rule": self.rule, "title": self.title, "outcome": str(self.outcome), "sentence": self.sentence,
            "advice": self.advice, "notes": list(self.notes),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its key, its words, and the function that finds what is true of what was seen."""

    key: str
    title: str
    advice: str
    finds: Callable[[Seen], Said]
    notes: Callable[[Seen], tuple[str, ...]] = lambda seen: ()

    def judge(self, seen: Seen) -> Verdict:
        outcome, sentence = self.finds(seen)
        advice = "" if outcome in (Outcome.PASS, Outcome.NOT_RUN) else self.advice
        return Verdict(self.key, self.title, outcome, sentence, advice, self.notes(seen))


def passed(sentence: str) -> Said:
    return Outcome.PASS, sentence


def warned(sentence: str) -> Said:
    return Outcome.WARN, sentence


def failed(sentence: str) -> Said:
    return Outcome.FAIL, sentence


def not_run(sentence: str) -> Said:
    return Outcome.NOT_RUN, sentence


def decided(found: Iterable[Said], otherwise: Said) -> Said:
    """The worst of what was found, in its own words, each sentence once; `otherwise` where nothing was found."""
    all_found = list(found)
    if not all_found:
        return otherwise
    decisive = worst(outcome for outcome, _ in all_found)
    sentences = list(dict.fromkeys(sentence for outcome, sentence in all_found if outcome == decisive))
    more = f" And {len(sentences) - 3} more." if len(sentences) > 3 else ""
    return decisive, " ".join(sentences[:3]) + more


def silent(exchange: Exchange | None) -> Said | None:
    """What is to be said where nothing came back at all; None where something did."""
    if exchange is None:
        return not_run("This request has not been made.")
    if exchange.ended == "unresolved":
        return Outcome.ERROR, f"We could not look: {exchange.sentence}"
    if exchange.ended == "refused":
        return failed(exchange.sentence)
    if exchange.ended == "unreachable":
        return failed(f"Nothing listens there: {exchange.sentence}")
    if exchange.status == 0 and exchange.ended == "slow":
        return failed(f"There was no answer within {exchange.seconds:.1f} seconds.")
    if exchange.status == 0:
        return failed(f"The connection broke off without an answer: {exchange.sentence}")
    return None


def listed(words: Iterable[str]) -> str:
    """In words: "a, b and c"."""
    found = list(dict.fromkeys(words))
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}" if found else ""
