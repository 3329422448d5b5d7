"""How do the kept passages follow the history? One step at a time with each turn, or all of them anew."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.db import transaction

from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import PROGRAM_CALENDAR, lock
from portal.analytics.metrics import working_days
from portal.analytics.models import Passage
from portal.analytics.stage_durations import ENDS, Piece, Turned, fold, told_by_steps, turns_of, whole
from portal.audit.models import Event
from portal.audit.services import TURN, turn_stream
from portal.jobs.models import PeriodicRun

BATCH = 500
BUILT = "office: passages 1"  # a new number has them made again after the next update
COLUMNS = ("stage", "holder", "round", "began", "since", "until", "leaves")


def follow(integration: Integration, event: Event) -> None:
    """A turn passed: the open passage ends and the next begins, in the same transaction."""
    (turn,) = turns_of([(event.at, event.data)])
    last = Passage.objects.filter(integration=integration).order_by("-pk").first()
    if turn.back or (last is None and event.seq > 1):
        write(integration.pk, integration.program_key, folded([integration.pk])[integration.pk])
        return
    if last is not None and last.until is None:
        last.until, last.leaves = turn.at, last.stage != turn.stage
        last.tenths = tenths(last.began, turn.at) if last.leaves else None
        last.save(update_fields=["until", "leaves", "tenths"])
    if turn.stage not in ENDS:
        goes_on = last is not None and not last.leaves and last.stage == turn.stage and last.until == turn.at
        began = last.began if goes_on and last is not None else turn.at
        piece = Piece(turn.stage, turn.holder, turn.round, began, turn.at)
        _row(integration.pk, integration.program_key, piece).save()


def folded(keys: list[int]) -> dict[int, list[Piece]]:
    """The passages of integrations as their events tell them. Two queries."""
    turns: dict[int, list[tuple[datetime, Any]]] = defaultdict(list)
    streams = [turn_stream(key) for key in keys]
    said = Event.objects.filter(stream__in=streams, verb=TURN).order_by("stream", "seq")
    for stream, at, data in said.values_list("stream", "at", "data"):
        turns[int(stream.partition(":")[2])].append((at, data))
    older = _older(keys, {key: found[0][0] for key, found in turns.items()})
    return {key: fold(whole(older.get(key, []), turns_of(turns[key]))) for key in keys}


def _older(keys: list[int], first: dict[int, datetime]) -> dict[int, list[Turned]]:
    """What the steps tell of the time before turns were written down; nothing where they were from the beginning."""
    created = dict(Integration.objects.filter(pk__in=keys).values_list("pk", "created_at"))
    asked = [key for key in keys if key not in first or first[key] > created[key]]
    if not asked:
        return {}
    steps: dict[int, list[tuple[datetime, str, Any]]] = defaultdict(list)
    rows = Event.objects.filter(integration__in=asked).order_by("integration", "seq")
    for key, at, verb, data in rows.values_list("integration", "at", "verb", "data"):
        steps[key].append((at, verb, data))
    return {key: told_by_steps(found, _first_stage(found)) for key, found in steps.items()}


def _first_stage(steps: list[tuple[datetime, str, Any]]) -> str:
    return next((data["from"][0] for _, _, data in steps if "from" in data), "engage")


def tenths(began: datetime, until: datetime) -> int:
    """The tenths of working days that a stay took: counted once, so that figures need not count again."""
    return round(10 * working_days(began, until, PROGRAM_CALENDAR))


def _row(integration: int, program: str, piece: Piece) -> Passage:
    said = {name: getattr(piece, name) for name in COLUMNS}
    took = tenths(piece.began, piece.until) if piece.leaves and piece.until else None
    return Passage(integration_id=integration, program_key=program, tenths=took, **said)


@transaction.atomic
def write(integration: int, program: str, pieces: Iterable[Piece]) -> None:
    """Put these in the place of what is kept of one integration."""
    Passage.objects.filter(integration_id=integration).delete()
    Passage.objects.bulk_create([_row(integration, program, piece) for piece in pieces])


def kept(keys: list[int]) -> dict[int, list[tuple[Piece, int | None]]]:
    """What is kept of integrations. One query."""
    found: dict[int, list[tuple[Piece, int | None]]] = defaultdict(list)
    rows = Passage.objects.filter(integration__in=keys).order_by("pk")
    for key, took, *values in rows.values_list("integration_id", "tenths", *COLUMNS):
        found[key].append((Piece(*values), took))
    return found


def drifted(keys: list[int]) -> list[int]:
    """The integrations of which something else is kept than their events tell."""
    said, have = folded(keys), kept(keys)
    told = {key: [(piece, _row(key, "", piece).tenths) for piece in pieces] for key, pieces in said.items()}
    return [key for key in keys if told[key] != have.get(key, [])]


def batches() -> Iterator[dict[int, str]]:
    """Every integration by number, with its program, a few hundred at a time."""
    after = 0
    while found := dict(
        Integration.objects.filter(pk__gt=after).order_by("pk").values_list("pk", "program_key")[:BATCH]
    ):
        yield found
        after = max(found)


def rebuild() -> int:
    """Make again what differs from the events. Returns how many integrations it was."""
    count = 0
    for found in batches():
        for key in drifted(list(found)):
            _again(key)
            count += 1
    return count


@transaction.atomic
def _again(key: int) -> None:
    """Make those of one integration again, while no turn of it can pass."""
    row = lock(key)
    write(row.pk, row.program_key, folded([row.pk])[row.pk])


def build_due(now: datetime) -> int:
    """Once after an update that brings or changes what is kept: make it of the history. Returns of how many."""
    if PeriodicRun.objects.filter(name=BUILT).exists():
        return 0
    count = rebuild()
    PeriodicRun.objects.get_or_create(name=BUILT, defaults={"started_at": now, "finished_at": now})
    return count
