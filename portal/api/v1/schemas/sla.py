"""What does the API tell, and take, of issues and their clocks, labels and calendars?"""

from datetime import datetime
from uuid import UUID

from ninja import Schema
from pydantic import Field

from portal.api.routing import PaginationParams, StrictSchema


class ClockFilterParams(PaginationParams):
    """The filters of the dashboard.

    `state`: at_risk, breached, data_incomplete, paused, disputed, kept, late, all; else open.
    """

    program: str = Field("", max_length=60)
    partner: str = Field("", max_length=80)
    integration: str = Field("", max_length=60)
    severity: str = Field("", max_length=20)
    state: str = Field("all", max_length=20)


class ClockOut(Schema):
    """One clock, as the dashboard's JSON has it; moments are ISO texts in UTC, blank for none."""

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
    """A clock with the answer in one sentence and every piece of time that counted or did not."""

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
    """`decisions`: what the company asked and the program agreed to."""

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
    """Both sides read it."""

    reason: str


class LabelPolicyOut(Schema):
    """What is in force, and whether a proposal waits for the program."""

    critical: list[str]
    pause: list[str]
    team: list[str]
    bots: list[str]
    second_accounts: list[str]
    waiting: int | None


class LabelPolicyIn(StrictSchema):
    """A whole new map. `second_accounts`: "ada-at-work = ada"."""

    critical: list[str] = Field(max_length=40)
    pause: list[str] = Field([], max_length=40)
    team: list[str] = Field([], max_length=40)
    bots: list[str] = Field([], max_length=40)
    second_accounts: list[str] = Field([], max_length=40)


class LabelPolicyDecisionIn(StrictSchema):
    accept: bool
    note: str = Field("", max_length=500)


class CalendarOut(Schema):
    """`said`: in one sentence; blank where none is set: Monday to Friday in UTC counts then."""

    zone: str
    workdays: list[int]
    country: str
    subdivision: str
    extra_days: dict[str, str]
    summary: str


class CalendarIn(StrictSchema):
    """`workdays`: 0 is Monday. `extra_days`: ISO date to name. `dry_run`: say what it would change, change nothing."""

    zone: str
    workdays: list[int] = Field(min_length=1, max_length=7)
    country: str = ""
    subdivision: str = ""
    extra_days: dict[str, str] = Field({}, max_length=60)
    dry_run: bool = False


class CalendarPreviewOut(Schema):
    """Five business days from now, before and after; `changed` says whether it counts from now on."""

    changed: bool
    summary: str
    open_clocks: int
    before: datetime
    after: datetime
