"""Stage periods by responsible party, derived from responsibility events by pure functions."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from portal.core.value_types import JsonObject

END_STAGES = ("withdrawn", "declined", "archived")


@dataclass(frozen=True, slots=True)
class ResponsibilityChange:
    """Change of stage or responsible party, which is empty at the end. `is_undo` marks an undone decision."""

    at: datetime
    stage: str
    responsible_party: str
    round: int = 0
    is_undo: bool = False


@dataclass(frozen=True, slots=True)
class StagePeriod:
    """Period with one responsible party, within the stay in a stage. The last period of a stay has `ends_stay`."""

    stage: str
    responsible_party: str
    round: int
    stay_started_at: datetime
    started_at: datetime
    ended_at: datetime | None = None
    ends_stay: bool = False


def build_periods(changes: Iterable[ResponsibilityChange]) -> list[StagePeriod]:
    """Return the gapless periods of an integration in order. The last is open unless the integration ended."""
    pieces: list[StagePeriod] = []
    for change in changes:
        # An undone decision never happened, so its periods must not count as stays.
        if change.is_undo and _undo_decision(pieces, change):
            continue
        last = pieces[-1] if pieces else None
        if last and last.ended_at is None:
            if (last.stage, last.responsible_party) == (change.stage, change.responsible_party):
                continue
            pieces[-1] = replace(last, ended_at=change.at, ends_stay=last.stage != change.stage)
        if change.stage not in END_STAGES:
            continues = last is not None and last.ended_at is None and last.stage == change.stage
            stay_started_at = last.stay_started_at if continues and last else change.at
            pieces.append(StagePeriod(change.stage, change.responsible_party, change.round, stay_started_at, change.at))
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
    # The last such period is the one before the decision. Earlier rounds can look the same.
    pieces[matches[-1] :] = [replace(pieces[matches[-1]], ended_at=None, ends_stay=False)]
    return True


def parse_change(at: datetime, data: JsonObject) -> ResponsibilityChange:
    """Parse a responsibility event."""
    return ResponsibilityChange(
        at, data["stage"], data["responsible_party"], int(data["round"]), bool(data.get("is_undo"))
    )
