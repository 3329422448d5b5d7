"""SLA trends of twelve weeks: met and breached targets, and durations, in seven queries."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from operator import attrgetter
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db.models import Count, Q, QuerySet
from django.db.models.functions import TruncWeek
from django.utils.translation import gettext as _, ngettext

from integrations.programs.registry import PROGRAMS, get_edition
from integrations.programs.sla_policy import SlaTarget
from integrations.sla.clock_usage import format_target
from integrations.sla.engine.types import ClockStatus, Severity
from integrations.sla.filters import ClockFilters
from integrations.sla.formatting import format_percent
from integrations.sla.metrics import Totals
from integrations.sla.models import SlaBreach, SlaClock
from integrations.sla.presenters import TARGET_TYPE_LABELS
from portal.core.figures import build_key, read_figures
from portal.core.periods import Period, PeriodKind, get_period
from portal.core.value_types import TemplateContext
from portal.reports.models import ReportSnapshot
from portal.ui.charts.columns import Chart, Column

WEEK_COUNT = 12
MAX_SHARES = 50  # rows of a table
HOUR_SECONDS = 3600
DAY_SECONDS = 86400
MAX_DAY_COLUMNS = 7  # a longer target is shown in quarters
DEFAULT_TARGETS = {
    Severity.CRITICAL: SlaTarget(hours=48),
    Severity.OTHER: SlaTarget(business_days=5),
}  # histogram ranges without a target


@dataclass(frozen=True, slots=True)
class HistogramBins:
    """Bins of a histogram: upper limits in seconds, labels (one more for longer durations), and the target."""

    ends: tuple[int, ...]
    labels: tuple[str, ...]
    target: str = ""


BinsByKind: TypeAlias = dict[tuple[str, Severity], HistogramBins]  # by target type and severity


@dataclass(frozen=True, slots=True)
class SlaShare:
    """Met and breached SLA targets of a program or partner."""

    name: str
    met: int
    breached: int

    @property
    def in_time(self) -> str:
        return format_percent(Totals(self.met, self.breached).share)

    @property
    def pieces(self) -> list[tuple[str, float]]:
        return [("counted", self.met), ("over", self.breached)]

    @property
    def summary(self) -> str:
        counts = {"met": intcomma(self.met), "breached": intcomma(self.breached)}
        return _("%(met)s met, %(breached)s breached") % counts


@dataclass(frozen=True, slots=True)
class TrendCounts:
    """Met and breached targets by week (its Monday), and of the last twelve weeks by program and by partner.

    `durations` are the numbers of stopped clocks by target type, severity, and bin. `editions` are those of the clocks.
    """

    weekly: tuple[Counter[tuple[date]], Counter[tuple[date]]]
    programs: dict[str, list[int]]
    partners: dict[str, list[int]]
    durations: dict[str, int]
    editions: list[tuple[str, str]]

    @property
    def row_count(self) -> int:
        return sum(counts.total() for counts in self.weekly) + sum(self.durations.values())


def build_trends(filters: ClockFilters, now: datetime, zone: ZoneInfo) -> TemplateContext:
    """Return the charts and shares of the last twelve weeks, including the current week. Up to ten minutes old."""
    earlier, weeks = list_weeks(now, zone)
    start = weeks[0].get_bounds(zone)[0]
    counts = read_figures(
        build_key(f"trends {weeks[0]}", filters.list_clocks()),
        lambda: _count_trends(filters, (earlier[0].get_bounds(zone)[0], start, now), zone),
        attrgetter("row_count"),
    )
    bins = _build_bins_by_kind(counts.editions)
    program_names = {key: program.name for key, program in PROGRAMS.items()}
    weekly_chart = _build_weekly_chart(counts, count_incomplete_clocks(filters.report, weeks), earlier, weeks)
    duration_charts = [_build_duration_chart(*kind, bins[kind], counts.durations) for kind in bins]
    return {
        # A program without targets has no results by week, but has response and resolution times.
        "is_empty": weekly_chart.is_empty and all(chart.is_empty for chart in duration_charts),
        "weeks": weekly_chart,
        "lengths": duration_charts,
        "programs": list_shares(counts.programs, program_names),
        "partners": list_shares(counts.partners, {}),
    }


def _count_trends(filters: ClockFilters, moments: tuple[datetime, datetime, datetime], zone: ZoneInfo) -> TrendCounts:
    """Count since the first moment, or since the second one, until the last one."""
    earlier_start, start, now = moments
    met_clocks, breaches = query_results(filters, earlier_start, now)
    columns = ("integration__program_key", "integration__partner__name")
    programs, partners = count_results(query_results(filters, start, now), *columns)
    # Clocks without a target are included, because the histograms show all response and resolution times.
    stopped_clocks = SlaClock.objects.filter(
        filters.condition, stopped_at__gte=start, stopped_at__lte=now, target_type__in=TARGET_TYPE_LABELS
    ).order_by()
    editions = list(stopped_clocks.values_list("integration__program_key", "issue__edition").distinct())
    return TrendCounts(
        (count_by_week(met_clocks, "stopped_at", zone), count_by_week(breaches, "due_at", zone)),
        programs,
        partners,
        _count_durations(stopped_clocks, _build_bins_by_kind(editions)),
        editions,
    )


def count_incomplete_clocks(report: str, weeks: Iterable[Period]) -> dict[Period, int]:
    """Return the number of clocks with incomplete data by week, for weeks with a report.

    Only the stored reports contain it. `report` is empty if no report has the scope of the filters.
    """
    if not report:
        return {}
    weeks_by_name = {str(week): week for week in weeks}
    snapshots = ReportSnapshot.objects.filter(scope=report, period__in=weeks_by_name)
    counts = snapshots.values_list("period", "figures__totals__data_incomplete")
    return {weeks_by_name[name]: int(count) for name, count in counts}


def query_results(
    filters: ClockFilters, start: datetime, now: datetime
) -> tuple[QuerySet[SlaClock], QuerySet[SlaBreach]]:
    met_clocks = filters.list_clocks().filter(state=ClockStatus.MET, stopped_at__gte=start, stopped_at__lte=now)
    return met_clocks, SlaBreach.objects.filter(
        filters.condition, retracted_at=None, due_at__gte=start, due_at__lte=now
    )


def list_weeks(now: datetime, zone: ZoneInfo) -> tuple[list[Period], list[Period]]:
    """Return the previous twelve weeks and the last twelve weeks, including the current week."""
    weeks = [get_period(PeriodKind.WEEK, now.astimezone(zone).date())]
    while len(weeks) < 2 * WEEK_COUNT:
        weeks.append(weeks[-1].previous)
    return weeks[: WEEK_COUNT - 1 : -1], weeks[WEEK_COUNT - 1 :: -1]


def count_by_week(rows: Any, column: str, zone: ZoneInfo, *names: str) -> Counter[tuple[Any, ...]]:
    """Return the number of rows by the values of the named columns and the Monday of their week."""
    weekly = rows.order_by().annotate(week=TruncWeek(column, tzinfo=zone)).values_list(*names, "week")
    counts = weekly.annotate(n=Count("pk"))
    return Counter({(*values, moment.astimezone(zone).date()): count for *values, moment, count in counts})


def count_results(results: Iterable[QuerySet[Any]], *columns: str) -> list[dict[str, list[int]]]:
    """Return the numbers of met and breached targets by the values of each column."""
    totals: list[dict[str, list[int]]] = [{} for _column in columns]
    for index, rows in enumerate(results):
        for *names, count in rows.order_by().values_list(*columns).annotate(n=Count("pk")):
            for name, counts in zip(names, totals, strict=True):
                counts.setdefault(name, [0, 0])[index] += count
    return totals


def _build_weekly_chart(
    counts: TrendCounts, incomplete_counts: dict[Period, int], earlier: list[Period], weeks: list[Period]
) -> Chart:
    met_counts, breach_counts = counts.weekly
    columns = [
        Column(
            f"W{week.number}",
            met_counts[week.first_day,],
            breach_counts[week.first_day,],
            str(incomplete_counts.get(week, "")),
            met_counts[previous_week.first_day,] + breach_counts[previous_week.first_day,],
        )
        for previous_week, week in zip(earlier, weeks, strict=True)
    ]
    return Chart("weeks", _("SLA targets met and breached by week"), tuple(columns))


def _build_bins_by_kind(editions: Iterable[tuple[str, str]]) -> BinsByKind:
    """Return the bins of the histograms by target type and severity, for clocks of these program editions."""
    targets_by_kind = _collect_targets(editions)
    kinds = [(target_type, severity) for target_type in TARGET_TYPE_LABELS for severity in DEFAULT_TARGETS]
    return {kind: build_bins(targets_by_kind.get(kind, set()), DEFAULT_TARGETS[kind[1]]) for kind in kinds}


def _count_durations(stopped_clocks: QuerySet[SlaClock], bins_by_kind: BinsByKind) -> dict[str, int]:
    """Count the response and resolution times in each bin, by target type, severity, and bin."""
    columns = {
        f"{target_type}_{severity}_{index}": Count(
            "pk", filter=_build_bin_condition(bins.ends, index) & Q(severity=severity, target_type=target_type)
        )
        for (target_type, severity), bins in bins_by_kind.items()
        for index in range(len(bins.labels))
    }
    counts: dict[str, int] = stopped_clocks.aggregate(**columns)
    return counts


def _collect_targets(editions: Iterable[tuple[str, str]]) -> dict[tuple[str, Severity], set[SlaTarget]]:
    """Return the targets of program editions by target type and severity."""
    targets_by_kind: dict[tuple[str, Severity], set[SlaTarget]] = {}
    for key, edition_date in editions:
        sla = get_edition(key, edition_date).sla
        for target_type, severity, target in sla.list_targets():
            targets_by_kind.setdefault((str(target_type), Severity(severity)), set()).add(target)
    return targets_by_kind


def build_bins(targets: set[SlaTarget], usual: SlaTarget) -> HistogramBins:
    """Return the bins up to the target. There is no target line without a common target."""
    # Programs with different targets have no line in common.
    target = next(iter(targets)) if len(targets) == 1 else None
    scale_target = target or usual
    total, unit = (
        (scale_target.hours, HOUR_SECONDS) if scale_target.hours else (scale_target.business_days or 1, DAY_SECONDS)
    )
    bin_count = total if unit == DAY_SECONDS and total <= MAX_DAY_COLUMNS else 4
    bin_ends = [total * number / bin_count for number in range(1, bin_count + 1)]
    labels = tuple(_format_bin(number, unit) for number in bin_ends)
    return HistogramBins(
        tuple(int(number * unit) for number in bin_ends),
        (*labels, _("longer")),
        _describe_target(target) if target else "",
    )


def _format_bin(length: float, unit: int) -> str:
    template = (
        _("%(count)s h")
        if unit == HOUR_SECONDS
        else ngettext("%(count)s day", "%(count)s days", 1 if length == 1 else 2)
    )
    return template % {"count": f"{length:g}"}


def _describe_target(target: SlaTarget) -> str:
    template = _("recommended %(target)s") if target.is_ideal else _("target %(target)s")
    return template % {"target": format_target(target)}


def _build_bin_condition(ends: tuple[int, ...], index: int) -> Q:
    """Return the condition of a bin: more than the previous limit, and at most its own."""
    lower_bound = Q(counted_seconds__gt=ends[index - 1]) if index else Q()
    return lower_bound & Q(counted_seconds__lte=ends[index]) if index < len(ends) else lower_bound


def _build_duration_chart(target_type: str, severity: str, bins: HistogramBins, durations: dict[str, int]) -> Chart:
    """Return a histogram. Durations above a target count as late."""
    counts = [durations[f"{target_type}_{severity}_{index}"] for index in range(len(bins.labels))]
    # Without a common target, a longer time isn't late.
    last_column = Column(bins.labels[-1], 0, counts[-1]) if bins.target else Column(bins.labels[-1], counts[-1])
    columns = [Column(label, count) for label, count in zip(bins.labels[:-1], counts, strict=False)] + [last_column]
    title = (
        f"{_(TARGET_TYPE_LABELS[target_type])}, {_('critical') if severity == Severity.CRITICAL else _('all others')}"
    )
    target_index = len(bins.ends) if bins.target else -1
    return Chart(f"{target_type}-{severity}", title, tuple(columns), target_index, bins.target)


def list_shares(counts: dict[str, list[int]], names: dict[str, str]) -> list[SlaShare]:
    """Return the shares by name, worst first."""
    shares = [SlaShare(names.get(key, key), *pair) for key, pair in counts.items()]
    return sorted(shares, key=lambda share: (-share.breached, -share.met, share.name))
