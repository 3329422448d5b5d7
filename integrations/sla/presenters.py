"""Rows of clocks for lists, the countdown, exports, and the API."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.partners.models import PartnerCalendar
from integrations.programs.registry import PROGRAMS
from integrations.sla.clock_usage import MeterParts, TimeUsage, calculate_usage, format_target, is_at_risk
from integrations.sla.engine.types import ClockStatus, IssueEventKind
from integrations.sla.models import SlaClock, SupportIssueEvent
from portal.core.business_time import Calendar
from portal.core.exports import CellValue

Badge = tuple[str, str, str]  # label, tone, and icon
STATE_BADGES: dict[str, Badge] = {
    ClockStatus.RUNNING: (gettext_noop("Running"), "neutral", "clock"),
    ClockStatus.PAUSED: (gettext_noop("Paused"), "info", "circle-pause"),
    ClockStatus.MET: (gettext_noop("On time"), "good", "circle-check"),
    ClockStatus.LATE: (gettext_noop("Late"), "bad", "circle-x"),
    ClockStatus.OVERDUE: (gettext_noop("Breached"), "bad", "alarm-clock-off"),
    ClockStatus.DATA_INCOMPLETE: (gettext_noop("Data incomplete"), "info", "eye-off"),
    ClockStatus.NOT_APPLICABLE: (gettext_noop("No target"), "neutral", "minus"),
}
AT_RISK_BADGE = (gettext_noop("At risk"), "warn", "triangle-alert")
SEVERITY_BADGES: dict[str, Badge] = {
    "critical": (gettext_noop("Critical"), "bad", "zap"),
    "other": (gettext_noop("Other"), "neutral", "circle"),
}
TARGET_TYPE_LABELS = {
    "resolve": gettext_noop("Resolution"),
    "respond": gettext_noop("First response"),
}
SIDE_LABELS = {
    "partner": gettext_noop("partner"),
    "reporter": gettext_noop("reporter"),
    "other": gettext_noop("other"),
}


def localize_badge(badge: Badge) -> Badge:
    """Return a badge with its label translated."""
    return _(badge[0]), badge[1], badge[2]


@dataclass(frozen=True, slots=True)
class ClockRow:
    """Row of a clock in a list. `last_commenter` is the login of the last human commenter."""

    clock: SlaClock
    usage: TimeUsage
    is_at_risk: bool
    last_commenter: str

    @property
    def name(self) -> str:
        return f"{self.clock.watch.repository}#{self.clock.issue.number}"

    @property
    def state_badge(self) -> Badge:
        return localize_badge(AT_RISK_BADGE if self.is_at_risk else STATE_BADGES[self.clock.state])

    @property
    def severity_badge(self) -> Badge:
        return localize_badge(SEVERITY_BADGES[self.clock.severity])

    @property
    def target_type_label(self) -> str:
        return _(TARGET_TYPE_LABELS[self.clock.target_type])

    @property
    def last_commenter_label(self) -> str:
        return _(SIDE_LABELS.get(self.clock.issue.last_commenter_role, ""))

    @property
    def tone(self) -> str:
        """Return the tone of the row, set only for urgent clocks."""
        tone = self.state_badge[1]
        return tone if tone in ("bad", "warn") and not self.clock.stopped_at else ""

    @property
    def has_incomplete_data(self) -> bool:
        return self.clock.state == ClockStatus.DATA_INCOMPLETE

    @property
    def pieces(self) -> MeterParts:
        """Return the meter parts. With incomplete data, the meter never shows time beyond the target."""
        return [piece for piece in self.usage.pieces if not (self.has_incomplete_data and piece[0] == "over")]


# Columns of exports and fields of the API. Timestamps are in UTC.
COLUMNS: dict[str, Callable[[ClockRow], CellValue]] = {
    "issue": lambda row: row.name,
    "title": lambda row: row.clock.issue.title,
    "partner": lambda row: row.clock.integration.partner.name,
    "integration": lambda row: row.clock.integration.name,
    "program": lambda row: PROGRAMS[row.clock.integration.program_key].name,
    "severity": lambda row: row.clock.severity,
    "target_type": lambda row: row.clock.target_type,
    "target": lambda row: format_target(row.usage.target),
    "state": lambda row: row.clock.state,
    "at_risk": lambda row: row.is_at_risk,
    "used_percent": lambda row: row.usage.percent,
    "used": lambda row: row.usage.text,
    "paused_hours": lambda row: round(row.usage.paused_time.total_seconds() / 3600, 1),
    "opened": lambda row: row.clock.issue.opened_at,
    "due": lambda row: row.clock.due_at,
    "stopped": lambda row: row.clock.stopped_at,
    "last_commenter": lambda row: row.last_commenter,
    "last_commenter_role": lambda row: row.clock.issue.last_commenter_role,
    "last_commented_at": lambda row: row.clock.issue.last_commented_at,
    "data_up_to": lambda row: row.clock.watch.data_up_to,
    "url": lambda row: row.clock.issue.url,
}


def serialize_row(row: ClockRow) -> dict[str, CellValue]:
    """Serialize a row for exports and the API."""
    return {name: read(row) for name, read in COLUMNS.items()}


def build_rows(
    queryset: QuerySet[SlaClock], now: datetime, order: list[int] | None = None, *, with_commenters: bool = True
) -> list[ClockRow]:
    """Build rows with three queries: clocks, last commenters if needed, and calendars.

    `order` lists the primary keys in display order if the query is unordered.
    """
    related_clocks = queryset.select_related("issue", "watch", "integration__partner").defer(
        "watch__cursors", "watch__etags"
    )
    clocks = sorted(related_clocks, key=lambda clock: order.index(clock.pk)) if order else list(related_clocks)
    commenters = _load_commenters(clocks) if with_commenters else {}
    calendar_ids = {clock.issue.calendar_id for clock in clocks if clock.issue.calendar_id}
    calendars = {pk: edition.calendar for pk, edition in PartnerCalendar.objects.in_bulk(calendar_ids).items()}
    return [
        ClockRow(
            clock,
            calculate_usage(clock, calendars.get(clock.issue.calendar_id or 0, Calendar()), now),
            is_at_risk(clock, now),
            commenters.get(clock.issue_id, ""),
        )
        for clock in clocks
    ]


def _load_commenters(clocks: Iterable[SlaClock]) -> dict[int, str]:
    """Return the login of the last human commenter by issue."""
    issues = [clock.issue_id for clock in clocks if clock.issue.last_commented_at]
    events = SupportIssueEvent.objects.filter(
        issue__in=issues, kind__in=(IssueEventKind.OPENED, IssueEventKind.COMMENTED)
    )
    return dict(events.filter(at=F("issue__last_commented_at")).order_by("pk").values_list("issue_id", "actor"))
