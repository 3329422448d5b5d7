"""Stage periods by responsible party, derived from responsibility events by pure functions."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from portal.core.value_types import JsonObject

END_STAGES = ("withdrawn", "declined", "archived")


@dataclass(frozen=True, slots=True)
class ResponsibilityChange:
    """Change of stage or responsible party, which is empty at the end. `back` marks an undone decision."""

    at: datetime
    stage: str
    responsible_party: str
    round: int = 0
    back: bool = False


@dataclass(frozen=True, slots=True)
class StagePeriod:
    """Period in a stage with one responsible party. `began` is the start of the stay, `leaves` marks its end."""

    stage: str
    responsible_party: str
    round: int
    began: datetime
    since: datetime
    until: datetime | None = None
    leaves: bool = False


def build_periods(changes: Iterable[ResponsibilityChange]) -> list[StagePeriod]:
    """Return the gapless periods of an integration in order. The last is open unless the integration ended."""
    pieces: list[StagePeriod] = []
    for change in changes:
        if change.back and _undo_decision(pieces, change):
            continue
        last = pieces[-1] if pieces else None
        if last and last.until is None:
            if (last.stage, last.responsible_party) == (change.stage, change.responsible_party):
                continue
            pieces[-1] = replace(last, until=change.at, leaves=last.stage != change.stage)
        if change.stage not in END_STAGES:
            goes_on = last is not None and last.until is None and last.stage == change.stage
            began = last.began if goes_on and last else change.at
            pieces.append(StagePeriod(change.stage, change.responsible_party, change.round, began, change.at))
    return pieces


def _undo_decision(pieces: list[StagePeriod], change: ResponsibilityChange) -> bool:
    """Remove the periods after an undone decision and reopen the previous period."""
    matches = [
        n
        for n, piece in enumerate(pieces)
        if (piece.stage, piece.responsible_party) == (change.stage, change.responsible_party)
    ]
    if not matches:
        return False
    pieces[matches[-1] :] = [replace(pieces[matches[-1]], until=None, leaves=False)]
    return True


def parse_change(at: datetime, data: JsonObject) -> ResponsibilityChange:
    """Parse a responsibility event."""
    return ResponsibilityChange(
        at, data["stage"], data["responsible_party"], int(data["round"]), bool(data.get("back"))
    )
