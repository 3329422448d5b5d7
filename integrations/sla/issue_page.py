"""Content of an issue page: both clocks with explanations, timeline, and decisions."""

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.partners import permissions
from integrations.programs.registry import get_edition
from integrations.programs.schema import Sla, SlaTarget
from integrations.sla.clock_usage import TimeUsage, format_target
from integrations.sla.engine import inputs
from integrations.sla.engine.explanation import build_event_url, sum_uncounted_time
from integrations.sla.engine.projection import project_issue_state
from integrations.sla.engine.timeline import order_events
from integrations.sla.engine.types import (
    DENIED_KEY,
    ClockState,
    ClockStatus,
    IssueEventKind,
    IssueState,
    ProjectionContext,
    Segment,
    Severity,
)
from integrations.sla.formatting import describe_reason, format_duration, format_moment
from integrations.sla.models import SupportIssue, SupportIssueEvent
from integrations.sla.presenters import AT_RISK_BADGE, SEVERITY_BADGES, STATE_BADGES, TARGET_TYPE_LABELS, localize_badge
from integrations.sla.services.policies import CRITICAL_LABELS, PAUSE_LABELS
from portal.accounts.models import User
from portal.audit.models import AuditEvent
from portal.core.business_time import Calendar
from portal.ui.charts import calendar_strip as strip

MAX_TIMELINE_ENTRIES = 60
NUMBER_SPACE_PATTERN = re.compile(r"(\d) ")
GITHUB_LINK_TEMPLATE = '{0} <a href="{1}" rel="noopener noreferrer">{2}<span class="visually-hidden">: {0}</span></a>'
# Description, tone, and icon by event kind
EVENT_DISPLAY_BY_KIND: dict[str, tuple[str, str, str]] = {
    IssueEventKind.OPENED: (gettext_noop("opened the issue"), "accent", "circle-dot"),
    IssueEventKind.EDITED: (gettext_noop("edited the issue"), "neutral", "pencil"),
    IssueEventKind.COMMENTED: (gettext_noop("commented"), "neutral", "message-square"),
    IssueEventKind.COMMENT_EDITED: (gettext_noop("edited a comment"), "neutral", "pencil"),
    IssueEventKind.COMMENT_DELETED: (gettext_noop("deleted a comment"), "warn", "trash-2"),
    IssueEventKind.LABELED: (gettext_noop("added the label “{label}”"), "neutral", "tag"),
    IssueEventKind.UNLABELED: (gettext_noop("removed the label “{label}”"), "neutral", "tag"),
    IssueEventKind.CLOSED: (gettext_noop("closed the issue"), "good", "circle-check"),
    IssueEventKind.REOPENED: (gettext_noop("reopened the issue"), "warn", "rotate-ccw"),
    IssueEventKind.LOCKED: (gettext_noop("locked the conversation"), "neutral", "lock"),
    IssueEventKind.UNLOCKED: (gettext_noop("unlocked the conversation"), "neutral", "lock-open"),
    IssueEventKind.TRANSFERRED: (gettext_noop("transferred the issue"), "warn", "arrow-right"),
    IssueEventKind.DELETED: (gettext_noop("deleted the issue"), "warn", "trash-2"),
    IssueEventKind.SEVERITY_LOWERED: (
        gettext_noop("lowered the severity on behalf of the program"),
        "warn",
        "arrow-down",
    ),
    IssueEventKind.NOT_AN_ISSUE: (gettext_noop("excluded the issue on behalf of the program"), "warn", "minus"),
}


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """Table row of a segment, with times in the calendar's time zone."""

    start: str
    end: str
    counted: bool
    length: str
    why: str
    href: str


@dataclass(frozen=True, slots=True)
class ClockPanel:
    """Panel of a clock. `sentence` is a one-line summary. A paused clock has no `due_at`."""

    target_type: str
    is_committed: bool
    severity: str
    target: str
    state: tuple[str, str, str]
    used: TimeUsage
    pieces: list[tuple[str, float]]
    sentence: str
    due_at: datetime | None
    due_local: str
    stopped_at: datetime | None
    stopped_href: str
    lines: list[SegmentRow]
    counted: str
    idle: str
    strip: SafeString | str


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """Entry of the timeline."""

    what: str
    at: datetime
    tone: str
    icon: str
    text: str


@dataclass(frozen=True, slots=True)
class IssuePage:
    """Content of an issue page."""

    issue: SupportIssue
    state: IssueState
    calendar: Calendar
    sla: Sla
    edition: str
    notes: list[str]
    clocks: list[ClockPanel]
    timeline: list[TimelineEntry]
    older_count: int
    decisions: list[AuditEvent]
    labels: str
    pauses: str
    spoke_by: str
    data_up_to: datetime

    @property
    def severity_badge(self) -> tuple[str, str, str]:
        return localize_badge(SEVERITY_BADGES[self.state.severity])

    @property
    def committed_clock(self) -> ClockPanel | None:
        """Return the clock that can be breached, or None."""
        return next((panel for panel in self.clocks if panel.is_committed), None)


def build_issue_page(issue: SupportIssue, user: User, now: datetime) -> IssuePage:
    """Build the page from a new projection. Raises ValueError if the issue's opening is missing."""
    context = inputs.build_projection_context(issue, now)
    context = replace(context, now=min(now, issue.watch.ended_at)) if issue.watch.ended_at else context
    events = list_events(issue)
    state = project_issue_state(inputs.list_timeline_events(issue), context)
    sla = get_edition(issue.integration.program_key, issue.edition).sla
    panels = [build_clock_panel(clock, context, sla, issue.url) for clock in state.clocks]
    return IssuePage(
        issue=issue,
        state=state,
        calendar=context.calendar,
        sla=sla,
        edition=context.policy.edition,
        notes=[_(note) for note in state.notes],
        clocks=sorted(panels, key=lambda panel: not panel.is_committed),
        timeline=[build_timeline_entry(event, issue.url) for event in events[-MAX_TIMELINE_ENTRIES:][::-1]],
        older_count=max(0, len(events) - MAX_TIMELINE_ENTRIES),
        decisions=list_decisions(issue, user),
        labels=", ".join(sorted(issue.policy.critical_labels if issue.policy else CRITICAL_LABELS)),
        pauses=", ".join(sorted(issue.policy.pause_labels if issue.policy else PAUSE_LABELS)),
        spoke_by=_find_last_speaker(events, state),
        data_up_to=issue.watch.data_up_to,
    )


def list_events(issue: SupportIssue) -> list[SupportIssueEvent]:
    """Return the deduplicated events, including events that GitHub doesn't confirm together with their denials."""
    rows = list(issue.events.all())
    visible_keys = {
        event.key for event in order_events(inputs.list_timeline_events(issue), max(row.at for row in rows))
    }
    denied_keys = {key for row in rows if (key := row.data.get(DENIED_KEY))}
    return [row for row in rows if row.key in visible_keys | denied_keys or DENIED_KEY in row.data]


def build_clock_panel(clock: ClockState, context: ProjectionContext, sla: Sla, url: str) -> ClockPanel:
    target = _get_target(clock, sla)
    allowed_time = _get_allowed_time(target)
    idle_time = sum((segment.length for segment in clock.segments if not segment.counted and segment.key), timedelta())
    usage = TimeUsage(clock.counted, idle_time, allowed_time, bool(target and target.business_days))
    is_at_risk = clock.state == ClockStatus.RUNNING and clock.share >= 0.75
    return ClockPanel(
        target_type=_(TARGET_TYPE_LABELS[clock.target_type]),
        is_committed=clock.is_committed,
        severity=str(clock.severity),
        target=format_target(target),
        state=localize_badge(AT_RISK_BADGE if is_at_risk else STATE_BADGES[clock.state]),
        used=usage,
        pieces=build_meter_parts(clock.segments, allowed_time, clock.counted),
        sentence=describe_usage(clock, usage),
        due_at=clock.due_at,
        due_local=f"{format_moment(clock.due_at, context.calendar.zone)} ({context.calendar.zone})"
        if clock.due_at
        else "",
        stopped_at=clock.stopped_at,
        stopped_href=build_event_url(url, clock.stopped_by),
        lines=[build_segment_row(segment, context.calendar, url) for segment in clock.segments],
        counted=_keep_units_together(format_duration(clock.counted)),
        idle=_keep_units_together(format_duration(sum_uncounted_time(clock.segments))),
        strip=_render_calendar_strip(clock, context) if usage.in_days else "",
    )


def build_meter_parts(
    segments: tuple[Segment, ...], allowed_time: timedelta | None, counted_time: timedelta
) -> list[tuple[str, float]]:
    """Return the meter parts in chronological order, without days off and with exceeded time at the end."""
    parts: list[tuple[str, float]] = []
    remaining = allowed_time or counted_time
    for segment in segments:
        if segment.counted:
            within_target, over_target = min(segment.used, remaining), max(segment.used - remaining, timedelta())
            remaining -= within_target
            parts += [("counted", within_target / timedelta(hours=1)), ("over", over_target / timedelta(hours=1))]
        elif segment.key:
            parts.append(("paused", segment.length / timedelta(hours=1)))
    return [(kind, amount) for kind, amount in [*parts, ("left", remaining / timedelta(hours=1))] if amount > 0]


def describe_usage(clock: ClockState, usage: TimeUsage) -> str:
    """Describe the used time."""
    if clock.state == ClockStatus.NOT_APPLICABLE and not clock.segments:
        return _("No SLA target applies to this issue.")
    if usage.allowed_time is None:
        if clock.stopped_at:
            message = _("%(words)s used. No SLA target applies.")
        else:
            message = _("%(words)s used so far. No SLA target applies.")
        return message % {"words": usage.words}
    if clock.is_committed:
        return f"{usage.summary}."
    return _("%(usage)s. This target is ideal only and can't be breached.") % {"usage": usage.summary}


def build_segment_row(segment: Segment, calendar: Calendar, url: str) -> SegmentRow:
    zone = calendar.zone
    length = _keep_units_together(format_duration(segment.used if segment.counted else segment.length))
    start, end = format_moment(segment.start, zone), format_moment(segment.end, zone)
    return SegmentRow(
        start, end, segment.counted, length, describe_reason(segment, calendar), build_event_url(url, segment.key)
    )


def _keep_units_together(length: str) -> str:
    """Insert non-breaking spaces so that “2 days 9 h” never wraps inside “9 h”."""
    return NUMBER_SPACE_PATTERN.sub("\\1\u00a0", length)


def build_timeline_entry(row: SupportIssueEvent, url: str) -> TimelineEntry:
    label, tone, icon = EVENT_DISPLAY_BY_KIND[row.kind]
    if DENIED_KEY in row.data:
        return TimelineEntry(
            _("GitHub doesn't confirm this webhook event. It doesn't affect the clock."), row.at, "warn", "x", ""
        )
    actor = "" if row.data.get("guessed") else row.actor
    description = f"{actor or _('Someone')} {_(label).format(label=row.label)}"
    if row.source != "portal":
        description = format_html(GITHUB_LINK_TEMPLATE, description, build_event_url(url, row.key), _("on GitHub"))
    text = _("We don't have the original text of this comment.") if row.data.get("unread") else row.text[:600]
    return TimelineEntry(description, row.at, tone, icon, text)


def list_decisions(issue: SupportIssue, user: User) -> list[AuditEvent]:
    """Return the requests and decisions about the issue from the integration's history."""
    events = AuditEvent.objects.filter(integration=issue.integration, data__issue=str(issue.uuid))
    is_unrestricted = permissions.can_act_for_program(issue.integration, user)
    return list((events if is_unrestricted else events.visible_to_partner()).order_by("seq"))


def _find_last_speaker(events: list[SupportIssueEvent], state: IssueState) -> str:
    kinds = (IssueEventKind.OPENED, IssueEventKind.COMMENTED)
    logins = [event.actor for event in events if event.kind in kinds and event.at == state.last_commented_at]
    return logins[-1] if logins else ""


def _get_target(clock: ClockState, sla: Sla) -> SlaTarget | None:
    if clock.target_type != sla.target_type:
        return None
    return sla.critical if clock.severity == Severity.CRITICAL else sla.other


def _get_allowed_time(target: SlaTarget | None) -> timedelta | None:
    if target is None or not (target.hours or target.business_days):
        return None
    return timedelta(hours=target.hours) if target.hours else timedelta(days=target.business_days or 0)


def _render_calendar_strip(clock: ClockState, context: ProjectionContext) -> SafeString | str:
    """Render the days from the start to the due date, or to now if later."""
    is_running = clock.stopped_at is None
    end = max(filter(None, (clock.due_at, clock.stopped_at, context.now if is_running else None)))
    marks = {"start": clock.started_at, "now": context.now if is_running else None, "due": clock.due_at}
    marks["stop"] = clock.stopped_at
    cells = strip.build_cells(context.calendar, clock.started_at, end, marks)
    return strip.render_strip(cells, _("Calendar days in %(zone)s") % {"zone": context.calendar.zone})
