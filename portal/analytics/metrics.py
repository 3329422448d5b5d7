"""What do many stays in stages come to? Percentiles, distributions, shares by holder, rounds. Pure.

Every figure has its definition in docs/office.md. A percentile is a stay that really happened: the smallest that is at
least as long as that share of all of them (nearest rank), so that nothing is invented between two stays.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from django.utils.translation import gettext_noop

from portal.core.business_time import Calendar

STAGES = ("engage", "develop", "review", "release")  # until it is listed; support has no end to wait for
HOLDERS = ("partner", "program", "machine", "outage", "third_party")
ENOUGH = 8  # stays below which no percentile is told
ENDS_OF_COLUMNS = (1, 2, 5, 10, 20, 40)  # working days
DAY = timedelta(days=1)
# up to how many rounds a review took; from the last on, or more
ROUNDS = {
    1: gettext_noop("1 round"),
    2: gettext_noop("2 rounds"),
    3: gettext_noop("3 rounds"),
    4: gettext_noop("4 or more"),
}


@dataclass(frozen=True, slots=True)
class Stay:
    """Times from entering a stage to leaving it, `count` of the same length. `days`: working days, to the tenth."""

    program: str
    stage: str
    days: float
    count: int = 1


@dataclass(frozen=True, slots=True)
class Spent:
    """Real time spent in a stage with a holder, added up."""

    program: str
    stage: str
    holder: str
    time: timedelta


@dataclass(frozen=True, slots=True)
class StageFigures:
    """How long a stage took: how many left it, the middle and nine of ten (None: too few), and the distribution."""

    stage: str
    count: int
    p50: float | None
    p90: float | None
    columns: tuple[int, ...]


def working_days(start: datetime, end: datetime, calendar: Calendar) -> float:
    """The business days between two moments, parts of a day included."""
    days = calendar.days
    return (days.position(end) - days.position(start)) / DAY


def percentile(values: Sequence[float], share: float) -> float | None:
    """The nearest rank of sorted or unsorted values; None for none."""
    return ranked(Counter(values), share)


def ranked(counts: Mapping[float, int], share: float) -> float | None:
    """The same of values that are counted."""
    rank, below = ceil(round(share * sum(counts.values()), 9)), 0
    for value in sorted(counts):
        below += counts[value]
        if below >= max(rank, 1):
            return value
    return None


def spread(counts: Mapping[float, int]) -> tuple[int, ...]:
    """How many took up to each of ENDS_OF_COLUMNS, and how many longer."""
    columns = [0] * (len(ENDS_OF_COLUMNS) + 1)
    for value, count in counts.items():
        columns[bisect_left(ENDS_OF_COLUMNS, value)] += count
    return tuple(columns)


def of_stages(stays: Iterable[Stay], *, enough: int = ENOUGH) -> list[StageFigures]:
    """One line for each stage, in their order."""
    found: dict[str, Counter[float]] = defaultdict(Counter)
    for stay in stays:
        found[stay.stage][stay.days] += stay.count
    return [_stage(stage, found[stage], enough) for stage in STAGES]


def _stage(stage: str, days: Counter[float], enough: int) -> StageFigures:
    count = days.total()
    p50, p90 = (ranked(days, share) if count >= enough else None for share in (0.5, 0.9))
    return StageFigures(stage, count, p50, p90, spread(days))


def by_program(stays: Iterable[Stay]) -> dict[str, list[StageFigures]]:
    """The same for each program that has any."""
    found: dict[str, list[Stay]] = defaultdict(list)
    for stay in stays:
        found[stay.program].append(stay)
    return {program: of_stages(rows) for program, rows in sorted(found.items())}


def by_holder(spent: Iterable[Spent]) -> dict[str, dict[str, timedelta]]:
    """Where the time of each stage went: stage, holder, time. Only holders that had any."""
    found: dict[str, dict[str, timedelta]] = {stage: {} for stage in STAGES}
    for each in spent:
        if each.stage in found:
            holders = found[each.stage]
            holders[each.holder] = holders.get(each.holder, timedelta()) + each.time
    return {stage: {h: holders[h] for h in HOLDERS if holders.get(h)} for stage, holders in found.items()}


def rounds(counts: Iterable[tuple[int, int]]) -> list[tuple[str, int]]:
    """How many reviews ended after one round, two, three, four or more; from (round, reviews)."""
    found: Counter[int] = Counter()
    for number, reviews in counts:
        found[min(max(number, 1), 4)] += reviews
    return [(word, found[n]) for n, word in ROUNDS.items()]
