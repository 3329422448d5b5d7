"""Rows and charts for throughput, funnel, and forecast accuracy."""

from datetime import date

from django.utils import dates
from django.utils.translation import gettext as _, gettext_noop

from integrations.programs.registry import PROGRAMS
from portal.analytics.forecast_accuracy import MIN_JUDGED_WAITS, TARGET_PERCENT_RANGE, ForecastAccuracy
from portal.analytics.funnel import FunnelStep, IntegrationGroup, build_funnel, find_drop_offs
from portal.analytics.presenters import format_days
from portal.core.value_types import TemplateContext
from portal.ui.charts.columns import Chart, Column
from portal.ui.charts.stacked_bar import format_share

BACKTEST_WEEKS = 52
CHART_WEEKS = 10
TOO_FEW, WITHIN_TARGET, OFF_TARGET = (
    gettext_noop("Not enough data"),
    gettext_noop("On target"),
    gettext_noop("Off target"),
)
TONES = {WITHIN_TARGET: "good", OFF_TARGET: "warn"}


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
            "judgment": _(judgment) if judgment else "",
            "tone": TONES.get(judgment, "neutral"),
        }
        for line, judgment in ((line, _rate_accuracy(line)) for line in lines)
    ]


def _rate_accuracy(line: ForecastAccuracy) -> str:
    if line.backtest.p90_percentage is None:
        return ""
    if line.backtest.count < MIN_JUDGED_WAITS:
        return TOO_FEW
    return OFF_TARGET if line.is_off else WITHIN_TARGET


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
