"""Figures of the managers' report: program trends, partners, reasons of breaches, and forecasts."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Count, Q
from django.utils.translation import gettext_lazy

from integrations.programs.registry import PROGRAMS
from integrations.sla.engine.types import Severity
from integrations.sla.filters import ClockFilters
from portal.analytics.forecast_accuracy import ForecastAccuracy, evaluate_programs
from portal.core.exports import CellValue, ExportTable
from portal.core.figures import build_key, read_figures
from portal.core.periods import Period
from portal.reports.trends import SlaShare, count_by_week, count_results, list_weeks, query_results
from portal.ui.charts.columns import Chart, Column

# Why a target was missed: its type and, for resolutions, who wrote last.
REASON_LABELS = {
    "respond": gettext_lazy("No first response in time"),
    "resolve:partner": gettext_lazy("Not resolved after the partner's last answer"),
    "resolve:": gettext_lazy("Not resolved, and the partner hasn't answered the last comment"),
}
CSV_COLUMNS = ("table", "name", "week", "met", "breached", "share on time", "critical", "not critical", "p50", "p90")


@dataclass(frozen=True, slots=True)
class BreachReason:
    """Number of breaches with the same reason, by severity."""

    key: str
    critical: int
    other: int

    @property
    def label(self) -> str:
        return str(REASON_LABELS[self.key])

    @property
    def count(self) -> int:
        return self.critical + self.other


@dataclass(frozen=True, slots=True)
class Overview:
    """Content of the managers' report. Shares of partners have the lowest first."""

    weeks: list[str]
    programs: list[tuple[SlaShare, Chart]]
    partners: list[SlaShare]
    reasons: list[BreachReason]
    forecasts: list[ForecastAccuracy]


def build_overview(filters: ClockFilters, now: datetime, zone: ZoneInfo) -> Overview:
    """Return the figures of the last twelve weeks, including the current week. Up to ten minutes old."""
    weeks = list_weeks(now, zone)[1]
    programs, partners, reasons = read_figures(
        build_key(f"overview {weeks[0]}", filters.list_clocks()),
        lambda: _count_figures(filters, weeks, now, zone),
        lambda figures: sum(share.met + share.breached for share in figures[1]),
    )
    forecasts = evaluate_programs(now, program=filters.values.get("program", ""))
    return Overview([str(week) for week in weeks], programs, partners, reasons, forecasts)


def _count_figures(
    filters: ClockFilters, weeks: list[Period], now: datetime, zone: ZoneInfo
) -> tuple[list[tuple[SlaShare, Chart]], list[SlaShare], list[BreachReason]]:
    """Return the figures of programs, partners, and reasons in six queries."""
    met_clocks, breaches = query_results(filters, weeks[0].get_bounds(zone)[0], now)
    met_counts = count_by_week(met_clocks, "stopped_at", zone, "integration__program_key")
    breach_counts = count_by_week(breaches, "due_at", zone, "integration__program_key")
    programs = []
    for key in sorted({program for program, _ in (*met_counts, *breach_counts)}):
        columns = tuple(
            Column(f"W{week.number}", met_counts[key, week.first_day], breach_counts[key, week.first_day])
            for week in weeks
        )
        name = PROGRAMS[key].name if key in PROGRAMS else key
        share = SlaShare(name, sum(each.count for each in columns), sum(each.late for each in columns))
        programs.append((share, Chart(f"program-{key}", name, columns)))
    partners = [
        SlaShare(name, *pair)
        for name, pair in count_results((met_clocks, breaches), "integration__partner__name")[0].items()
    ]
    # All partners, because the page shows the lowest shares and the CSV has every row.
    partners.sort(key=lambda share: (share.met / (share.met + share.breached), -share.breached, share.name))
    return programs, partners, _list_reasons(breaches)


def _list_reasons(breaches: Any) -> list[BreachReason]:
    """Return the reasons of the breaches, the most frequent first."""
    counts: Counter[tuple[str, bool]] = Counter()
    rows = breaches.order_by().values_list("target_type", "issue__last_commenter_role")
    for target_type, commenter_role, critical, other in rows.annotate(
        critical=Count("pk", filter=Q(severity=Severity.CRITICAL)),
        other=Count("pk", filter=~Q(severity=Severity.CRITICAL)),
    ):
        key = "respond" if target_type == "respond" else f"resolve:{'partner' if commenter_role == 'partner' else ''}"
        counts.update({(key, True): critical, (key, False): other})
    reasons = [BreachReason(key, counts[key, True], counts[key, False]) for key in REASON_LABELS]
    return sorted((each for each in reasons if each.count), key=lambda each: -each.count)


def build_table(overview: Overview) -> ExportTable:
    """Return all figures as one table for CSV."""
    # Each kind of row fills only the first columns, but parsers expect the same number of fields in each line.
    rows = ((*row, *("",) * (len(CSV_COLUMNS) - len(row))) for row in _generate_rows(overview))
    return ExportTable("sla-overview", CSV_COLUMNS, rows)


def _generate_rows(overview: Overview) -> Iterator[tuple[CellValue, ...]]:
    for share, chart in overview.programs:
        for week, column in zip(overview.weeks, chart.columns, strict=True):
            yield "program", share.name, week, column.count, column.late
    for share in overview.partners:
        yield "partner", share.name, "", share.met, share.breached, share.in_time
    for reason in overview.reasons:
        yield "reason", reason.key, "", "", reason.count, "", reason.critical, reason.other
    for line in overview.forecasts:
        p50, p90 = (line.forecast.p50, line.forecast.p90) if line.forecast else ("", "")
        yield "forecast", line.key or "all", "", line.backtest.count, "", line.backtest.p90_percentage, "", "", p50, p90
