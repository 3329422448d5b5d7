"""Percentiles, distributions, shares by responsible party, and review rounds of stage stays, as pure functions.

docs/reference/analytics.md defines every figure. Percentiles use the nearest rank, so that each percentile is an
observed stay and not an interpolated value.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from django.utils.translation import gettext_noop

from portal.core.business_time import Calendar

STAGES = ("engage", "develop", "review", "release")  # before listing
RESPONSIBLE_PARTIES = ("partner", "program", "portal", "outage", "third_party")
MIN_STAYS = 8  # minimum for percentiles
COLUMN_LIMITS_DAYS = (1, 2, 5, 10, 20, 40)  # business days
DAY = timedelta(days=1)
# Number of review rounds; the last label includes higher numbers
ROUND_LABELS = {
    1: gettext_noop("1 round"),
    2: gettext_noop("2 rounds"),
    3: gettext_noop("3 rounds"),
    4: gettext_noop("4 or more"),
}


@dataclass(frozen=True, slots=True)
class StageStay:
    """Stays in a stage, `count` of the same length. `days` are business days with one decimal."""

    program: str
    stage: str
    days: float
    count: int = 1


@dataclass(frozen=True, slots=True)
class ResponsiblePartyTime:
    """Total elapsed time in a stage with a responsible party."""

    program: str
    stage: str
    responsible_party: str
    time: timedelta


@dataclass(frozen=True, slots=True)
class StageFigures:
    """Figures of a stage: exited count, median, 90th percentile (None without enough stays), and distribution."""

    stage: str
    count: int
    p50: float | None
    p90: float | None
    columns: tuple[int, ...]

    @property
    def pieces(self) -> list[tuple[str, float]]:
        """Return the parts of a meter up to the median and the 90th percentile, or none without enough stays."""
        if self.p50 is None or self.p90 is None:
            return []
        return [("counted", self.p50), ("paused", self.p90 - self.p50)]


def count_business_days(start: datetime, end: datetime, calendar: Calendar) -> float:
    """Return the business days between two times, including fractions."""
    days = calendar.days
    return (days.get_position(end) - days.get_position(start)) / DAY


def calculate_counted_percentile(counts: Mapping[float, int], share: float) -> float | None:
    """Return the nearest-rank percentile of counted values, or None without values."""
    rank = ceil(round(share * sum(counts.values()), 9))
    below = 0
    for value in sorted(counts):
        below += counts[value]
        if below >= max(rank, 1):
            return value
    return None


def build_distribution(counts: Mapping[float, int]) -> tuple[int, ...]:
    """Return the counts up to each of COLUMN_LIMITS_DAYS, and the count above."""
    columns = [0] * (len(COLUMN_LIMITS_DAYS) + 1)
    for value, count in counts.items():
        columns[bisect_left(COLUMN_LIMITS_DAYS, value)] += count
    return tuple(columns)


def calculate_stage_figures(stays: Iterable[StageStay]) -> list[StageFigures]:
    """Return the figures of each stage in order."""
    days_by_stage: dict[str, Counter[float]] = defaultdict(Counter)
    for stay in stays:
        days_by_stage[stay.stage][stay.days] += stay.count
    return [_calculate_stage(stage, days_by_stage[stage]) for stage in STAGES]


def _calculate_stage(stage: str, days: Counter[float]) -> StageFigures:
    count = days.total()
    p50, p90 = (calculate_counted_percentile(days, share) if count >= MIN_STAYS else None for share in (0.5, 0.9))
    return StageFigures(stage, count, p50, p90, build_distribution(days))


def group_by_program(stays: Iterable[StageStay]) -> dict[str, list[StageFigures]]:
    """Return the stage figures of each program with stays."""
    stays_by_program: dict[str, list[StageStay]] = defaultdict(list)
    for stay in stays:
        stays_by_program[stay.program].append(stay)
    return {program: calculate_stage_figures(rows) for program, rows in sorted(stays_by_program.items())}


def sum_time_by_responsible_party(party_times: Iterable[ResponsiblePartyTime]) -> dict[str, dict[str, timedelta]]:
    """Return the time by stage and responsible party, without empty entries."""
    times_by_stage: dict[str, dict[str, timedelta]] = {stage: {} for stage in STAGES}
    for party_time in party_times:
        if party_time.stage in times_by_stage:
            times = times_by_stage[party_time.stage]
            times[party_time.responsible_party] = times.get(party_time.responsible_party, timedelta()) + party_time.time
    return {
        stage: {party: times[party] for party in RESPONSIBLE_PARTIES if times.get(party)}
        for stage, times in times_by_stage.items()
    }


def count_rounds(counts: Iterable[tuple[int, int]]) -> list[tuple[str, int]]:
    """Count the reviews by number of rounds, from pairs (round, reviews)."""
    review_counts: Counter[int] = Counter()
    for number, reviews in counts:
        review_counts[min(max(number, 1), 4)] += reviews
    return [(label, review_counts[n]) for n, label in ROUND_LABELS.items()]
