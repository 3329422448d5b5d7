"""Did the forecasts hold? Each program's decisions replayed, for the office's page and for forecast_backtest."""

from collections import defaultdict
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from integrations.programs import PROGRAMS
from integrations.states import Holder
from integrations.workflow import PROGRAM_CALENDAR
from portal.office.forecast import Forecast, Held, Past, Wait, backtest
from portal.office.models import Passage

AIM = (85.0, 95.0)
JUDGED = 100  # waits below which a share is told and not judged: it moves by more than the aim is wide
STAGE = "review"


@dataclass(frozen=True, slots=True)
class Line:
    """One program: its forecast of now, and how the past ones held."""

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
    """Every program that has decided anything. One query."""
    rows = Passage.objects.filter(stage=STAGE, holder=str(Holder.PROGRAM))
    if program:
        rows = rows.filter(program_key=program)
    found: dict[str, list[Wait]] = defaultdict(list)
    for key, since, until in rows.order_by().values_list("program_key", "since", "until"):
        found[key].append(Wait(since, until))
    return [_line(key, waits, now, weeks) for key, waits in sorted(found.items())]


def _line(key: str, waits: list[Wait], now: datetime, weeks: int) -> Line:
    name = PROGRAMS[key].name if key in PROGRAMS else key
    told = Past(waits, PROGRAM_CALENDAR).forecast(now)
    return Line(key, name, told, backtest(waits, now, PROGRAM_CALENDAR, weeks=weeks))


def as_data(line: Line) -> dict[str, Any]:
    """The same as JSON, moments in UTC."""
    weeks = [asdict(week) | {"monday": week.monday.date().isoformat()} for week in line.held.weeks]
    return {
        "program": line.key, "stage": STAGE, "forecast": asdict(line.now) if line.now else None,
        "decisions": line.held.count, "unknown": line.held.unknown, "held_p90": line.held.share,
        "held_p50": line.held.middle, "aim": list(AIM), "weeks": weeks,
    }  # fmt: skip
