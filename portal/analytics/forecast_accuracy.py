"""Accuracy of past forecasts by program, for the forecast page and the backtest command."""

from collections import defaultdict
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import groupby

from django.utils.translation import gettext_noop

from integrations.programs.registry import PROGRAMS
from integrations.programs.selectors import get_program_calendar
from integrations.submissions.workflow.states import ResponsibleParty
from portal.analytics.forecast import BacktestResult, BacktestWeek, Forecast, ProgramWait, WaitHistory, backtest
from portal.analytics.models import StageDuration
from portal.core.figures import read_figures

TARGET_PERCENT_RANGE = (85.0, 95.0)
MIN_JUDGED_WAITS = 100  # with fewer, the share varies by more than the target range
BACKTEST_WEEKS = 52  # of pages and exports
STAGE = "review"


@dataclass(frozen=True, slots=True)
class ForecastAccuracy:
    """Current forecast of a program and the accuracy of past forecasts. An empty key means all programs."""

    key: str
    name: str
    forecast: Forecast | None
    backtest: BacktestResult

    @property
    def is_off(self) -> bool:
        percentage = self.backtest.p90_percentage
        return (
            percentage is not None
            and self.backtest.count >= MIN_JUDGED_WAITS
            and not TARGET_PERCENT_RANGE[0] <= percentage <= TARGET_PERCENT_RANGE[1]
        )

    @property
    def summary(self) -> str:
        if self.backtest.p90_percentage is None:
            return "not enough decisions to test a forecast"
        note = "" if self.backtest.count >= MIN_JUDGED_WAITS else " (too few to evaluate)"
        percentage = self.backtest.p90_percentage
        count = self.backtest.count
        return f"the 90% forecast held for {percentage:.1f}% of {count} decisions{note}"


def evaluate_programs(now: datetime, *, program: str = "", weeks: int = 0) -> list[ForecastAccuracy]:
    """Evaluate each program with decisions, then all programs together. Large results are cached for ten minutes."""
    return read_figures(
        f"forecasts {now.date()} {program} {weeks}",
        lambda: _evaluate_programs(now, program, weeks),
        lambda lines: sum(line.backtest.count for line in lines),
    )


def _evaluate_programs(now: datetime, program: str, weeks: int) -> list[ForecastAccuracy]:
    rows = StageDuration.objects.filter(stage=STAGE, responsible_party=str(ResponsibleParty.PROGRAM))
    if program:
        rows = rows.filter(program_key=program)
    waits_by_program: dict[str, list[ProgramWait]] = defaultdict(list)
    for key, started_at, ended_at in rows.order_by().values_list("program_key", "started_at", "ended_at"):
        waits_by_program[key].append(ProgramWait(started_at, ended_at))
    lines = [_evaluate_program(key, waits, now, weeks) for key, waits in sorted(waits_by_program.items())]
    return [*lines, combine_programs(lines)] if len(lines) > 1 else lines


def combine_programs(lines: list[ForecastAccuracy]) -> ForecastAccuracy:
    """Combine the programs, each evaluated with its own forecast."""
    weeks = sorted((week for line in lines for week in line.backtest.weeks), key=lambda week: week.monday)
    combined_weeks = [combine_weeks(list(week_group)) for _, week_group in groupby(weeks, key=lambda week: week.monday)]
    return ForecastAccuracy(
        "",
        gettext_noop("All programs"),
        None,
        BacktestResult(tuple(combined_weeks), sum(line.backtest.unknown for line in lines)),
    )


def combine_weeks(weeks: list[BacktestWeek]) -> BacktestWeek:
    """Combine the same week of several programs."""
    counts = [sum(getattr(week, name) for week in weeks) for name in ("count", "within_p90", "within_p50")]
    return BacktestWeek(weeks[0].monday, max(week.p90 for week in weeks), *counts)


def _evaluate_program(key: str, waits: list[ProgramWait], now: datetime, weeks: int) -> ForecastAccuracy:
    # The decisions of a removed program remain.
    name = PROGRAMS[key].name if key in PROGRAMS else key
    calendar = get_program_calendar(key)
    past = WaitHistory(waits, calendar)
    return ForecastAccuracy(key, name, past.forecast(now), backtest(waits, now, calendar, weeks=weeks, past=past))


def serialize_accuracy(line: ForecastAccuracy) -> dict[str, object]:
    """Serialize to JSON."""
    weeks = [asdict(week) | {"monday": week.monday.date().isoformat()} for week in line.backtest.weeks]
    return {
        "program": line.key,
        "stage": STAGE,
        "forecast": asdict(line.forecast) if line.forecast else None,
        "decisions": line.backtest.count,
        "unknown": line.backtest.unknown,
        "p90_percentage": line.backtest.p90_percentage,
        "p50_percentage": line.backtest.p50_percentage,
        "target_range": list(TARGET_PERCENT_RANGE),
        "weeks": weeks,
    }
