"""How are throughput, funnel and the tried forecasts said and drawn? Rows and charts made of plain figures."""

from dataclasses import dataclass
from datetime import date

from integrations.programs import PROGRAMS
from portal.office.bars import share
from portal.office.calibration import AIM, Line
from portal.office.flow import FunnelStep, Group, funnel, stopped
from portal.office.forecast import Week
from portal.office.shown import days
from portal.sla.charts import Chart, Column

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
YEAR = 52  # weeks of forecasts that are tried
WEEKS = 10  # of tried forecasts that are drawn


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
    return [MONTHS[day.month - 1] if monthly else f"W{day.isocalendar().week}" for day in spans]


def moves(names: list[str], counts: dict[str, list[int]]) -> list[Chart]:
    """One small chart for each kind of move. `counts`: the period before, then the one that the names are of."""
    return [
        Chart(
            f"moves-{what.lower()}",
            what,
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
    ended = ", ".join(f"{n} {word}" for word, n in step.ended)
    pieces = [("counted", float(step.reached))] if step.reached else []
    return FunnelRow(step.name, step.reached, share(step.reached, started), step.still, ended or "–", pieces, started)


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
    now = line.now
    told = f"{days(now.p50)} and {days(now.p90)} days, {now.count} in {now.window} days" if now else "too few to say"
    told = told if line.key else "each its own"
    judged = "" if line.held.share is None else "in the aim" if not line.is_off else "off the aim"
    if line.held.share is not None and "too few" in line.words:
        judged = "too few to judge"
    tone = {"in the aim": "good", "off the aim": "warn"}.get(judged, "neutral")
    return ForecastRow(
        line.name, told, line.held.count, _per_cent(line.held.share), _per_cent(line.held.middle), tone, judged
    )


def _per_cent(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f} %"


def calibration_chart(line: Line) -> Chart:
    """By week: for how many decisions nine of ten held, and above it, hatched, for how many it did not."""
    weeks = line.held.weeks[-WEEKS:]
    columns = tuple(Column(_week(week), week.held, week.count - week.held) for week in weeks)
    return Chart(f"held-{line.key or 'all'}", f"{line.name}: decisions within nine of ten, by week", columns)


def _week(week: Week) -> str:
    return f"W{week.monday.isocalendar().week}"


AIM_WORDS = f"{AIM[0]:.0f} to {AIM[1]:.0f} %"
