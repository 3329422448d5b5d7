"""What is known of an issue, and what is promised about it? The vocabulary; standard library and programs only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from integrations.programs.schema import Sla, TargetType
from portal.core.business_time import Calendar

DENIED_KEY = "denied"  # in a fact's data: the key of another that GitHub, asked for it, does not know


class Severity(StrEnum):
    """Critical by an accepted label; everything else is other."""

    CRITICAL = "critical"
    OTHER = "other"


class IssueEventKind(StrEnum):
    """What happened to an issue. The first group is GitHub's, the second the portal's own."""

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

    SEVERITY_LOWERED = "severity_lowered"  # the program consents; data["severity"]
    NOT_AN_ISSUE = "not_an_issue"  # the program agrees that the promise does not cover it (a pull request, spam)


class ClockStatus(StrEnum):
    """Where a clock is."""

    RUNNING = "running"
    PAUSED = "paused"
    MET = "met"  # the event that stops it came in time
    LATE = "late"  # it came after the due moment
    OVERDUE = "overdue"  # the due moment passed, and nothing has come
    DATA_INCOMPLETE = "data_incomplete"  # the due moment passed, but what we know does not reach it
    NOT_APPLICABLE = "not_applicable"  # nothing is asked: no target, or the issue is not covered


@dataclass(frozen=True, slots=True)
class Actor:
    """Who did it, as GitHub says. `association`: OWNER, MEMBER, COLLABORATOR, CONTRIBUTOR, NONE …"""

    id: int
    login: str
    type: str = "User"
    association: str = "NONE"


@dataclass(frozen=True, slots=True)
class TimelineEvent:
    """One fact about an issue. `key` is unique within it, so that a fact told twice is one; `at` is GitHub's moment.

    `text` is the body of what was opened, commented or edited. `data` by kind: opened: labels (those put with it);
    edited: body (True where `text` is the report's new body), guessed (True where a list showed the new body, and
    nobody said who wrote it and when); commented, comment_edited and comment_deleted: comment (the key of the comment
    meant, "comment:<id>"); commented: unread (True where it was edited before we saw it: `text` is then blank, since
    nobody told us what it said at first); closed: reason (GitHub's), commit (what closed it, "" for a person's
    click); any: denied (the key of a fact that only a webhook told and that GitHub does not know: neither counts);
    severity_lowered: severity, asked (ISO: when the partner asked for it, missing where it did not). An actor
    whom we do not know has the id 0.
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
        """The key of the comment that was made, edited or deleted."""
        return str(self.data.get("comment") or self.key)


@dataclass(frozen=True, slots=True)
class SlaPolicy:
    """What is promised and how labels are read, as of the issue's opening.

    `critical_labels` and `pause_labels` are lower case. `team`: numeric ids of people that the partner named as its
    own, beside those whom GitHub calls owner, member or collaborator. `bots`: numeric ids of accounts that are
    machines though GitHub calls them users. `second_accounts`: {id: id of the same person's first account}.
    """

    sla: Sla
    critical_labels: frozenset[str]
    pause_labels: frozenset[str]
    team: frozenset[int] = frozenset()
    edition: str = ""
    bots: frozenset[int] = frozenset()
    second_accounts: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of time, counted or not, why, and the key of the happening that began it ("" where a day did).

    The lengths of a clock's segments add up to the time since its start, `used` adds up to what it counts; on a day
    whose clocks are changed a business clock counts the wall clock, so that the two differ by an hour.
    """

    start: datetime
    end: datetime
    counted: bool
    why: str
    key: str = ""
    used: timedelta = timedelta()

    @property
    def length(self) -> timedelta:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class ClockState:
    """One clock at a moment. All moments in UTC.

    `counted`: time used up to `stopped_at` or the moment asked for; `share`: of what is allowed, 1.0 at the due
    moment; `due_at` is None where there is no target or while it is paused without an end in sight (the due moment
    then moves on). `warn_at`: the moments at which 50, 75 and 90 % are used, as far as they are known (while it is
    paused: those before). A target that the program only calls ideal is not promised: it has a due moment to show,
    and is NOT_APPLICABLE. `severity` is the one whose target counts.
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


@dataclass(frozen=True, slots=True)
class IssueState:
    """Everything that follows from an issue's happenings at a moment."""

    severity: Severity
    is_open: bool
    is_covered: bool
    respond: ClockState
    resolve: ClockState
    last_commenter_role: str = ""  # "partner", "reporter", "other" or ""
    last_commented_at: datetime | None = None
    notes: tuple[str, ...] = ()  # what was tried and does not count, in words

    @property
    def clocks(self) -> tuple[ClockState, ClockState]:
        return self.respond, self.resolve


@dataclass(frozen=True, slots=True)
class ProjectionContext:
    """What `fold` is asked with beside the happenings. `data_up_to`: how far what we know reaches.

    `segments`: whether the clocks are to explain themselves; those who only store the moments save the time.
    """

    policy: SlaPolicy
    calendar: Calendar
    now: datetime
    data_up_to: datetime
    segments: bool = True
