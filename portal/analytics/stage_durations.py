"""Who held it, in which stage, from when to when? Folded from what happened. Pure: plain values in and out.

Since turns are written down, their stream alone says it. What is older is told by the steps that were taken, each of
which names who had the turn afterwards.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

END_STAGES = ("withdrawn", "declined", "archived")
OUTAGE = "outage"
# who holds it after a step, by its verb; the steps that are not named leave the turn where it is
HOLDER_BY_EVENT_TYPE = {
    "created": "partner",
    "complete_step": "partner",
    "submit_for_review": "program",
    "resubmit_for_review": "program",
    "request_changes": "partner",
    "approve": "program",
    "publish": "machine",
    "reopen": "partner",
}


@dataclass(frozen=True, slots=True)
class TurnChange:
    """From this moment on it is in a stage, held by somebody (blank: it has ended). `back`: a decision was undone."""

    at: datetime
    stage: str
    holder: str
    round: int = 0
    back: bool = False


@dataclass(frozen=True, slots=True)
class StagePeriod:
    """A time in one stage with one holder. `began`: when this stay in the stage began; `leaves`: it ended the stay."""

    stage: str
    holder: str
    round: int
    began: datetime
    since: datetime
    until: datetime | None = None
    leaves: bool = False


def build_periods(turns: Iterable[TurnChange]) -> list[StagePeriod]:
    """The pieces of one integration, in order, without a gap; the last is open unless it has ended."""
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
    """Drop what followed from the decision that was undone, and let the piece before it go on."""
    matches = [n for n, piece in enumerate(pieces) if (piece.stage, piece.holder) == (turn.stage, turn.holder)]
    if not matches:
        return False
    pieces[matches[-1] :] = [replace(pieces[matches[-1]], until=None, leaves=False)]
    return True


def parse_turns(entries: Iterable[tuple[datetime, Mapping[str, Any]]]) -> list[TurnChange]:
    """The stream of an integration's turns, as (when, what was said)."""
    return [
        TurnChange(at, data["stage"], data["holder"], int(data.get("round", 0)), bool(data.get("back")))
        for at, data in entries
    ]


def derive_turns(steps: Iterable[tuple[datetime, str, Mapping[str, Any]]], first_stage: str) -> list[TurnChange]:
    """The same from the steps that were taken, as (when, verb, data), for what is older than the stream of turns."""
    turns: list[TurnChange] = []
    stage, holder, before_hold = first_stage, "partner", "partner"
    for at, event_type, data in steps:
        if event_type != "created" and "to" not in data:
            continue
        stage = data["to"][0] if "to" in data else first_stage
        if event_type == "put_on_hold":
            before_hold, holder = holder, str(data.get("waits_for", "third_party"))
        elif event_type in ("resume", "undo_decision"):
            holder = before_hold if event_type == "resume" else "program"
        else:
            holder = HOLDER_BY_EVENT_TYPE.get(event_type, holder)
        has_ended = stage in END_STAGES
        turns.append(
            TurnChange(at, stage, "" if has_ended else holder, int(data.get("round", 0)), event_type == "undo_decision")
        )
    return turns


def merge_turns(older: list[TurnChange], turns: list[TurnChange]) -> list[TurnChange]:
    """Both together: the stream of turns is believed from its first entry on."""
    return [turn for turn in older if not turns or turn.at < turns[0].at] + turns
