"""Rows of clocks for lists, the countdown, CSV, and JSON."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.partners.models import PartnerCalendar
from integrations.programs.registry import PROGRAMS
from integrations.sla.clock_usage import MeterParts, TimeUsage, calculate_usage, format_target, get_target, is_at_risk
from integrations.sla.engine.types import ClockStatus, IssueEventKind
from integrations.sla.models import SlaClock, SupportIssueEvent
from portal.core.business_time import Calendar

# Label, tone, and icon by status
STATE_BADGES: dict[str, tuple[str, str, str]] = {
    ClockStatus.RUNNING: (gettext_noop("Running"), "neutral", "clock"),
    ClockStatus.PAUSED: (gettext_noop("Paused"), "info", "circle-pause"),
    ClockStatus.MET: (gettext_noop("On time"), "good", "circle-check"),
    ClockStatus.LATE: (gettext_noop("Late"), "bad", "circle-x"),
    ClockStatus.OVERDUE: (gettext_noop("Breached"), "bad", "alarm-clock-off"),
    ClockStatus.DATA_INCOMPLETE: (gettext_noop("Data incomplete"), "info", "eye-off"),
    ClockStatus.NOT_APPLICABLE: (gettext_noop("No target"), "neutral", "minus"),
}
AT_RISK_BADGE = (gettext_noop("At risk"), "warn", "triangle-alert")
TARGET_TYPE_LABELS = {
    "resolve": gettext_noop("Resolution"),
    "respond": gettext_noop("First response"),
    "track": gettext_noop("Tracking"),
}
SIDE_LABELS = {
    "partner": gettext_noop("partner"),
    "reporter": gettext_noop("reporter"),
    "other": gettext_noop("other"),
}
SEVERITY_BADGES = {
    "critical": (gettext_noop("Critical"), "bad", "zap"),
    "other": (gettext_noop("Other"), "neutral", "circle"),
}


def localize_badge(badge: tuple[str, str, str]) -> tuple[str, str, str]:
    """Return a badge with its label translated."""
    return _(badge[0]), badge[1], badge[2]


@dataclass(frozen=True, slots=True)
class ClockRow:
    """Row of a clock in a list. `spoke_by` is the login of the last human commenter, `side` their side."""

    name: str
    title: str
    href: str
    url: str
    company: str
    integration: str
    program: str
    severity: str
    target_type: str
    target: str
    state: str
    at_risk: bool
    used: TimeUsage
    due_at: datetime | None
    stopped_at: datetime | None
    opened_at: datetime
    spoke_by: str
    side: str
    spoke_at: datetime | None
    data_up_to: datetime

    @property
    def state_badge(self) -> tuple[str, str, str]:
        return localize_badge(AT_RISK_BADGE if self.at_risk else STATE_BADGES[self.state])

    @property
    def severity_badge(self) -> tuple[str, str, str]:
        return localize_badge(SEVERITY_BADGES[self.severity])

    @property
    def target_type_label(self) -> str:
        return _(TARGET_TYPE_LABELS[self.target_type])

    @property
    def last_commenter_label(self) -> str:
        return _(SIDE_LABELS.get(self.side, ""))

    @property
    def tone(self) -> str:
        """Return the tone of the row, set only for urgent clocks."""
        tone = self.state_badge[1]
        return tone if tone in ("bad", "warn") and not self.stopped_at else ""

    @property
    def has_incomplete_data(self) -> bool:
        return self.state == ClockStatus.DATA_INCOMPLETE

    @property
    def pieces(self) -> MeterParts:
        """Return the meter parts. With incomplete data, the meter never shows time beyond the target."""
        return [piece for piece in self.used.pieces if not (self.has_incomplete_data and piece[0] == "over")]


def build_rows(
    queryset: QuerySet[SlaClock], now: datetime, order: list[int] | None = None, *, with_speakers: bool = True
) -> list[ClockRow]:
    """Build rows with three queries: clocks, last commenters if needed, and calendars.

    `order` lists the primary keys in display order if the query is unordered.
    """
    related_clocks = queryset.select_related("issue", "watch", "integration__partner").defer(
        "watch__cursors", "watch__etags"
    )
    clocks = sorted(related_clocks, key=lambda clock: order.index(clock.pk)) if order else list(related_clocks)
    speakers, calendars = _load_speakers(clocks) if with_speakers else {}, load_calendars(clocks)
    return [
        build_row(clock, speakers.get(clock.issue_id, ""), calendars.get(clock.issue.calendar_id), now)
        for clock in clocks
    ]


def build_row(clock: SlaClock, spoke_by: str, calendar: Calendar | None, now: datetime) -> ClockRow:
    issue = clock.issue
    return ClockRow(
        name=f"{clock.watch.repository}#{issue.number}",
        title=issue.title,
        href=reverse("sla:issue", args=[issue.uuid]),
        url=issue.url,
        company=clock.integration.partner.name,
        integration=clock.integration.name,
        program=PROGRAMS[clock.integration.program_key].name,
        severity=clock.severity,
        target_type=clock.target_type,
        target=format_target(get_target(clock)),
        state=clock.state,
        at_risk=is_at_risk(clock, now),
        used=calculate_usage(clock, calendar or Calendar(), now),
        due_at=clock.due_at,
        stopped_at=clock.stopped_at,
        opened_at=issue.opened_at,
        spoke_by=spoke_by,
        side=issue.last_commenter_role,
        spoke_at=issue.last_commented_at,
        data_up_to=clock.watch.data_up_to,
    )


def load_calendars(clocks: Iterable[SlaClock]) -> dict[int | None, Calendar]:
    """Return the calendars of the clocks by primary key."""
    calendar_ids = {clock.issue.calendar_id for clock in clocks if clock.issue.calendar_id}
    return {pk: edition.calendar for pk, edition in PartnerCalendar.objects.in_bulk(calendar_ids).items()}


def _load_speakers(clocks: Iterable[SlaClock]) -> dict[int, str]:
    """Return the login of the last human commenter by issue."""
    issues = [clock.issue_id for clock in clocks if clock.issue.last_commented_at]
    events = SupportIssueEvent.objects.filter(
        issue__in=issues, kind__in=(IssueEventKind.OPENED, IssueEventKind.COMMENTED)
    )
    return dict(events.filter(at=F("issue__last_commented_at")).order_by("pk").values_list("issue_id", "actor"))


def serialize_row(row: ClockRow) -> dict[str, object]:
    """Serialize a row for JSON and CSV with ISO timestamps in UTC and durations in hours."""
    return {
        "issue": row.name,
        "title": row.title,
        "partner": row.company,
        "integration": row.integration,
        "program": row.program,
        "severity": row.severity,
        "target_type": row.target_type,
        "target": row.target,
        "state": row.state,
        "at_risk": row.at_risk,
        "used_per_cent": row.used.per_cent,
        "used": row.used.words,
        "paused_hours": round(row.used.paused.total_seconds() / 3600, 1),
        "opened": _format_timestamp(row.opened_at),
        "due": _format_timestamp(row.due_at),
        "stopped": _format_timestamp(row.stopped_at),
        "last_commenter_role": row.spoke_by,
        "last_commenter_side": row.side,
        "last_commented_at": _format_timestamp(row.spoke_at),
        "data_up_to": _format_timestamp(row.data_up_to),
        "url": row.url,
    }


COLUMNS = (
    "issue",
    "title",
    "partner",
    "integration",
    "program",
    "severity",
    "target_type",
    "target",
    "state",
    "at_risk",
    "used_per_cent",
    "used",
    "paused_hours",
    "opened",
    "due",
    "stopped",
    "last_commenter_role",
    "last_commenter_side",
    "last_commented_at",
    "data_up_to",
    "url",
)


def _format_timestamp(timestamp: datetime | None) -> str:
    return timestamp.isoformat() if timestamp else ""
