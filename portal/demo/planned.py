"""How did an integration of the demo's past go? Its moves one after the other, drawn from a seeded source. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from math import exp
from random import Random

from integrations.programs.schema import Edition, Stage

OWNER, REVIEWER, NOBODY = "owner", "reviewer", ""
DAY = timedelta(days=1)
SPREAD = 0.42  # of the logarithm: nine of ten take up to 1.7 times the middle
DAYS_PER_WORKING_DAY = 7 / 5  # real days that a working day takes, about


@dataclass(frozen=True, slots=True)
class PastAct:
    """A move `after` the one before, and where it is afterwards.

    `event_type` blank: the turn passed on without a step.
    """

    after: timedelta
    event_type: str
    by: str
    stage: str
    step: str
    holder: str
    round: int = 0
    note: str = ""


def draw_duration(random: Random, middle: float) -> timedelta:
    """A length whose middle is so many working days, as real time."""
    return DAY * (middle * DAYS_PER_WORKING_DAY * exp(random.gauss(0, SPREAD)))


def plan_acts(random: Random, edition: Edition, middle: float, ending: str) -> list[PastAct]:
    """The whole life: `middle` working days for a decision; `ending`: withdraw, decline, archive, or blank."""
    return list(_iterate_acts(random, edition, middle, ending))


def _iterate_acts(random: Random, edition: Edition, middle: float, ending: str) -> Iterator[PastAct]:
    places = [(str(stage), step.key) for step, stage in edition.positions()]
    yield PastAct(timedelta(), "created", OWNER, *places[0], "partner")
    review = next(n for n, (stage, _) in enumerate(places) if stage == Stage.REVIEW)
    early = random.randrange(review) if ending == "withdraw" and random.random() < 0.7 else -1
    for n in range(review):
        yield from _iterate_before_review(random, places[n])
        if n == early:
            yield PastAct(
                draw_duration(random, 9), "withdraw", OWNER, "withdrawn", places[n][1], "", 0, "Our plans changed."
            )
            return
        if n + 1 < review:
            yield PastAct(draw_duration(random, 3), "complete_step", OWNER, *places[n + 1], "partner")
    yield PastAct(draw_duration(random, 3), "submit_for_review", OWNER, *places[review], "program", 1)
    yield from _iterate_from_review(random, places[review:], middle, ending)


def _iterate_before_review(random: Random, place: tuple[str, str]) -> Iterator[PastAct]:
    """Now and then the program signs or a machine looks, and sometimes it cannot."""
    if random.random() < 0.45:
        yield PastAct(draw_duration(random, 2), "", NOBODY, *place, "program")
        yield PastAct(draw_duration(random, 1.5), "", NOBODY, *place, "partner")
    if random.random() < 0.6:
        yield PastAct(draw_duration(random, 2), "", NOBODY, *place, "machine")
        if random.random() < 0.25:
            yield PastAct(draw_duration(random, 0.1), "", NOBODY, *place, "outage")
        yield PastAct(draw_duration(random, 0.3), "", NOBODY, *place, "partner")


def _iterate_from_review(
    random: Random, places: list[tuple[str, str]], middle: float, ending: str
) -> Iterator[PastAct]:
    rounds = random.choices((1, 2, 3, 4), (52, 31, 12, 5))[0]
    step = places[0][1]
    for number in range(1, rounds):
        yield PastAct(
            draw_duration(random, middle),
            "request_changes",
            REVIEWER,
            *places[0],
            "partner",
            number,
            "Two small things.",
        )
        if ending == "withdraw" and number == rounds - 1:
            yield PastAct(
                draw_duration(random, 12), "withdraw", OWNER, "withdrawn", step, "", number, "No time for it this year."
            )
            return
        yield PastAct(draw_duration(random, 5), "resubmit_for_review", OWNER, *places[0], "program", number + 1)
    if ending == "decline":
        why = "The product does this by itself by now."
        yield PastAct(draw_duration(random, middle), "decline", REVIEWER, "declined", step, "", rounds, why)
        return
    yield PastAct(draw_duration(random, middle), "approve", REVIEWER, *places[1], "program", rounds)
    yield PastAct(draw_duration(random, 2), "publish", REVIEWER, *places[2], "machine", rounds)
    if ending == "archive":
        why = "Replaced by another integration."
        yield PastAct(draw_duration(random, 25), "archive", OWNER, "archived", places[2][1], "", rounds, why)
