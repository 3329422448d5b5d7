"""Records of clocks for lists, exports, and the API: plain values instead of model instances, for speed."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import NamedTuple, TypeVar, cast
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from integrations.partners.models import PartnerCalendar
from integrations.programs.registry import PROGRAMS, get_edition
from integrations.programs.sla_policy import TargetType
from integrations.sla.clock_usage import TimeUsage, format_target
from integrations.sla.engine.clock import is_missed
from integrations.sla.engine.types import ClockStatus, IssueEventKind
from integrations.sla.models import SlaClock, SupportIssueEvent
from portal.core.business_time import ELAPSED_SCALE, Calendar
from portal.core.exports import CellValue

CHUNK_SIZE = 1_000
# Issues store the time and the role of the last comment, but not its author.
LAST_COMMENTER = Subquery(
    SupportIssueEvent.objects.filter(
        issue=OuterRef("issue"),
        at=OuterRef("issue__last_commented_at"),
        kind__in=(IssueEventKind.OPENED, IssueEventKind.COMMENTED),
    )
    .order_by("-pk")
    .values("actor")[:1]
)


class ClockColumns(NamedTuple):
    """Columns of a clock's record, named like the lookups that read them."""

    pk: int
    target_type: str
    is_committed: bool
    severity: str
    state: str
    due_at: datetime | None
    stopped_at: datetime | None
    ideal_due_at: datetime | None
    warn75_at: datetime | None
    counted_seconds: int
    paused_seconds: int
    issue__uuid: UUID
    issue__number: int
    issue__title: str
    issue__url: str
    issue__edition: str
    issue__calendar: int | None
    issue__opened_at: datetime
    issue__projected_at: datetime | None
    issue__last_commented_at: datetime | None
    issue__last_commenter_role: str
    monitored_repository__repository: str
    monitored_repository__data_up_to: datetime
    monitored_repository__ended_at: datetime | None
    monitored_repository__trouble: str
    integration__name: str
    integration__program_key: str
    integration__partner__name: str
    last_commenter: str | None
    issue: int


class IssueClock(NamedTuple):
    """Columns of one clock of an issue, named like the lookups that read them."""

    issue: int
    target_type: str
    state: str
    is_committed: bool
    stopped_at: datetime | None
    counted_seconds: int


@dataclass(frozen=True, slots=True)
class ClockRecord:
    """Columns and used time of a clock, and all clocks of its issue by target type."""

    columns: ClockColumns
    issue_clocks: Mapping[str, IssueClock]
    usage: TimeUsage
    now: datetime

    @property
    def is_at_risk(self) -> bool:
        """Return whether the clock is running and has used at least 75% of its target."""
        warn75_at = self.columns.warn75_at
        return self.columns.state == ClockStatus.RUNNING and warn75_at is not None and warn75_at <= self.now

    @property
    def is_ideal_missed(self) -> bool:
        columns = self.columns
        # No column has this, because it changes with time alone (decision 0073).
        return is_missed(
            columns.ideal_due_at, columns.stopped_at, min(self.now, columns.monitored_repository__data_up_to)
        )


Record = TypeVar("Record", bound=ClockRecord)
# Columns of exports and fields of the API. Timestamps are in UTC.
COLUMNS: dict[str, Callable[[ClockRecord], CellValue]] = {
    "issue": lambda record: f"{record.columns.monitored_repository__repository}#{record.columns.issue__number}",
    "title": lambda record: record.columns.issue__title,
    "partner": lambda record: record.columns.integration__partner__name,
    "integration": lambda record: record.columns.integration__name,
    "program": lambda record: PROGRAMS[record.columns.integration__program_key].name,
    "severity": lambda record: record.columns.severity,
    "target_type": lambda record: record.columns.target_type,
    "target": lambda record: format_target(record.usage.target),
    "state": lambda record: record.columns.state,
    "at_risk": lambda record: record.is_at_risk,
    "used_percent": lambda record: record.usage.percent,
    "used": lambda record: record.usage.text,
    "paused_hours": lambda record: round(record.usage.paused_time.total_seconds() / 3600, 1),
    "opened": lambda record: record.columns.issue__opened_at,
    "due": lambda record: record.columns.due_at,
    "stopped": lambda record: record.columns.stopped_at,
    "ideal_due": lambda record: record.columns.ideal_due_at,
    "ideal_missed": lambda record: record.is_ideal_missed,
    "responded": lambda record: _get_stop(record, TargetType.RESPOND),
    "response_hours": lambda record: _count_hours(record, TargetType.RESPOND),
    "resolved": lambda record: _get_stop(record, TargetType.RESOLVE),
    "resolution_hours": lambda record: _count_hours(record, TargetType.RESOLVE),
    "last_commenter": lambda record: record.columns.last_commenter or "",
    "last_commenter_role": lambda record: record.columns.issue__last_commenter_role,
    "last_commented_at": lambda record: record.columns.issue__last_commented_at,
    "data_up_to": lambda record: record.columns.monitored_repository__data_up_to,
    "url": lambda record: record.columns.issue__url,
}


def _get_stop(record: ClockRecord, target_type: TargetType) -> datetime | None:
    clock = record.issue_clocks.get(target_type)
    return clock.stopped_at if clock else None


def _count_hours(record: ClockRecord, target_type: TargetType) -> float | None:
    """Return the counted hours until the response or resolution, None before it."""
    clock = record.issue_clocks.get(target_type)
    return round(clock.counted_seconds / 3600, 1) if clock and clock.stopped_at else None


def serialize_record(record: ClockRecord) -> dict[str, CellValue]:
    """Serialize a record for the API."""
    return {name: read(record) for name, read in COLUMNS.items()}


def select_columns(clocks: QuerySet[SlaClock]) -> QuerySet[SlaClock, ClockColumns]:
    """Return the columns of clocks, with the login of the last human commenter of each issue."""
    rows = clocks.annotate(last_commenter=LAST_COMMENTER)
    return cast("QuerySet[SlaClock, ClockColumns]", rows.values_list(*ClockColumns._fields, named=True))


def iterate_records(clocks: QuerySet[SlaClock], now: datetime) -> Iterator[ClockRecord]:
    """Yield the records of clocks, read in chunks."""
    # An export can have tens of thousands of rows, so neither they nor their issues' other clocks are read at once.
    rows = select_columns(clocks).iterator(CHUNK_SIZE)
    while chunk := list(islice(rows, CHUNK_SIZE)):
        yield from build_records(ClockRecord, chunk, now)


def build_records(record_class: type[Record], rows: list[ClockColumns], now: datetime) -> Iterator[Record]:
    """Yield the records of rows. Takes a query, and another one if a partner has its own calendar."""
    # Joining these clocks with the rows would take PostgreSQL three times as long, most of it to plan the query.
    issue_clocks: dict[int, dict[str, IssueClock]] = defaultdict(dict)
    clocks = SlaClock.objects.filter(issue__in={row.issue for row in rows})
    for clock in map(IssueClock._make, clocks.values_list(*IssueClock._fields)):
        issue_clocks[clock.issue][clock.target_type] = clock
    calendar_ids = {row.issue__calendar for row in rows if row.issue__calendar}
    calendars = {pk: edition.calendar for pk, edition in PartnerCalendar.objects.in_bulk(calendar_ids).items()}
    for row in rows:
        # Without a calendar at the opening, Monday to Friday in UTC count.
        calendar = calendars.get(row.issue__calendar or 0, Calendar())
        yield record_class(row, issue_clocks[row.issue], _calculate_usage(row, calendar, now), now)


def _calculate_usage(columns: ClockColumns, calendar: Calendar, now: datetime) -> TimeUsage:
    """Return the used time of a clock, calculated from its columns without a new projection.

    The columns date from the last projection. While a clock runs, the remaining time is the time until its due date.
    While it is stopped or paused, the counted time stays the same.
    """
    sla = get_edition(columns.integration__program_key, columns.issue__edition).sla
    target = sla.get_target(columns.target_type, columns.severity)
    counted_time = timedelta(seconds=columns.counted_seconds)
    # After the end of monitoring, the time of the last projection is final.
    is_running = columns.stopped_at is None and columns.monitored_repository__ended_at is None
    if target and target.allowed_time and columns.due_at and is_running:
        scale = sla.localize_calendar(calendar).days if target.business_days else ELAPSED_SCALE
        counted_time = target.allowed_time + scale.get_position(now) - scale.get_position(columns.due_at)
    paused_time = timedelta(seconds=columns.paused_seconds)
    # During a pause, no event may arrive that projects the clock again.
    if columns.state == ClockStatus.PAUSED and columns.issue__projected_at:
        paused_time += max(now - columns.issue__projected_at, timedelta())
    return TimeUsage(max(counted_time, timedelta()), paused_time, target)
