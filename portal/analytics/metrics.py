"""What do many stays in stages come to? Percentiles, distributions, shares by holder, rounds. Pure.

docs/reference/analytics.md defines every figure. A percentile is a stay that really happened: the smallest that is at
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
MIN_STAYS = 8  # stays below which no percentile is told
COLUMN_LIMITS_DAYS = (1, 2, 5, 10, 20, 40)  # working days
DAY = timedelta(days=1)
# up to how many rounds a review took; from the last on, or more
ROUND_LABELS = {
    1: gettext_noop("1 round"),
    2: gettext_noop("2 rounds"),
    3: gettext_noop("3 rounds"),
    4: gettext_noop("4 or more"),
}


@dataclass(frozen=True, slots=True)
class StageStay:
    """Times from entering a stage to leaving it, `count` of the same length. `days`: working days, to the tenth."""

    program: str
    stage: str
    days: float
    count: int = 1


@dataclass(frozen=True, slots=True)
class HolderTime:
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


def count_working_days(start: datetime, end: datetime, calendar: Calendar) -> float:
    """The business days between two moments, parts of a day included."""
    days = calendar.days
    return (days.position(end) - days.position(start)) / DAY


def calculate_percentile(values: Sequence[float], share: float) -> float | None:
    """The nearest rank of sorted or unsorted values; None for none."""
    return calculate_counted_percentile(Counter(values), share)


def calculate_counted_percentile(counts: Mapping[float, int], share: float) -> float | None:
    """The same of values that are counted."""
    rank, below = ceil(round(share * sum(counts.values()), 9)), 0
    for value in sorted(counts):
        below += counts[value]
        if below >= max(rank, 1):
            return value
    return None


def build_distribution(counts: Mapping[float, int]) -> tuple[int, ...]:
    """How many took up to each of ENDS_OF_COLUMNS, and how many longer."""
    columns = [0] * (len(COLUMN_LIMITS_DAYS) + 1)
    for value, count in counts.items():
        columns[bisect_left(COLUMN_LIMITS_DAYS, value)] += count
    return tuple(columns)


def calculate_stage_figures(stays: Iterable[StageStay], *, min_stays: int = MIN_STAYS) -> list[StageFigures]:
    """One line for each stage, in their order."""
    days_by_stage: dict[str, Counter[float]] = defaultdict(Counter)
    for stay in stays:
        days_by_stage[stay.stage][stay.days] += stay.count
    return [_calculate_stage(stage, days_by_stage[stage], min_stays) for stage in STAGES]


def _calculate_stage(stage: str, days: Counter[float], min_stays: int) -> StageFigures:
    count = days.total()
    p50, p90 = (calculate_counted_percentile(days, share) if count >= min_stays else None for share in (0.5, 0.9))
    return StageFigures(stage, count, p50, p90, build_distribution(days))


def group_by_program(stays: Iterable[StageStay]) -> dict[str, list[StageFigures]]:
    """The same for each program that has any."""
    stays_by_program: dict[str, list[StageStay]] = defaultdict(list)
    for stay in stays:
        stays_by_program[stay.program].append(stay)
    return {program: calculate_stage_figures(rows) for program, rows in sorted(stays_by_program.items())}


def sum_time_by_holder(holder_times: Iterable[HolderTime]) -> dict[str, dict[str, timedelta]]:
    """Where the time of each stage went: stage, holder, time. Only holders that had any."""
    times_by_stage: dict[str, dict[str, timedelta]] = {stage: {} for stage in STAGES}
    for holder_time in holder_times:
        if holder_time.stage in times_by_stage:
            holders = times_by_stage[holder_time.stage]
            holders[holder_time.holder] = holders.get(holder_time.holder, timedelta()) + holder_time.time
    return {stage: {h: holders[h] for h in HOLDERS if holders.get(h)} for stage, holders in times_by_stage.items()}


def count_rounds(counts: Iterable[tuple[int, int]]) -> list[tuple[str, int]]:
    """How many reviews ended after one round, two, three, four or more; from (round, reviews)."""
    review_counts: Counter[int] = Counter()
    for number, reviews in counts:
        review_counts[min(max(number, 1), 4)] += reviews
    return [(word, review_counts[n]) for n, word in ROUND_LABELS.items()]
