"""Rows of clocks for lists and the countdown."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, Model, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.partners.models import Partner, PartnerCalendar
from integrations.sla.clock_usage import (
    MeterParts,
    TimeUsage,
    calculate_clock_usage,
    is_at_risk,
    is_ideal_missed,
)
from integrations.sla.engine.types import ClockStatus, IssueEventKind
from integrations.sla.models import MonitoredRepository, SlaClock, SupportIssue, SupportIssueEvent
from integrations.submissions.models import Integration
from portal.core.business_time import Calendar

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
IDEAL_BADGE = (gettext_noop("Ideal target"), "neutral", "clock")
AT_RISK_BADGE = (gettext_noop("At risk"), "warn", "triangle-alert")
SEVERITY_BADGES: dict[str, Badge] = {
    "critical": (gettext_noop("Critical"), "bad", "zap"),
    "other": (gettext_noop("Other"), "neutral", "circle"),
}
TARGET_TYPE_LABELS = {
    "respond": gettext_noop("First response"),
    "resolve": gettext_noop("Resolution"),
}
SIDE_LABELS = {
    "partner": gettext_noop("partner"),
    "reporter": gettext_noop("reporter"),
    "other": gettext_noop("other"),
}


def localize_badge(badge: Badge) -> Badge:
    """Return a badge with its label translated."""
    return _(badge[0]), badge[1], badge[2]


ISSUE_COLUMNS = {
    "uuid",
    "number",
    "title",
    "url",
    "calendar",
    "edition",
    "projected_at",
    "opened_at",
    "last_commented_at",
    "last_commenter_role",
}


@dataclass(frozen=True, slots=True)
class ClockRow:
    """Row of a clock in a list. `last_commenter` is the login of the last human commenter.

    `issue_clocks` holds both clocks of the issue by target type. Without details, both are empty.
    """

    clock: SlaClock
    usage: TimeUsage
    is_at_risk: bool
    is_ideal_missed: bool
    issue_clocks: dict[str, SlaClock]
    last_commenter: str

    @property
    def name(self) -> str:
        return f"{self.clock.watch.repository}#{self.clock.issue.number}"

    @property
    def state_badge(self) -> Badge:
        if self.clock.ideal_due_at and not self.clock.is_committed:
            return localize_badge(IDEAL_BADGE)
        return localize_badge(AT_RISK_BADGE if self.is_at_risk else STATE_BADGES[self.clock.state])

    @property
    def counterpart_summary(self) -> str:
        """Return the issue's other clock in one line, such as "First response: 3 h"."""
        other = next((clock for clock in self.issue_clocks.values() if clock.pk != self.clock.pk), None)
        if other is None:
            return ""
        target_type, hours = _(TARGET_TYPE_LABELS[other.target_type]), other.counted_seconds // 3600
        if other.is_committed:
            status = localize_badge(STATE_BADGES[other.state])[0]
        elif other.stopped_at:
            status = _("%(count)s h") % {"count": hours}
        else:
            status = _("not measurable") if self.clock.watch.trouble else _("none yet")
        return _("%(target_type)s: %(status)s") % {"target_type": target_type, "status": status}

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


def build_rows(queryset: QuerySet[SlaClock], now: datetime, *, with_details: bool = True) -> list[ClockRow]:
    """Build rows with four queries: clocks and calendars, and as details the last commenters and the issues' clocks."""
    return build_clock_rows(list(select_row_data(queryset)), now, with_details=with_details)


def select_row_data(queryset: QuerySet[SlaClock]) -> QuerySet[SlaClock]:
    """Add what a row shows to a query of clocks, and no other columns."""
    return queryset.select_related("issue", "watch", "integration__partner").defer(
        *("warn50_at", "warn90_at", "next_at", "breached_at"),
        *_list_unused("issue", SupportIssue, ISSUE_COLUMNS),
        *_list_unused("watch", MonitoredRepository, {"repository", "data_up_to", "ended_at", "trouble"}),
        *_list_unused("integration", Integration, {"uuid", "name", "program_key", "partner"}),
        *_list_unused("integration__partner", Partner, {"name"}),
    )


def _list_unused(path: str, model: type[Model], used: set[str]) -> Iterator[str]:
    return (f"{path}__{each.name}" for each in model._meta.concrete_fields if each.name not in used | {"id"})


def build_clock_rows(clocks: list[SlaClock], now: datetime, *, with_details: bool = True) -> list[ClockRow]:
    """Build the rows of clocks from `select_row_data` with up to three queries."""
    commenters = _load_commenters(clocks) if with_details else {}
    issue_clocks = _load_issue_clocks(clocks) if with_details else {}
    calendar_ids = {clock.issue.calendar_id for clock in clocks if clock.issue.calendar_id}
    calendars = {pk: edition.calendar for pk, edition in PartnerCalendar.objects.in_bulk(calendar_ids).items()}
    return [
        ClockRow(
            clock,
            calculate_clock_usage(clock, calendars.get(clock.issue.calendar_id or 0, Calendar()), now),
            is_at_risk(clock.state, clock.warn75_at, now),
            is_ideal_missed(clock, now),
            issue_clocks.get(clock.issue_id, {}),
            commenters.get(clock.issue_id, ""),
        )
        for clock in clocks
    ]


def _load_issue_clocks(clocks: Iterable[SlaClock]) -> dict[int, dict[str, SlaClock]]:
    """Return both clocks of each issue by target type."""
    clocks_by_issue: dict[int, dict[str, SlaClock]] = {}
    for clock in SlaClock.objects.filter(issue__in={clock.issue_id for clock in clocks}):
        clocks_by_issue.setdefault(clock.issue_id, {})[clock.target_type] = clock
    return clocks_by_issue


def _load_commenters(clocks: Iterable[SlaClock]) -> dict[int, str]:
    """Return the login of the last human commenter by issue."""
    issues = [clock.issue_id for clock in clocks if clock.issue.last_commented_at]
    events = SupportIssueEvent.objects.filter(
        issue__in=issues, kind__in=(IssueEventKind.OPENED, IssueEventKind.COMMENTED)
    )
    return dict(events.filter(at=F("issue__last_commented_at")).order_by("pk").values_list("issue_id", "actor"))
