"""Services that keep stage durations in sync with audit events and rebuild them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import astuple, fields
from itertools import takewhile

from django.db import transaction

from integrations.programs.selectors import get_program_calendar
from integrations.submissions.models import Integration
from integrations.submissions.services.responsibility import RESPONSIBILITY_EVENT_TYPE, get_responsibility_stream
from integrations.submissions.services.transitions import lock_integration
from portal.analytics.metrics import count_business_days
from portal.analytics.models import StageDuration
from portal.analytics.stage_durations import ResponsibilityChange, StagePeriod, build_periods, parse_change
from portal.audit.models import AuditEvent
from portal.core.bulk_changes import skip_in_bulk_changes
from portal.core.business_time import Calendar

BATCH_SIZE = 500
COLUMNS = (*(field.name for field in fields(StagePeriod)), "business_day_tenths")
DurationValues = tuple[object, ...]


@skip_in_bulk_changes
def handle_responsibility_change(integration: Integration, **_: object) -> None:
    """Store the periods of an integration after a change of its responsible party or stage."""
    update_durations(integration)


@transaction.atomic
def update_durations(integration: Integration) -> None:
    """Replace the stored periods from the first one that differs from the events."""
    expected = compute_durations({integration.pk: integration.program_key})[integration.pk]
    stored = list(StageDuration.objects.filter(integration=integration).order_by("pk").values_list("pk", *COLUMNS))
    pairs = zip(stored, expected, strict=False)
    # Events are only appended, so usually the last period alone differs.
    equal_count = sum(1 for _ in takewhile(lambda pair: pair[0][1:] == pair[1], pairs))
    StageDuration.objects.filter(pk__in=[row[0] for row in stored[equal_count:]]).delete()
    StageDuration.objects.bulk_create(
        StageDuration(
            integration=integration, program_key=integration.program_key, **dict(zip(COLUMNS, values, strict=True))
        )
        for values in expected[equal_count:]
    )


def compute_durations(programs: Mapping[int, str]) -> dict[int, list[DurationValues]]:
    """Compute the values of COLUMNS for the periods of integrations from their events. One query.

    `programs` maps the primary key of each integration to the key of its program.
    """
    changes: dict[int, list[ResponsibilityChange]] = defaultdict(list)
    streams = [get_responsibility_stream(key) for key in programs]
    events = AuditEvent.objects.filter(stream__in=streams, event_type=RESPONSIBILITY_EVENT_TYPE)
    for stream, at, data in events.order_by("stream", "seq").values_list("stream", "at", "data"):
        changes[int(stream.partition(":")[2])].append(parse_change(at, data))
    return {
        key: [
            (*astuple(period), count_tenths(period, get_program_calendar(program)))
            for period in build_periods(changes[key])
        ]
        for key, program in programs.items()
    }


def count_tenths(period: StagePeriod, calendar: Calendar) -> int | None:
    """Return the length of a completed stay in tenths of business days, stored so that figures don't recompute it."""
    if not (period.ends_stay and period.ended_at):
        return None
    return round(10 * count_business_days(period.stay_started_at, period.ended_at, calendar))


def find_drifted(programs: Mapping[int, str]) -> list[int]:
    """Return the integrations whose stored periods differ from their events. Two queries."""
    stored: dict[int, list[DurationValues]] = defaultdict(list)
    rows = StageDuration.objects.filter(integration__in=programs).order_by("pk")
    for key, *values in rows.values_list("integration_id", *COLUMNS):
        stored[key].append(tuple(values))
    return [key for key, expected in compute_durations(programs).items() if expected != stored[key]]


def iterate_drifted() -> Iterator[int]:
    """Yield all integrations whose stored periods differ from their events."""
    after = 0
    while programs := dict(
        # By key instead of offset, so that integrations added in the meantime don't shift the batches.
        Integration.objects.filter(pk__gt=after).order_by("pk").values_list("pk", "program_key")[:BATCH_SIZE]
    ):
        yield from find_drifted(programs)
        after = max(programs)


def rebuild() -> int:
    """Rebuild periods that differ from the events. Return the number of integrations."""
    count = 0
    for key in iterate_drifted():
        with transaction.atomic():
            # The lock keeps a change of the integration from storing its periods at the same time.
            update_durations(lock_integration(key))
        count += 1
    return count
