"""API schemas of SLA clocks, issues, label policies, and calendars."""

from datetime import date, datetime, timedelta
from operator import attrgetter
from typing import Annotated
from uuid import UUID

from ninja import Schema
from pydantic import BeforeValidator, Field

from integrations.partners.models import PartnerCalendar
from integrations.partners.services.calendars import describe_calendar
from integrations.sla.engine.types import Severity
from integrations.sla.filters import STATE_LABELS
from portal.api.choices import FilterBy, OneOf, ProgramFilter
from portal.api.pagination import PaginationParams
from portal.api.routing import StrictSchema
from portal.api.v1.schemas.common import DisplayText, PartnerReference


class ClockFilterParams(PaginationParams):
    """Filters of the SLA dashboard.

    An empty `state` means open. An unmonitored clock was open when its monitoring ended.
    """

    program: ProgramFilter = ""
    partner: str = Field("", max_length=80)
    integration: str = Field("", max_length=60)
    severity: Annotated[str, FilterBy(Severity)] = ""
    state: Annotated[str, OneOf(STATE_LABELS)] = "all"


class ClockOut(Schema):
    """SLA clock as in the dashboard's exports, with the times of both clocks of its issue.

    Missing an ideal target is not a breach. Hours are counted hours, null before the response or resolution.
    """

    issue: UUID
    issue_name: str
    title: str
    partner: PartnerReference
    integration: UUID
    integration_name: str
    program: str
    severity: str
    target_type: str
    target: str
    state: str
    at_risk: bool
    used_percent: int
    used: str
    paused_hours: float
    opened_at: datetime
    due_at: datetime | None
    stopped_at: datetime | None
    ideal_due_at: datetime | None
    ideal_missed: bool
    responded_at: datetime | None
    response_hours: float | None
    resolved_at: datetime | None
    resolution_hours: float | None
    last_commenter: str
    last_commenter_role: str
    last_commented_at: datetime | None
    data_up_to: datetime
    url: str


class SegmentOut(Schema):
    started_at: datetime = Field(validation_alias="segment.start")
    ended_at: datetime = Field(validation_alias="segment.end")
    counted: bool = Field(validation_alias="segment.counted")
    counted_seconds: Annotated[float, BeforeValidator(timedelta.total_seconds)] = Field(validation_alias="segment.used")
    reason: str


class ClockDetail(Schema):
    """SLA clock with a one-sentence summary and all time segments."""

    target_type: DisplayText = Field(validation_alias="clock.target_type")
    is_committed: bool = Field(validation_alias="clock.is_committed")
    severity: DisplayText = Field(validation_alias="clock.severity")
    target: str
    state: DisplayText = Field(validation_alias="clock.state")
    summary: DisplayText
    due_at: datetime | None = Field(validation_alias="clock.due_at")
    ideal_due_at: datetime | None = Field(validation_alias="clock.ideal_due_at")
    ideal_missed: bool = Field(validation_alias="clock.is_ideal_missed")
    stopped_at: datetime | None = Field(validation_alias="clock.stopped_at")
    segments: list[SegmentOut] = Field(validation_alias="rows")


class IssueOut(Schema):
    """Issue. `decisions` lists requests of the partner and decisions of the program."""

    uuid: UUID = Field(validation_alias="issue.uuid")
    name: DisplayText = Field(validation_alias="issue")
    title: str = Field(validation_alias="issue.title")
    url: str = Field(validation_alias="issue.url")
    integration: UUID = Field(validation_alias="issue.integration.uuid")
    severity: DisplayText = Field(validation_alias="state.severity")
    covered: bool = Field(validation_alias="state.is_covered")
    edition: str = Field(validation_alias="context.policy.edition")
    clocks: list[ClockDetail]
    decisions: list[Annotated[str, BeforeValidator(attrgetter("summary"))]]
    data_up_to: datetime = Field(validation_alias="context.data_up_to")


class ClockEffectOut(Schema):
    """Effect of a decision on a clock. Due dates are null without a target."""

    target_type: str
    due_at_before: datetime | None = Field(validation_alias="before.due_at")
    due_at_after: datetime | None = Field(validation_alias="after.due_at")
    breached_before: bool = Field(validation_alias="before.is_breached")
    breached_after: bool = Field(validation_alias="after.is_breached")


class OutcomeOut(Schema):
    """Possible outcome of a dispute, with its effect on the clocks and on the partner's figures of a week.

    `share_before` and `share_after`: percentage of targets met; null without settled targets.
    """

    outcome: str
    week: DisplayText
    share_before: float | None = Field(validation_alias="before.share")
    share_after: float | None = Field(validation_alias="after.share")
    breached_before: int = Field(validation_alias="before.breached")
    breached_after: int = Field(validation_alias="after.breached")
    clocks: list[ClockEffectOut]


class DisputeOut(Schema):
    """Open dispute with its possible outcomes."""

    outcomes: list[OutcomeOut]


class IssueDecisionIn(StrictSchema):
    """Reason, visible to both sides."""

    reason: str


class LabelPolicyOut(Schema):
    """Current label policy. `proposal` is the ID of an open proposal."""

    critical: list[str]
    pause: list[str]
    team: list[str]
    bots: list[str]
    second_accounts: list[str]
    proposal: int | None


class LabelPolicyIn(StrictSchema):
    """Complete new label policy. Example of `second_accounts`: "ada-at-work = ada"."""

    critical: list[str] = Field(max_length=40)
    pause: list[str] = Field([], max_length=40)
    team: list[str] = Field([], max_length=40)
    bots: list[str] = Field([], max_length=40)
    second_accounts: list[str] = Field([], max_length=40)


class LabelPolicyDecisionIn(StrictSchema):
    accept: bool
    note: str = Field("", max_length=500)


class CalendarOut(Schema):
    """Calendar. `summary` is empty without a calendar. The default is Monday to Friday in UTC."""

    time_zone: str = Field(validation_alias="zone")
    workdays: list[int]
    country: str
    subdivision: str
    extra_days: dict[str, str]
    summary: str

    @staticmethod
    def resolve_summary(calendar: PartnerCalendar) -> str:
        return describe_calendar(calendar) if calendar.pk else ""


class CalendarIn(StrictSchema):
    """Calendar. In `workdays`, 0 is Monday. `extra_days` maps ISO dates to names. `dry_run` only previews changes."""

    time_zone: str = Field(serialization_alias="zone")
    workdays: list[int] = Field(min_length=1, max_length=7)
    country: str = ""
    subdivision: str = ""
    extra_days: dict[date, str] = Field({}, max_length=60)
    dry_run: bool = False


class CalendarPreviewOut(Schema):
    """Effects of a calendar on five business days from now. `changed` is false for a dry run."""

    changed: bool
    summary: str
    open_clocks: int
    due_at_before: datetime
    due_at_after: datetime
