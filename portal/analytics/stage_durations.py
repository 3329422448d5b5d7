"""Stage periods by responsible party, derived from audit events by pure functions.

Responsibility events are the source. Older periods are derived from transitions, which determine the responsible party.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from portal.core.value_types import JsonObject

END_STAGES = ("withdrawn", "declined", "archived")
OUTAGE = "outage"
# Responsible party after a transition, by event type. Other events don't change it.
HOLDER_BY_EVENT_TYPE = {
    "integration.created": "partner",
    "integration.advanced": "partner",
    "review.requested": "program",
    "review.requested_again": "program",
    "review.changes_requested": "partner",
    "integration.approved": "program",
    "integration.listed": "machine",
    "integration.reopened": "partner",
}


@dataclass(frozen=True, slots=True)
class TurnChange:
    """Change of stage or responsible party. An empty `holder` means the end. `back` marks an undone decision."""

    at: datetime
    stage: str
    holder: str
    round: int = 0
    back: bool = False


@dataclass(frozen=True, slots=True)
class StagePeriod:
    """Period in a stage with one responsible party. `began` is the start of the stay, `leaves` marks its end."""

    stage: str
    holder: str
    round: int
    began: datetime
    since: datetime
    until: datetime | None = None
    leaves: bool = False


def build_periods(turns: Iterable[TurnChange]) -> list[StagePeriod]:
    """Return the gapless periods of an integration in order. The last is open unless the integration ended."""
    pieces: list[StagePeriod] = []
    for turn in turns:
        if turn.back and _undo_decision(pieces, turn):
            continue
        last = pieces[-1] if pieces else None
        if last and last.until is None:
            if (last.stage, last.holder) == (turn.stage, turn.holder):
                continue
            pieces[-1] = replace(last, until=turn.at, leaves=last.stage != turn.stage)
        if turn.stage not in END_STAGES:
            goes_on = last is not None and last.until is None and last.stage == turn.stage
            began = last.began if goes_on and last else turn.at
            pieces.append(StagePeriod(turn.stage, turn.holder, turn.round, began, turn.at))
    return pieces


def _undo_decision(pieces: list[StagePeriod], turn: TurnChange) -> bool:
    """Remove the periods after an undone decision and reopen the previous period."""
    matches = [n for n, piece in enumerate(pieces) if (piece.stage, piece.holder) == (turn.stage, turn.holder)]
    if not matches:
        return False
    pieces[matches[-1] :] = [replace(pieces[matches[-1]], until=None, leaves=False)]
    return True


def parse_turns(entries: Iterable[tuple[datetime, JsonObject]]) -> list[TurnChange]:
    """Parse responsibility events, given as (time, data)."""
    return [
        TurnChange(at, data["stage"], data["holder"], int(data.get("round", 0)), bool(data.get("back")))
        for at, data in entries
    ]


def derive_turns(steps: Iterable[tuple[datetime, str, JsonObject]], first_stage: str) -> list[TurnChange]:
    """Derive turns from transitions, given as (time, event type, data), for times without responsibility events."""
    turns: list[TurnChange] = []
    stage, holder, before_hold = first_stage, "partner", "partner"
    for at, event_type, data in steps:
        if event_type != "integration.created" and "to" not in data:
            continue
        stage = data["to"][0] if "to" in data else first_stage
        if event_type == "integration.put_on_hold":
            before_hold, holder = holder, str(data.get("waits_for", "third_party"))
        elif event_type in ("integration.resumed", "integration.decision_undone"):
            holder = before_hold if event_type == "integration.resumed" else "program"
        else:
            holder = HOLDER_BY_EVENT_TYPE.get(event_type, holder)
        has_ended = stage in END_STAGES
        turns.append(
            TurnChange(
                at,
                stage,
                "" if has_ended else holder,
                int(data.get("round", 0)),
                event_type == "integration.decision_undone",
            )
        )
    return turns


def merge_turns(older: list[TurnChange], turns: list[TurnChange]) -> list[TurnChange]:
    """Merge derived and recorded turns. Recorded turns apply from their first entry."""
    return [turn for turn in older if not turns or turn.at < turns[0].at] + turns
