"""How are throughput, funnel and the tried forecasts said and drawn? Rows and charts made of plain figures."""

from dataclasses import dataclass
from datetime import date

from django.utils import dates
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.programs.registry import PROGRAMS
from portal.analytics.forecast_accuracy import AIM, Line
from portal.analytics.funnel import FunnelStep, Group, funnel, stopped
from portal.analytics.presenters import days
from portal.ui.charts.columns import Chart, Column
from portal.ui.charts.stacked_bar import share

YEAR = 52  # weeks of forecasts that are tried
WEEKS = 10  # of tried forecasts that are drawn
TOO_FEW, WITHIN, OFF = gettext_noop("too few to judge"), gettext_noop("in the aim"), gettext_noop("off the aim")
TONES = {WITHIN: "good", OFF: "warn"}


@dataclass(frozen=True, slots=True)
class FunnelRow:
    """One step of the funnel in words, with its bar."""

    name: str
    reached: int
    share: str
    still: int
    ended: str
    pieces: list[tuple[str, float]]
    total: float


def span_names(spans: list[date], *, monthly: bool) -> list[str]:
    """ "W47" for weeks, "Nov" for months."""
    return [str(dates.MONTHS_3[day.month]).title() if monthly else _week(day) for day in spans]


def moves(names: list[str], counts: dict[str, list[int]]) -> list[Chart]:
    """One small chart for each kind of move. `counts`: the period before, then the one that the names are of."""
    return [
        Chart(
            f"moves-{what.lower()}",
            _(what),
            tuple(
                Column(name, n, before=before)
                for name, before, n in zip(names, numbers[: len(names)], numbers[len(names) :], strict=True)
            ),
        )
        for what, numbers in counts.items()
    ]


def move_rows(charts: list[Chart]) -> list[tuple[str, list[Column]]]:
    """The same as rows: what each span is called, and its column of each chart."""
    return [(columns[0].label, list(columns)) for columns in zip(*(chart.columns for chart in charts), strict=True)]


def funnel_rows(groups: list[Group]) -> list[FunnelRow]:
    """The steps with how many reached them, as shares of those that started."""
    steps = funnel(groups)
    started = steps[0].reached
    return [_funnel_row(step, started) for step in steps] if started else []


def _funnel_row(step: FunnelStep, started: int) -> FunnelRow:
    ended = ", ".join(f"{n} {_(word)}" for word, n in step.ended)
    pieces = [("counted", float(step.reached))] if step.reached else []
    reached = share(step.reached, started)
    return FunnelRow(_(step.name), step.reached, reached, step.still, ended or "–", pieces, started)


def stopped_rows(groups: list[Group]) -> list[tuple[str, str, int, int]]:
    """Where those that ended stopped, most first."""
    return [
        (PROGRAMS[program].name if program in PROGRAMS else program, step, withdrawn, declined)
        for program, step, withdrawn, declined in stopped(groups)
    ]


@dataclass(frozen=True, slots=True)
class ForecastRow:
    """One program: what is told now, and how often it held."""

    name: str
    told: str
    count: int
    held: str
    middle: str
    tone: str
    judged: str


def forecast_rows(lines: list[Line]) -> list[ForecastRow]:
    return [_forecast_row(line) for line in lines]


def _forecast_row(line: Line) -> ForecastRow:
    judged = "" if line.held.share is None else WITHIN if not line.is_off else OFF
    if line.held.share is not None and "too few" in line.words:
        judged = TOO_FEW
    return ForecastRow(
        _name(line), _told(line) if line.key else _("each its own"), line.held.count, _per_cent(line.held.share),
        _per_cent(line.held.middle), TONES.get(judged, "neutral"), _(judged) if judged else "",
    )  # fmt: skip


def _name(line: Line) -> str:
    return line.name if line.key else _(line.name)


def _told(line: Line) -> str:
    now = line.now
    if now is None:
        return _("too few to say")
    said = {"middle": days(now.p50), "nine": days(now.p90), "count": now.count, "window": now.window}
    return _("%(middle)s and %(nine)s days, %(count)s in %(window)s days") % said


def _per_cent(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f} %"


def calibration_chart(line: Line) -> Chart:
    """By week: for how many decisions nine of ten held, and above it, hatched, for how many it did not."""
    weeks = line.held.weeks[-WEEKS:]
    columns = tuple(Column(_week(week.monday), week.held, week.count - week.held) for week in weeks)
    title = _("%(program)s: decisions within nine of ten, by week") % {"program": _name(line)}
    return Chart(f"held-{line.key or 'all'}", title, columns)


def _week(monday: date) -> str:
    return _("W%(week)s") % {"week": monday.isocalendar().week}


def aim_words() -> str:
    """ "85 to 95 %"."""
    return _("%(least)s to %(most)s %%") % {"least": f"{AIM[0]:.0f}", "most": f"{AIM[1]:.0f}"}
