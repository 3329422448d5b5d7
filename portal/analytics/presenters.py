"""Rows and charts of analytics pages."""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta

from django.utils import dates
from django.utils.translation import gettext as _, gettext_noop, ngettext

from integrations.programs.registry import PROGRAMS
from integrations.submissions.workflow.states import STAGE_LABELS, Stage
from portal.analytics import metrics
from portal.analytics.forecast_accuracy import ForecastAccuracy
from portal.analytics.funnel import FunnelStep, IntegrationGroup, build_funnel, find_drop_offs
from portal.analytics.metrics import StageFigures
from portal.core.value_types import TemplateContext
from portal.ui.charts.columns import Chart, Column
from portal.ui.charts.stacked_bar import StackedBar, format_share, render_stacked_bars, render_swatch

RESPONSIBLE_PARTY_NAMES = {
    "partner": gettext_noop("Partner"),
    "program": gettext_noop("Program"),
    "portal": gettext_noop("Portal"),
    "outage": gettext_noop("Outage"),
    "third_party": gettext_noop("Others"),
}
CHART_WEEKS = 10


def build_stage_rows(figures_by_program: Mapping[str, list[StageFigures]]) -> list[tuple[str, str, StageFigures]]:
    """Return the program, the name, and the figures of each stage with exits.

    The first program is always included, the others only with enough data.
    """
    return [
        (PROGRAMS[program].name if program else _("All programs"), str(STAGE_LABELS[Stage(figures.stage)]), figures)
        for n, (program, stages) in enumerate(figures_by_program.items())
        if not n or _has_figures(stages)
        for figures in stages
        if figures.count
    ]


def _has_figures(stages: list[StageFigures]) -> bool:
    return any(figures.p50 is not None for figures in stages)


def list_sparse_programs(figures_by_program: Mapping[str, list[StageFigures]]) -> list[str]:
    """Return the programs without enough data for figures."""
    return [PROGRAMS[program].name for program, stages in figures_by_program.items() if not _has_figures(stages)]


def build_distribution_charts(stages: Iterable[StageFigures]) -> list[Chart]:
    """Build a chart of each stage with the distribution of stays over business days."""
    names = [*map(str, metrics.COLUMN_LIMITS_DAYS), _("more")]
    return [
        Chart(
            f"spread-{figures.stage}",
            _("%(stage)s: business days, up to") % {"stage": str(STAGE_LABELS[Stage(figures.stage)])},
            tuple(Column(name, n) for name, n in zip(names, figures.columns, strict=True)),
        )
        for figures in stages
    ]


def build_responsible_party_shares(times_by_stage: Mapping[str, Mapping[str, timedelta]]) -> TemplateContext:
    """Build the time by stage and responsible party: stacked bars, one per stage, their legend, and a table."""
    nonempty_times = {stage: times for stage, times in times_by_stage.items() if times}
    parties = [
        party for party in metrics.RESPONSIBLE_PARTIES if any(party in times for times in nonempty_times.values())
    ]
    bars = [
        StackedBar(str(STAGE_LABELS[Stage(stage)]), tuple((party, time / metrics.DAY) for party, time in times.items()))
        for stage, times in nonempty_times.items()
    ]
    rows = [(bar.name, [_format_cell(bar, party) for party in parties], _format_whole_days(bar.whole)) for bar in bars]
    names = {party: _(name) for party, name in RESPONSIBLE_PARTY_NAMES.items()}
    chart = render_stacked_bars("responsible-parties", _("Time by stage and responsible party"), bars, names)
    swatches = [(names[party], render_swatch("responsible-parties", party)) for party in parties]
    return {"chart": chart, "swatches": swatches, "rows": rows, "has_outages": "outage" in parties}


def _format_whole_days(days: float) -> str:
    return ngettext("%(count)s day", "%(count)s days", round(days)) % {"count": round(days)}


def _format_cell(bar: StackedBar, kind: str) -> str:
    amount = dict(bar.pieces).get(kind, 0.0)
    parameters = {"amount": f"{amount:.1f}", "share": format_share(amount, bar.whole)}
    return _("%(amount)s d, %(share)s") % parameters if amount else "–"


def build_rounds_chart(counts: list[tuple[str, int]]) -> Chart:
    columns = tuple(Column(_(label), n) for label, n in counts)
    return Chart("rounds", _("Reviews by number of rounds"), columns)


def build_span_names(spans: list[date], *, monthly: bool) -> list[str]:
    """Return labels such as "W47" for weeks or "Nov" for months."""
    return [str(dates.MONTHS_3[day.month]).title() if monthly else _format_week(day) for day in spans]


def build_move_charts(names: list[str], counts: dict[str, list[int]]) -> list[Chart]:
    """Build a chart for each kind of move. `counts` holds the previous period, then the period of the names."""
    return [
        Chart(
            f"moves-{label.lower()}",
            _(label),
            tuple(
                Column(name, n, before=previous_count)
                for name, previous_count, n in zip(names, numbers[: len(names)], numbers[len(names) :], strict=True)
            ),
        )
        for label, numbers in counts.items()
    ]


def build_move_rows(charts: list[Chart]) -> list[tuple[str, list[Column]]]:
    """Return the charts as table rows: the label of each span and its column of each chart."""
    return [(columns[0].label, list(columns)) for columns in zip(*(chart.columns for chart in charts), strict=True)]


def build_funnel_rows(groups: list[IntegrationGroup]) -> list[tuple[FunnelStep, str]]:
    """Return the funnel steps with their shares of the started integrations."""
    steps = build_funnel(groups)
    started_count = steps[0].reached_count
    return [(step, format_share(step.reached_count, started_count)) for step in steps] if started_count else []


def build_drop_off_rows(groups: list[IntegrationGroup]) -> list[tuple[str, str, int, int]]:
    """Return the steps at which integrations ended, most frequent first."""
    return [
        (PROGRAMS[program].name if program in PROGRAMS else program, step, withdrawn_count, declined_count)
        for program, step, withdrawn_count, declined_count in find_drop_offs(groups)
    ]


def build_calibration_chart(line: ForecastAccuracy) -> Chart:
    """Build a chart of the weekly decisions within the 90th percentile forecast and, hatched, above it."""
    weeks = line.backtest.weeks[-CHART_WEEKS:]
    columns = tuple(Column(_format_week(week.monday), week.within_p90, week.count - week.within_p90) for week in weeks)
    program = line.name if line.key else _(line.name)
    title = _("%(program)s: decisions within the 90%% forecast by week") % {"program": program}
    return Chart(f"backtest-{line.key or 'all'}", title, columns)


def _format_week(monday: date) -> str:
    return _("W%(week)s") % {"week": monday.isocalendar().week}
