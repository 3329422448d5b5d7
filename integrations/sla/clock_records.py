"""Records of clocks for lists, exports, and the API: plain values instead of model instances, for speed."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import NamedTuple, cast
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _

from integrations.partners.models import PartnerCalendar
from integrations.programs.registry import PROGRAMS, get_edition
from integrations.programs.sla_policy import TargetType
from integrations.sla import presenters
from integrations.sla.clock_usage import MeterParts, TimeUsage, format_target
from integrations.sla.engine.clock import is_missed
from integrations.sla.engine.types import ClockStatus, IssueEventKind
from integrations.sla.issue_names import format_issue_name
from integrations.sla.models import SlaClock, SupportIssueEvent
from portal.core.business_time import ELAPSED_SCALE, Calendar
from portal.core.exports import CellValue
from portal.core.value_types import JsonObject

CHUNK_SIZE = 1_000
# We read repositories every few minutes. Data that is older than this needs a remark.
MAX_CURRENT_AGE = timedelta(hours=1)
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
    """Columns of a clock's record, named like the lookups that read them.

    `severity` is that of the target in force. A critical issue without a required target for critical issues has the
    target of all others.
    """

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
    issue__severity: str
    issue__opened_at: datetime
    issue__projected_at: datetime | None
    issue__ended_at: datetime | None
    issue__last_commented_at: datetime | None
    issue__last_commenter_role: str
    monitored_repository__repository: str
    monitored_repository__data_up_to: datetime
    monitored_repository__ended_at: datetime | None
    monitored_repository__trouble: str
    integration__uuid: UUID
    integration__name: str
    integration__program_key: str
    integration__partner__name: str
    integration__partner__slug: str
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
    def evaluated_at(self) -> datetime:
        """Return the time of this record: now, or the end of monitoring."""
        ended_at = self.columns.issue__ended_at or self.columns.monitored_repository__ended_at
        return min(self.now, ended_at or self.now)

    @property
    def is_at_risk(self) -> bool:
        """Return whether the clock is running and has used at least 75% of its target."""
        warn75_at = self.columns.warn75_at
        return self.columns.state == ClockStatus.RUNNING and warn75_at is not None and warn75_at <= self.evaluated_at

    @property
    def is_ideal_missed(self) -> bool:
        columns = self.columns
        # No column has this, because it changes with time alone (decision 0073).
        data_up_to = min(self.evaluated_at, columns.monitored_repository__data_up_to)
        return is_missed(columns.ideal_due_at, columns.stopped_at, data_up_to)

    @property
    def name(self) -> str:
        columns = self.columns
        repository = columns.monitored_repository__repository
        return format_issue_name(repository, columns.issue__number, columns.issue__url, columns.issue__ended_at)

    @property
    def state_badge(self) -> presenters.Badge:
        badge = presenters.AT_RISK_BADGE if self.is_at_risk else presenters.STATE_BADGES[self.columns.state]
        is_ideal = self.columns.ideal_due_at and not self.columns.is_committed
        return presenters.localize_badge(presenters.IDEAL_BADGE if is_ideal else badge)

    @property
    def counterpart_summary(self) -> str:
        """Return the issue's other clock in one line, such as "First response: 3 h"."""
        other = TargetType.RESPOND if self.columns.target_type == TargetType.RESOLVE else TargetType.RESOLVE
        clock = self.issue_clocks.get(other)
        if clock is None:
            return ""
        if clock.is_committed:
            status = _(presenters.STATE_BADGES[clock.state].label)
        elif clock.stopped_at:
            status = _("%(count)s h") % {"count": clock.counted_seconds // 3600}
        else:
            status = _("not measurable") if self.columns.monitored_repository__trouble else _("none yet")
        label = _(presenters.TARGET_TYPE_LABELS[other])
        return _("%(target_type)s: %(status)s") % {"target_type": label, "status": status}

    @property
    def severity_badge(self) -> presenters.Badge:
        return presenters.localize_badge(presenters.SEVERITY_BADGES[self.columns.issue__severity])

    @property
    def target_type_label(self) -> str:
        return _(presenters.TARGET_TYPE_LABELS[self.columns.target_type])

    @property
    def last_commenter_label(self) -> str:
        return _(presenters.SIDE_LABELS.get(self.columns.issue__last_commenter_role, ""))

    @property
    def has_incomplete_data(self) -> bool:
        return self.columns.state == ClockStatus.DATA_INCOMPLETE

    @property
    def has_old_data(self) -> bool:
        return self.now - self.columns.monitored_repository__data_up_to > MAX_CURRENT_AGE

    @property
    def pieces(self) -> MeterParts:
        """Return the meter parts. With incomplete data, the meter never shows time beyond the target."""
        return [piece for piece in self.usage.pieces if not (self.has_incomplete_data and piece[0] == "over")]


# Columns of exports, and fields of the API. Timestamps are in UTC.
COLUMNS: dict[str, Callable[[ClockRecord], CellValue]] = {
    "issue": lambda record: record.name,
    "title": lambda record: record.columns.issue__title,
    "partner": lambda record: record.columns.integration__partner__name,
    "integration": lambda record: record.columns.integration__name,
    "program": lambda record: PROGRAMS[record.columns.integration__program_key].name,
    "severity": lambda record: record.columns.issue__severity,
    "target_type": lambda record: record.columns.target_type,
    "target": lambda record: format_target(record.usage.target),
    "state": lambda record: record.columns.state,
    "at_risk": lambda record: record.is_at_risk,
    "used_percent": lambda record: record.usage.percent,
    "used": lambda record: record.usage.text,
    "paused_hours": lambda record: round(record.usage.paused_time.total_seconds() / 3600, 1),
    "opened_at": lambda record: record.columns.issue__opened_at,
    "due_at": lambda record: record.columns.due_at,
    "stopped_at": lambda record: record.columns.stopped_at,
    "ideal_due_at": lambda record: record.columns.ideal_due_at,
    "ideal_missed": lambda record: record.is_ideal_missed,
    "responded_at": lambda record: _get_stop(record, TargetType.RESPOND),
    "response_hours": lambda record: _count_hours(record, TargetType.RESPOND),
    "resolved_at": lambda record: _get_stop(record, TargetType.RESOLVE),
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


def serialize_record(record: ClockRecord) -> JsonObject:
    """Serialize a record for the API, with the keys of related resources."""
    columns = record.columns
    return {name: read(record) for name, read in COLUMNS.items()} | {
        "issue": columns.issue__uuid,
        "issue_name": record.name,
        "partner": {"name": columns.integration__partner__name, "slug": columns.integration__partner__slug},
        "integration": columns.integration__uuid,
        "integration_name": columns.integration__name,
        "program": columns.integration__program_key,
    }


def select_columns(clocks: QuerySet[SlaClock]) -> QuerySet[SlaClock, ClockColumns]:
    """Return the columns of clocks, with the login of the last human commenter of each issue."""
    rows = clocks.annotate(last_commenter=LAST_COMMENTER)
    return cast("QuerySet[SlaClock, ClockColumns]", rows.values_list(*ClockColumns._fields, named=True))


def iterate_records(clocks: QuerySet[SlaClock], now: datetime) -> Iterator[ClockRecord]:
    """Yield the records of clocks, read in chunks."""
    # An export can have tens of thousands of rows, so neither they nor their issues' other clocks are read at once.
    rows = select_columns(clocks).iterator(CHUNK_SIZE)
    while chunk := list(islice(rows, CHUNK_SIZE)):
        yield from build_records(chunk, now)


def list_records(clocks: QuerySet[SlaClock], now: datetime) -> list[ClockRecord]:
    """Return the records of clocks. Takes two queries, and another one if a partner has its own calendar."""
    return list(build_records(list(select_columns(clocks)), now))


def build_records(rows: list[ClockColumns], now: datetime) -> Iterator[ClockRecord]:
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
        yield ClockRecord(row, issue_clocks[row.issue], _calculate_usage(row, calendar, now), now)


def _calculate_usage(columns: ClockColumns, calendar: Calendar, now: datetime) -> TimeUsage:
    """Return the used time of a clock, calculated from its columns without a new projection.

    The columns date from the last projection. While a clock runs, the remaining time is the time until its due date.
    While it is stopped or paused, the counted time stays the same.
    """
    sla = get_edition(columns.integration__program_key, columns.issue__edition).sla
    target = sla.get_target(columns.target_type, columns.severity)
    counted_time = timedelta(seconds=columns.counted_seconds)
    # After the end of monitoring, the time of the last projection is final.
    is_monitored = columns.monitored_repository__ended_at is None and columns.issue__ended_at is None
    if target and target.allowed_time and columns.due_at and columns.stopped_at is None and is_monitored:
        scale = sla.localize_calendar(calendar).days if target.business_days else ELAPSED_SCALE
        counted_time = target.allowed_time + scale.get_position(now) - scale.get_position(columns.due_at)
    paused_time = timedelta(seconds=columns.paused_seconds)
    # During a pause, no event may arrive that projects the clock again.
    if columns.state == ClockStatus.PAUSED and columns.issue__projected_at and is_monitored:
        paused_time += max(now - columns.issue__projected_at, timedelta())
    return TimeUsage(max(counted_time, timedelta()), paused_time, target)
