"""Random transitions of past integrations in the demo world, from a seeded source."""

from dataclasses import dataclass, replace
from datetime import timedelta
from math import exp
from random import Random

from integrations.programs.schema import Edition
from integrations.programs.stages import Stage

OWNER, REVIEWER, NOBODY = "owner", "reviewer", ""
CREATION = "created"  # not a transition of the workflow
DAY = timedelta(days=1)
SPREAD = 0.42  # of the logarithm: the 90th percentile is 1.7 times the median
DAYS_PER_WORKING_DAY = 7 / 5


@dataclass(frozen=True, slots=True)
class PastTransition:
    """Transition and the state after it.

    Without a name, only the responsible party changes.

    Attributes:
        delay: Time since the previous transition.
    """

    delay: timedelta
    name: str
    actor: str
    stage: str
    step: str
    responsible_party: str
    round: int = 0
    note: str = ""


class TransitionPlan:
    """Transitions of one integration, drawn in their order.

    Args:
        random: The source of random numbers.
        edition: The edition of its program.
        median_days: Median working days of a decision.
        ending: withdraw, decline, archive, or an empty string.
    """

    def __init__(self, random: Random, edition: Edition, median_days: float, ending: str) -> None:
        self.random, self.median_days, self.ending = random, median_days, ending
        self.positions = [(str(stage), step.key) for step, stage in edition.positions()]
        self.review = next(n for n, (stage, _) in enumerate(self.positions) if stage == Stage.REVIEW)
        self.transitions = [PastTransition(timedelta(), CREATION, OWNER, *self.positions[0], "partner")]
        early_end = random.randrange(self.review) if ending == "withdraw" and random.random() < 0.7 else -1
        for place in range(self.review):
            self._draw_waits()
            if place == early_end:
                self._end(9, "withdraw", OWNER, "withdrawn", 0, "Our plans changed.")
                return
            if place + 1 < self.review:
                self._add(3, "complete_step", OWNER, "partner", place + 1)
        self._add(3, "submit_for_review", OWNER, "program", self.review, 1)
        self._draw_review()

    def _add(
        self, days: float, name: str, actor: str, party: str, place: int = -1, round: int = 0, note: str = ""
    ) -> None:
        """Add a transition after a random time with a median of so many working days. It can change the position."""
        delay = DAY * (days * DAYS_PER_WORKING_DAY * exp(self.random.gauss(0, SPREAD)))
        last = self.transitions[-1]
        position = self.positions[place] if place >= 0 else (last.stage, last.step)
        self.transitions.append(PastTransition(delay, name, actor, *position, party, round, note))

    def _end(self, days: float, name: str, actor: str, stage: str, round: int, note: str) -> None:
        """Add the last transition."""
        self._add(days, name, actor, "", round=round, note=note)
        self.transitions[-1] = replace(self.transitions[-1], stage=stage)

    def _draw_waits(self) -> None:
        """Add changes of the responsible party: a signature of the program, a check, or an outage."""
        if self.random.random() < 0.45:
            self._add(2, "", NOBODY, "program")
            self._add(1.5, "", NOBODY, "partner")
        if self.random.random() < 0.6:
            self._add(2, "", NOBODY, "machine")
            if self.random.random() < 0.25:
                self._add(0.1, "", NOBODY, "outage")
            self._add(0.3, "", NOBODY, "partner")

    def _draw_review(self) -> None:
        """Add the rounds of the review, the decision, and the ending."""
        rounds, days = self.random.choices((1, 2, 3, 4), (52, 31, 12, 5))[0], self.median_days
        for number in range(1, rounds):
            self._add(days, "request_changes", REVIEWER, "partner", round=number, note="Two minor changes.")
            if self.ending == "withdraw" and number == rounds - 1:
                self._end(12, "withdraw", OWNER, "withdrawn", number, "Not planned for this year.")
                return
            self._add(5, "resubmit_for_review", OWNER, "program", round=number + 1)
        if self.ending == "decline":
            self._end(days, "decline", REVIEWER, "declined", rounds, "The product now includes this feature.")
            return
        self._add(days, "approve", REVIEWER, "program", self.review + 1, rounds)
        self._add(2, "publish", REVIEWER, "machine", self.review + 2, rounds)
        if self.ending == "archive":
            self._end(25, "archive", OWNER, "archived", rounds, "Replaced by another integration.")
