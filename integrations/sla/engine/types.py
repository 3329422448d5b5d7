"""Types of the SLA engine, free of Django."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from integrations.programs.sla_policy import Sla, TargetType
from portal.core.business_time import Calendar

DENIED_KEY = "denied"  # in an event's data: the key of an event that GitHub doesn't confirm
REPLACED_KEY = "replaces"  # in an event's data: the key of a denied label that still counts, without its actor
LISTED_SUFFIX = ":listed"  # key suffix of events from a list that contradict those of a webhook


def build_choices(members: type[StrEnum]) -> list[tuple[str, str]]:
    """Return the choices of a model field."""
    return [(str(member), str(member)) for member in members]


class Severity(StrEnum):
    """Severity of an issue. A label of the policy makes it critical."""

    CRITICAL = "critical"
    OTHER = "other"


class BreachOutcome(StrEnum):
    """Decision about a dispute that retracts a breach."""

    ACCEPTED = "accepted"  # recorded by mistake
    WAIVED = "waived"  # stays visible and doesn't count


class IssueEventKind(StrEnum):
    """Kind of an issue event. The first group comes from GitHub, the second from the portal."""

    OPENED = "opened"
    EDITED = "edited"
    COMMENTED = "commented"
    COMMENT_EDITED = "comment_edited"
    COMMENT_DELETED = "comment_deleted"
    LABELED = "labeled"
    UNLABELED = "unlabeled"
    CLOSED = "closed"
    REOPENED = "reopened"
    LOCKED = "locked"
    UNLOCKED = "unlocked"
    TRANSFERRED = "transferred"
    DELETED = "deleted"

    SEVERITY_LOWERED = "severity_lowered"  # decided by the program
    NOT_AN_ISSUE = "not_an_issue"  # excluded by the program, such as spam


# Changes of an issue, which GitHub calls by the same names
CHANGE_KINDS = frozenset(
    {
        IssueEventKind.EDITED,
        IssueEventKind.LABELED,
        IssueEventKind.UNLABELED,
        IssueEventKind.CLOSED,
        IssueEventKind.REOPENED,
        IssueEventKind.LOCKED,
        IssueEventKind.UNLOCKED,
    }
)
FINAL_KINDS = frozenset({IssueEventKind.TRANSFERRED, IssueEventKind.DELETED})  # happen once
COMMENT_TEXT_KINDS = (IssueEventKind.COMMENTED, IssueEventKind.COMMENT_EDITED)


class ClockStatus(StrEnum):
    """Status of an SLA clock."""

    RUNNING = "running"
    PAUSED = "paused"
    MET = "met"  # stopped on time
    LATE = "late"  # stopped after the due date
    OVERDUE = "overdue"  # not stopped, and the due date has passed
    DATA_INCOMPLETE = "data_incomplete"  # the due date has passed, but our data ends before it
    NOT_APPLICABLE = "not_applicable"  # no target, or the issue is not covered


OPEN_STATES = [
    str(state) for state in (ClockStatus.RUNNING, ClockStatus.PAUSED, ClockStatus.OVERDUE, ClockStatus.DATA_INCOMPLETE)
]
URGENT_STATES = [str(state) for state in (ClockStatus.RUNNING, ClockStatus.OVERDUE)]  # after 75% of the time


@dataclass(frozen=True, slots=True)
class Actor:
    """GitHub account. `association` is GitHub's author association, such as OWNER, MEMBER, or NONE."""

    id: int
    login: str
    type: str = "User"
    association: str = "NONE"


@dataclass(frozen=True, slots=True)
class TimelineEvent:
    """Event of an issue. `key` is unique within the issue, so duplicates collapse. `at` is GitHub's time.

    `text` is the body of an opened, commented, or edited event. Unknown actors have the ID 0. Keys of `data` by kind:

    - edited: `body` is True if `text` is the new issue text. `guessed` is True if a list showed the new text without
      author and time.
    - commented, comment_edited, comment_deleted: `comment`, the key of the comment ("comment:<id>").
    - commented: `unread` is True if the comment was edited before we read it. `text` is then empty.
    - closed: GitHub's `reason`, and the `commit` that closed the issue or "".
    - severity_lowered: `requested_at`, the ISO time from which it also counts: of the partner's request, or of the
      event that a correction reverses.
    - any: `denied`, the key of a webhook event that GitHub doesn't confirm. Neither event counts.
    - labeled: `replaces`, the key of a denied event whose critical label still counts.
    """

    key: str
    kind: IssueEventKind
    at: datetime
    actor: Actor
    text: str = ""
    label: str = ""
    data: Mapping[str, object] = field(default_factory=dict)

    @property
    def comment(self) -> str:
        """Return the key of the created, edited, or deleted comment."""
        return str(self.data.get("comment") or self.key)


@dataclass(frozen=True, slots=True)
class SlaPolicy:
    """SLA targets and label policy at the issue's opening.

    `critical_labels` and `pause_labels` are in lower case. `team` holds the IDs of partner members in addition to
    GitHub's owners, members, and collaborators. `bots` holds the IDs of bots that GitHub lists as users.
    `second_accounts` maps the ID of a second account to the ID of the same person's first account.
    """

    sla: Sla
    critical_labels: frozenset[str]
    pause_labels: frozenset[str]
    team: frozenset[int] = frozenset()
    edition: str = ""
    bots: frozenset[int] = frozenset()
    second_accounts: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UncountedInterval:
    """Uncounted interval with its reason and the key of the event that started it. An open one has no `end`."""

    start: datetime
    end: datetime | None
    reason: str
    key: str


@dataclass(frozen=True, slots=True)
class Segment:
    """Counted or uncounted period with its reason and the key of the event that started it. Days off have neither.

    The lengths of a clock's segments add up to the time since its start, `used` adds up to the counted time. On days
    with a daylight saving change, a business clock counts wall-clock time, so the two differ by an hour.
    """

    start: datetime
    end: datetime
    counted: bool
    reason: str
    key: str = ""
    used: timedelta = timedelta()

    @property
    def length(self) -> timedelta:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class ClockState:
    """State of a clock at one time. All times are in UTC.

    Attributes:
        counted: Time used until `stopped_at` or the time of the projection.
        share: Used share of the target, 1.0 at the due date.
        due_at: Due date. None without a target, and during a pause, which moves the due date.
        warn_at: Known times at which 50, 75, and 90% are used.
        is_committed: False for ideal targets, which have a due date and the status NOT_APPLICABLE.
        severity: Severity whose target applies.
        ideal_due_at: Due date of the ideal target, which can apply in addition to a required one.
        is_ideal_missed: Whether the data shows that the ideal target was missed. This is not a breach.
    """

    target_type: TargetType
    is_committed: bool
    severity: Severity
    state: ClockStatus
    started_at: datetime
    due_at: datetime | None = None
    stopped_at: datetime | None = None
    stopped_by: str = ""
    warn_at: tuple[datetime, ...] = ()
    counted: timedelta = timedelta()
    share: float = 0.0
    segments: tuple[Segment, ...] = ()
    ideal_due_at: datetime | None = None
    is_ideal_missed: bool = False

    @property
    def uncounted_time(self) -> timedelta:
        """Return the time that doesn't count, days off included."""
        return sum((segment.length for segment in self.segments if not segment.counted), timedelta())

    @property
    def paused_time(self) -> timedelta:
        """Return the time of the pauses and of the stops that did not last."""
        return sum((segment.length for segment in self.segments if not segment.counted and segment.key), timedelta())


@dataclass(frozen=True, slots=True)
class IssueState:
    """State of an issue at one time."""

    severity: Severity
    is_open: bool
    is_covered: bool
    respond: ClockState
    resolve: ClockState
    last_commenter_role: str = ""  # "partner", "reporter", "other", or ""
    last_commented_at: datetime | None = None
    notes: tuple[str, ...] = ()  # explanations of events without effect

    @property
    def clocks(self) -> tuple[ClockState, ClockState]:
        return self.respond, self.resolve


@dataclass(frozen=True, slots=True)
class ProjectionContext:
    """Context of a projection. `data_up_to` is the time until which our data is complete."""

    policy: SlaPolicy
    calendar: Calendar
    now: datetime
    data_up_to: datetime
