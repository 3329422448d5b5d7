"""API schemas of SLA clocks, issues, label policies, and calendars."""

from datetime import datetime
from uuid import UUID

from ninja import Schema
from pydantic import Field

from portal.api.routing import PaginationParams, StrictSchema


class ClockFilterParams(PaginationParams):
    """Filters of the SLA dashboard.

    `state` is at_risk, breached, data_incomplete, paused, disputed, kept, late, or all. Other values mean open.
    """

    program: str = Field("", max_length=60)
    partner: str = Field("", max_length=80)
    integration: str = Field("", max_length=60)
    severity: str = Field("", max_length=20)
    state: str = Field("all", max_length=20)


class ClockOut(Schema):
    """SLA clock as in the dashboard's JSON export. Timestamps are ISO texts in UTC or empty."""

    issue: str
    title: str
    partner: str
    integration: str
    program: str
    severity: str
    target_type: str
    target: str
    state: str
    at_risk: bool
    used_per_cent: int | float | None
    used: str
    paused_hours: float
    opened: str
    due: str
    stopped: str
    last_commenter_role: str
    last_commenter_side: str
    last_commented_at: str
    data_up_to: str
    url: str
    uuid: UUID


class SegmentOut(Schema):
    start: str
    end: str
    counted: bool
    length: str
    why: str


class ClockDetail(Schema):
    """SLA clock with a one-sentence summary and all time segments."""

    target_type: str
    is_committed: bool
    severity: str
    target: str
    state: str
    sentence: str
    due_at: datetime | None
    stopped_at: datetime | None
    segments: list[SegmentOut]


class IssueOut(Schema):
    """Issue. `decisions` lists requests of the partner and decisions of the program."""

    uuid: UUID
    name: str
    title: str
    url: str
    integration: UUID
    severity: str
    covered: bool
    edition: str
    clocks: list[ClockDetail]
    decisions: list[str]
    data_up_to: datetime


class IssueDecisionIn(StrictSchema):
    """Reason, visible to both sides."""

    reason: str


class LabelPolicyOut(Schema):
    """Current label policy. `waiting` is the ID of an open proposal."""

    critical: list[str]
    pause: list[str]
    team: list[str]
    bots: list[str]
    second_accounts: list[str]
    waiting: int | None


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

    zone: str
    workdays: list[int]
    country: str
    subdivision: str
    extra_days: dict[str, str]
    summary: str


class CalendarIn(StrictSchema):
    """Calendar. In `workdays`, 0 is Monday. `extra_days` maps ISO dates to names. `dry_run` only previews changes."""

    zone: str
    workdays: list[int] = Field(min_length=1, max_length=7)
    country: str = ""
    subdivision: str = ""
    extra_days: dict[str, str] = Field({}, max_length=60)
    dry_run: bool = False


class CalendarPreviewOut(Schema):
    """Effects of a calendar: five business days from now, before and after. `changed` is false for a dry run."""

    changed: bool
    summary: str
    open_clocks: int
    before: datetime
    after: datetime
