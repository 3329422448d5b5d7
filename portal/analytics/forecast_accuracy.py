"""Did the forecasts hold? Each program's decisions replayed, for the office's page and for forecast_backtest."""

from collections import defaultdict
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from django.utils.translation import gettext_noop

from integrations.programs.registry import PROGRAMS
from integrations.submissions.services.transitions import PROGRAM_CALENDAR
from integrations.submissions.workflow.states import Holder
from portal.analytics.forecast import Forecast, Held, Past, Wait, Week, backtest
from portal.analytics.models import Passage

AIM = (85.0, 95.0)
JUDGED = 100  # waits below which a share is told and not judged: it moves by more than the aim is wide
STAGE = "review"


@dataclass(frozen=True, slots=True)
class Line:
    """One program (blank key: all of them): its forecast of now, and how the past ones held."""

    key: str
    name: str
    now: Forecast | None
    held: Held

    @property
    def is_off(self) -> bool:
        share = self.held.share
        return share is not None and self.held.count >= JUDGED and not AIM[0] <= share <= AIM[1]

    @property
    def words(self) -> str:
        if self.held.share is None:
            return "too few decisions to try a forecast on"
        judged = "" if self.held.count >= JUDGED else " (too few to judge)"
        return f"nine of ten held for {self.held.share:.1f} % of {self.held.count} decisions{judged}"


def of_programs(now: datetime, *, program: str = "", weeks: int = 0) -> list[Line]:
    """Every program that has decided anything, and all together at the end. One query."""
    rows = Passage.objects.filter(stage=STAGE, holder=str(Holder.PROGRAM))
    if program:
        rows = rows.filter(program_key=program)
    found: dict[str, list[Wait]] = defaultdict(list)
    for key, since, until in rows.order_by().values_list("program_key", "since", "until"):
        found[key].append(Wait(since, until))
    lines = [_line(key, waits, now, weeks) for key, waits in sorted(found.items())]
    return [*lines, together(lines)] if len(lines) > 1 else lines


def together(lines: list[Line]) -> Line:
    """All programs, each judged by its own forecast."""
    weeks = sorted((week for line in lines for week in line.held.weeks), key=lambda week: week.monday)
    merged = [sum_of(list(same)) for _, same in groupby(weeks, key=lambda week: week.monday)]
    return Line("", gettext_noop("All programs"), None, Held(tuple(merged), sum(line.held.unknown for line in lines)))


def sum_of(weeks: list[Week]) -> Week:
    """The same week of several programs."""
    counts = [sum(getattr(week, name) for week in weeks) for name in ("count", "held", "held_middle")]
    return Week(weeks[0].monday, max(week.p90 for week in weeks), *counts)


def _line(key: str, waits: list[Wait], now: datetime, weeks: int) -> Line:
    name = PROGRAMS[key].name if key in PROGRAMS else key
    past = Past(waits, PROGRAM_CALENDAR)
    return Line(key, name, past.forecast(now), backtest(waits, now, PROGRAM_CALENDAR, weeks=weeks, past=past))


def as_data(line: Line) -> dict[str, Any]:
    """The same as JSON, moments in UTC."""
    weeks = [asdict(week) | {"monday": week.monday.date().isoformat()} for week in line.held.weeks]
    return {
        "program": line.key, "stage": STAGE, "forecast": asdict(line.now) if line.now else None,
        "decisions": line.held.count, "unknown": line.held.unknown, "held_p90": line.held.share,
        "held_p50": line.held.middle, "aim": list(AIM), "weeks": weeks,
    }  # fmt: skip
