"""Services that keep stage durations in sync with audit events and rebuild them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime

from django.db import transaction

from integrations.submissions.models import Integration
from integrations.submissions.services.responsibility import RESPONSIBILITY_EVENT_TYPE, get_turn_stream
from integrations.submissions.services.transitions import PROGRAM_CALENDAR, lock_integration
from portal.analytics.metrics import count_working_days
from portal.analytics.models import StageDuration
from portal.analytics.stage_durations import (
    END_STAGES,
    StagePeriod,
    TurnChange,
    build_periods,
    derive_turns,
    merge_turns,
    parse_turns,
)
from portal.audit.models import AuditEvent
from portal.core.value_types import JsonObject
from portal.jobs.models import PeriodicRun

BATCH_SIZE = 500
REBUILD_MARKER = "office: passages 1"  # change the number to rebuild after the next update
COLUMNS = ("stage", "holder", "round", "began", "since", "until", "leaves")


def record_turn(integration: Integration, event: AuditEvent) -> None:
    """End the open period and start the next one after a change of the responsible party or stage."""
    (turn,) = parse_turns([(event.at, event.data)])
    last = StageDuration.objects.filter(integration=integration).order_by("-pk").first()
    if turn.back or (last is None and event.seq > 1):
        replace_rows(integration.pk, integration.program_key, compute_periods([integration.pk])[integration.pk])
        return
    if last is not None and last.until is None:
        last.until, last.leaves = turn.at, last.stage != turn.stage
        last.tenths = count_tenths(last.began, turn.at) if last.leaves else None
        last.save(update_fields=["until", "leaves", "tenths"])
    if turn.stage not in END_STAGES:
        goes_on = last is not None and not last.leaves and last.stage == turn.stage and last.until == turn.at
        began = last.began if goes_on and last is not None else turn.at
        piece = StagePeriod(turn.stage, turn.holder, turn.round, began, turn.at)
        _build_row(integration.pk, integration.program_key, piece).save()


def compute_periods(keys: list[int]) -> dict[int, list[StagePeriod]]:
    """Compute the periods of integrations from their events. Two queries."""
    turns: dict[int, list[tuple[datetime, JsonObject]]] = defaultdict(list)
    streams = [get_turn_stream(key) for key in keys]
    events = AuditEvent.objects.filter(stream__in=streams, event_type=RESPONSIBILITY_EVENT_TYPE).order_by(
        "stream", "seq"
    )
    for stream, at, data in events.values_list("stream", "at", "data"):
        turns[int(stream.partition(":")[2])].append((at, data))
    older = _load_older_turns(keys, {key: turn_rows[0][0] for key, turn_rows in turns.items()})
    return {key: build_periods(merge_turns(older.get(key, []), parse_turns(turns[key]))) for key in keys}


def _load_older_turns(keys: list[int], first_turn_at: dict[int, datetime]) -> dict[int, list[TurnChange]]:
    """Derive turns from transitions for integrations without complete responsibility events."""
    created = dict(Integration.objects.filter(pk__in=keys).values_list("pk", "created_at"))
    incomplete_keys = [key for key in keys if key not in first_turn_at or first_turn_at[key] > created[key]]
    if not incomplete_keys:
        return {}
    steps: dict[int, list[tuple[datetime, str, JsonObject]]] = defaultdict(list)
    rows = AuditEvent.objects.filter(integration__in=incomplete_keys).order_by("integration", "seq")
    for key, at, event_type, data in rows.values_list("integration", "at", "event_type", "data"):
        steps[key].append((at, event_type, data))
    return {
        key: derive_turns(integration_steps, _get_first_stage(integration_steps))
        for key, integration_steps in steps.items()
    }


def _get_first_stage(steps: list[tuple[datetime, str, JsonObject]]) -> str:
    return next((data["from"][0] for _, _, data in steps if "from" in data), "engage")


def count_tenths(started_at: datetime, ended_at: datetime) -> int:
    """Return the length of a stay in tenths of working days, stored so that figures don't recompute it."""
    return round(10 * count_working_days(started_at, ended_at, PROGRAM_CALENDAR))


def _build_row(integration: int, program: str, piece: StagePeriod) -> StageDuration:
    values = {name: getattr(piece, name) for name in COLUMNS}
    tenth_count = count_tenths(piece.began, piece.until) if piece.leaves and piece.until else None
    return StageDuration(integration_id=integration, program_key=program, tenths=tenth_count, **values)


@transaction.atomic
def replace_rows(integration: int, program: str, pieces: Iterable[StagePeriod]) -> None:
    """Replace the stored periods of an integration."""
    StageDuration.objects.filter(integration_id=integration).delete()
    StageDuration.objects.bulk_create([_build_row(integration, program, piece) for piece in pieces])


def load_stored_periods(keys: list[int]) -> dict[int, list[tuple[StagePeriod, int | None]]]:
    """Return the stored periods of integrations. One query."""
    periods_by_key: dict[int, list[tuple[StagePeriod, int | None]]] = defaultdict(list)
    rows = StageDuration.objects.filter(integration__in=keys).order_by("pk")
    for key, tenth_count, *values in rows.values_list("integration_id", "tenths", *COLUMNS):
        periods_by_key[key].append((StagePeriod(*values), tenth_count))
    return periods_by_key


def find_drifted(keys: list[int]) -> list[int]:
    """Return the integrations whose stored periods differ from their events."""
    computed_periods, stored_rows = compute_periods(keys), load_stored_periods(keys)
    expected_rows = {
        key: [(piece, _build_row(key, "", piece).tenths) for piece in pieces]
        for key, pieces in computed_periods.items()
    }
    return [key for key in keys if expected_rows[key] != stored_rows.get(key, [])]


def iterate_batches() -> Iterator[dict[int, str]]:
    """Yield all integrations in batches, as programs by primary key."""
    after = 0
    while batch := dict(
        Integration.objects.filter(pk__gt=after).order_by("pk").values_list("pk", "program_key")[:BATCH_SIZE]
    ):
        yield batch
        after = max(batch)


def rebuild() -> int:
    """Rebuild periods that differ from the events. Return the number of integrations."""
    count = 0
    for batch in iterate_batches():
        for key in find_drifted(list(batch)):
            _rebuild_integration(key)
            count += 1
    return count


@transaction.atomic
def _rebuild_integration(key: int) -> None:
    """Rebuild the periods of an integration while holding its lock."""
    row = lock_integration(key)
    replace_rows(row.pk, row.program_key, compute_periods([row.pk])[row.pk])


def rebuild_after_update(now: datetime) -> int:
    """Rebuild once after an update that changes REBUILD_MARKER. Return the number of integrations."""
    if PeriodicRun.objects.filter(name=REBUILD_MARKER).exists():
        return 0
    count = rebuild()
    PeriodicRun.objects.get_or_create(name=REBUILD_MARKER, defaults={"started_at": now, "finished_at": now})
    return count
