"""Rows and charts of analytics pages."""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta

from django.utils import dates
from django.utils.translation import gettext as _, gettext_noop, ngettext

from integrations.programs.registry import PROGRAMS
from integrations.submissions.workflow.states import STAGE_LABELS, Stage
from portal.analytics import metrics
from portal.analytics.forecast_accuracy import MIN_JUDGED_WAITS, TARGET_PERCENT_RANGE, ForecastAccuracy
from portal.analytics.funnel import FunnelStep, IntegrationGroup, build_funnel, find_drop_offs
from portal.analytics.metrics import StageFigures
from portal.core.value_types import TemplateContext
from portal.ui.charts.columns import Chart, Column
from portal.ui.charts.stacked_bar import StackedBar, format_share, render_stacked_bars, render_swatch

RESPONSIBLE_PARTY_NAMES = {
    "partner": gettext_noop("Partner"),
    "program": gettext_noop("Program"),
    "machine": gettext_noop("Portal"),
    "outage": gettext_noop("Outage"),
    "third_party": gettext_noop("Others"),
}
CHART_WEEKS = 10


def format_days(value: float | None) -> str:
    """Format days with one decimal, as all figures of a column have, or as a dash for None."""
    return "–" if value is None else f"{value:.1f}"


def build_stage_rows(figures_by_program: Mapping[str, list[StageFigures]]) -> list[TemplateContext]:
    """Return rows of stages with exits, for the first program and each other program with enough data."""
    shown_stages = {
        program: stages
        for n, (program, stages) in enumerate(figures_by_program.items())
        if not n or _has_figures(stages)
    }
    rows = [(program, figures) for program, stages in shown_stages.items() for figures in stages if figures.count]
    longest = max((figures.p90 or 0 for _, figures in rows), default=0) or 1
    return [_build_stage_row(PROGRAMS[p].name if p else _("All programs"), figures, longest) for p, figures in rows]


def _has_figures(stages: list[StageFigures]) -> bool:
    return any(figures.p50 is not None for figures in stages)


def list_sparse_programs(figures_by_program: Mapping[str, list[StageFigures]]) -> list[str]:
    """Return the programs without enough data for figures."""
    return [PROGRAMS[program].name for program, stages in figures_by_program.items() if not _has_figures(stages)]


def _build_stage_row(program: str, figures: StageFigures, longest: float) -> TemplateContext:
    """Return a row with a meter of the median and the 90th percentile, if there is enough data."""
    p50 = format_days(figures.p50)
    p90 = format_days(figures.p90)
    if figures.p50 is None or figures.p90 is None:
        pieces = []
        summary = _("Not enough data (fewer than %(minimum)s)") % {"minimum": metrics.MIN_STAYS}
    else:
        pieces = [("counted", figures.p50), ("paused", figures.p90 - figures.p50)]
        summary = _("Median %(median)s · 90%% within %(p90)s") % {"median": p50, "p90": p90}
    row: TemplateContext = {
        "program": program,
        "stage": str(STAGE_LABELS[Stage(figures.stage)]),
        "count": figures.count,
    }
    return row | {"p50": p50, "p90": p90, "pieces": pieces, "total": longest, "summary": summary}


def build_distribution_charts(stages: Iterable[StageFigures]) -> list[Chart]:
    """Build a chart of each stage with the distribution of stays over working days."""
    names = [*map(str, metrics.COLUMN_LIMITS_DAYS), _("more")]
    return [
        Chart(
            f"spread-{figures.stage}",
            _("%(stage)s: working days, up to") % {"stage": str(STAGE_LABELS[Stage(figures.stage)])},
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


def build_forecast_rows(lines: list[ForecastAccuracy]) -> list[TemplateContext]:
    """Return the current forecast of each program, its accuracy, and the judgment."""
    return [
        {
            "name": _get_name(line),
            "forecast": _format_forecast(line) if line.key else _("By program"),
            "backtest": line.backtest,
            "judgment": judgment,
            "tone": tone,
        }
        for line, (judgment, tone) in ((line, _rate_accuracy(line)) for line in lines)
    ]


def _rate_accuracy(line: ForecastAccuracy) -> tuple[str, str]:
    """Return the judgment, if there is one, and its tone."""
    if line.backtest.p90_percentage is None:
        return "", "neutral"
    if line.backtest.count < MIN_JUDGED_WAITS:
        return _("Not enough data"), "neutral"
    return (_("Off target"), "warn") if line.is_off else (_("On target"), "good")


def _get_name(line: ForecastAccuracy) -> str:
    return line.name if line.key else _(line.name)


def _format_forecast(line: ForecastAccuracy) -> str:
    forecast = line.forecast
    if forecast is None:
        return _("Not enough data")
    parameters = {
        "median": format_days(forecast.p50),
        "p90": format_days(forecast.p90),
        "count": forecast.count,
        "window": forecast.window,
    }
    return _("%(median)s and %(p90)s days from %(count)s decisions in %(window)s days") % parameters


def build_calibration_chart(line: ForecastAccuracy) -> Chart:
    """Build a chart of the weekly decisions within the 90th percentile forecast and, hatched, above it."""
    weeks = line.backtest.weeks[-CHART_WEEKS:]
    columns = tuple(Column(_format_week(week.monday), week.within_p90, week.count - week.within_p90) for week in weeks)
    title = _("%(program)s: decisions within the 90%% forecast by week") % {"program": _get_name(line)}
    return Chart(f"backtest-{line.key or 'all'}", title, columns)


def _format_week(monday: date) -> str:
    return _("W%(week)s") % {"week": monday.isocalendar().week}


def format_target() -> str:
    """Format the target range, such as "85% to 95%"."""
    return _("%(minimum)s%% to %(maximum)s%%") % {
        "minimum": f"{TARGET_PERCENT_RANGE[0]:.0f}",
        "maximum": f"{TARGET_PERCENT_RANGE[1]:.0f}",
    }
