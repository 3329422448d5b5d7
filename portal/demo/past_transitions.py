"""Random transitions of past integrations in the demo world, from a seeded source."""

from collections.abc import Iterator
from dataclasses import dataclass
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


def draw_duration(random: Random, median_days: float) -> timedelta:
    """Return a random duration with a median of so many working days, as elapsed time."""
    return DAY * (median_days * DAYS_PER_WORKING_DAY * exp(random.gauss(0, SPREAD)))


def plan_transitions(random: Random, edition: Edition, median_days: float, ending: str) -> list[PastTransition]:
    """Return all transitions of an integration.

    Args:
        random: The source of random numbers.
        edition: The edition of its program.
        median_days: Median working days of a decision.
        ending: withdraw, decline, archive, or an empty string.
    """
    return list(_iterate_transitions(random, edition, median_days, ending))


def _iterate_transitions(random: Random, edition: Edition, median_days: float, ending: str) -> Iterator[PastTransition]:
    positions = [(str(stage), step.key) for step, stage in edition.positions()]
    yield PastTransition(timedelta(), CREATION, OWNER, *positions[0], "partner")
    review = next(n for n, (stage, _) in enumerate(positions) if stage == Stage.REVIEW)
    early_end = random.randrange(review) if ending == "withdraw" and random.random() < 0.7 else -1
    for n in range(review):
        yield from _iterate_before_review(random, positions[n])
        if n == early_end:
            yield PastTransition(
                draw_duration(random, 9), "withdraw", OWNER, "withdrawn", positions[n][1], "", 0, "Our plans changed."
            )
            return
        if n + 1 < review:
            yield PastTransition(draw_duration(random, 3), "complete_step", OWNER, *positions[n + 1], "partner")
    yield PastTransition(draw_duration(random, 3), "submit_for_review", OWNER, *positions[review], "program", 1)
    yield from _iterate_from_review(random, positions[review:], median_days, ending)


def _iterate_before_review(random: Random, position: tuple[str, str]) -> Iterator[PastTransition]:
    """Yield changes of the responsible party: a signature of the program, a check, or an outage."""
    if random.random() < 0.45:
        yield PastTransition(draw_duration(random, 2), "", NOBODY, *position, "program")
        yield PastTransition(draw_duration(random, 1.5), "", NOBODY, *position, "partner")
    if random.random() < 0.6:
        yield PastTransition(draw_duration(random, 2), "", NOBODY, *position, "machine")
        if random.random() < 0.25:
            yield PastTransition(draw_duration(random, 0.1), "", NOBODY, *position, "outage")
        yield PastTransition(draw_duration(random, 0.3), "", NOBODY, *position, "partner")


def _iterate_from_review(
    random: Random, positions: list[tuple[str, str]], median_days: float, ending: str
) -> Iterator[PastTransition]:
    rounds = random.choices((1, 2, 3, 4), (52, 31, 12, 5))[0]
    step = positions[0][1]
    for number in range(1, rounds):
        note = "Two minor changes."
        yield PastTransition(
            draw_duration(random, median_days), "request_changes", REVIEWER, *positions[0], "partner", number, note
        )
        if ending == "withdraw" and number == rounds - 1:
            note = "Not planned for this year."
            yield PastTransition(draw_duration(random, 12), "withdraw", OWNER, "withdrawn", step, "", number, note)
            return
        yield PastTransition(
            draw_duration(random, 5), "resubmit_for_review", OWNER, *positions[0], "program", number + 1
        )
    if ending == "decline":
        note = "The product now includes this feature."
        yield PastTransition(
            draw_duration(random, median_days), "decline", REVIEWER, "declined", step, "", rounds, note
        )
        return
    yield PastTransition(draw_duration(random, median_days), "approve", REVIEWER, *positions[1], "program", rounds)
    yield PastTransition(draw_duration(random, 2), "publish", REVIEWER, *positions[2], "machine", rounds)
    if ending == "archive":
        note = "Replaced by another integration."
        yield PastTransition(draw_duration(random, 25), "archive", OWNER, "archived", positions[2][1], "", rounds, note)
