"""Content of an issue page: both clocks with explanations, timeline, and decisions."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from integrations.programs.registry import get_edition
from integrations.programs.schema import Sla
from integrations.programs.sla_policy import TargetType
from integrations.sla.clock_usage import MeterParts, TimeUsage, format_target
from integrations.sla.engine.projection import MISSING_OPENING_NOTE, MissingOpeningError, project_issue_state
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
from integrations.sla.explanation import build_event_url
from integrations.sla.formatting import describe_reason
from integrations.sla.models import SupportIssue, SupportIssueEvent
from integrations.sla.presenters import (
    AT_RISK_BADGE,
    EVENT_BADGES,
    SEVERITY_BADGES,
    SIDE_LABELS,
    STATE_BADGES,
    TARGET_TYPE_LABELS,
    Badge,
    localize_badge,
)
from integrations.sla.selectors import issue_states
from integrations.sla.services.projection import get_projection_time
from integrations.submissions.selectors.history import list_visible_events
from portal.accounts.models import User
from portal.audit.models import AuditEvent
from portal.core.value_types import TemplateContext
from portal.ui.charts import calendar_strip as strip
from portal.ui.components.inline import link
from portal.ui.components.moments import format_in_zone

MAX_TIMELINE_ENTRIES = 60


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """Table row of a segment with its reason and a link to the event that started it."""

    segment: Segment
    start: str
    end: str
    reason: str
    href: str


@dataclass(frozen=True, slots=True)
class ClockPanel:
    """Panel of a clock. `summary` is a one-line summary. A paused clock has no due date."""

    clock: ClockState
    target_type: str
    target: str
    badge: Badge
    usage: TimeUsage
    pieces: MeterParts
    summary: str
    local_due_date: str
    stopped_href: str
    rows: list[SegmentRow]
    strip: SafeString | str

    @property
    def severity_label(self) -> str:
        return _(SEVERITY_BADGES[self.clock.severity].label)


@dataclass(frozen=True, slots=True)
class IssuePage:
    """Content of an issue page. There are no clocks if the issue's opening is missing."""

    issue: SupportIssue
    state: IssueState
    context: ProjectionContext
    sla: Sla
    clocks: list[ClockPanel]
    timeline: list[TemplateContext]
    older_count: int
    decisions: list[AuditEvent]
    critical_labels: list[str]
    pause_labels: list[str]
    last_commenter: str

    @property
    def notes(self) -> list[str]:
        return [_(note) for note in self.state.notes]

    @property
    def last_commenter_label(self) -> str:
        return _(SIDE_LABELS[self.state.last_commenter_role])

    @property
    def severity_badge(self) -> Badge:
        return localize_badge(SEVERITY_BADGES[self.state.severity])

    @property
    def committed_clocks(self) -> list[ClockPanel]:
        """Return the clocks that can be breached, one, both, or none."""
        return [panel for panel in self.clocks if panel.clock.is_committed]


def build_issue_page(issue: SupportIssue, user: User, now: datetime) -> IssuePage:
    """Build the page from a new projection."""
    # The time of the stored projection: an issue can be newer than the end of monitoring or, if clocks differ, than
    # now.
    context = issue_states.build_projection_context(issue, get_projection_time(issue, now))
    events = list_events(issue, context.now)
    sla = get_edition(issue.integration.program_key, issue.edition).sla
    try:
        state = project_issue_state(issue_states.list_timeline_events(issue), context)
        panels = [build_clock_panel(clock, context, sla, issue.url) for clock in state.clocks]
    # An incomplete history must not make the rest of the issue unreadable.
    except MissingOpeningError:
        state = build_state_without_opening(issue)
        panels = []
    messages = (event for event in reversed(events) if event.kind in (IssueEventKind.OPENED, IssueEventKind.COMMENTED))
    return IssuePage(
        issue=issue,
        state=state,
        context=context,
        sla=sla,
        clocks=sorted(panels, key=lambda panel: not panel.clock.is_committed),
        timeline=[build_timeline_entry(event, issue.url) for event in events[-MAX_TIMELINE_ENTRIES:][::-1]],
        older_count=max(0, len(events) - MAX_TIMELINE_ENTRIES),
        decisions=list_decisions(issue, user),
        critical_labels=sorted(context.policy.critical_labels),
        pause_labels=sorted(context.policy.pause_labels),
        last_commenter=next((event.actor for event in messages if event.at == state.last_commented_at), ""),
    )


def build_state_without_opening(issue: SupportIssue) -> IssueState:
    """Return the stored state of an issue that can't be projected."""
    respond, resolve = (
        ClockState(target_type, False, Severity.OTHER, ClockStatus.NOT_APPLICABLE, issue.opened_at)
        for target_type in (TargetType.RESPOND, TargetType.RESOLVE)
    )
    severity = Severity(issue.severity)
    notes = (MISSING_OPENING_NOTE,)
    return IssueState(severity, issue.is_open, False, respond, resolve, notes=notes)


def list_events(issue: SupportIssue, cutoff_at: datetime) -> list[SupportIssueEvent]:
    """Return the deduplicated events, including events that GitHub doesn't confirm together with their denials."""
    rows = list(issue.events.all())
    visible_keys = {event.key for event in order_events(issue_states.list_timeline_events(issue), cutoff_at)}
    denied_keys = {key for row in rows if (key := row.data.get(DENIED_KEY))}
    return [row for row in rows if row.key in visible_keys | denied_keys or DENIED_KEY in row.data]


def build_clock_panel(clock: ClockState, context: ProjectionContext, sla: Sla, url: str) -> ClockPanel:
    calendar = context.calendar
    usage = TimeUsage(clock.counted, clock.paused_time, sla.get_target(clock.target_type, clock.severity))
    is_at_risk = clock.state == ClockStatus.RUNNING and clock.share >= 0.75
    due_date = f"{format_in_zone(clock.due_at, calendar.zone)} ({calendar.zone})" if clock.due_at else ""
    return ClockPanel(
        clock=clock,
        target_type=_(TARGET_TYPE_LABELS[clock.target_type]),
        target=format_target(usage.target),
        badge=localize_badge(AT_RISK_BADGE if is_at_risk else STATE_BADGES[clock.state]),
        usage=usage,
        pieces=build_meter_parts(clock, usage.allowed_time),
        summary=describe_usage(clock, usage),
        local_due_date=due_date,
        stopped_href=build_event_url(url, clock.stopped_by),
        rows=[
            SegmentRow(
                segment,
                format_in_zone(segment.start, calendar.zone),
                format_in_zone(segment.end, calendar.zone),
                describe_reason(segment, calendar),
                build_event_url(url, segment.key),
            )
            for segment in clock.segments
        ],
        strip=_render_calendar_strip(clock, context) if usage.in_days else "",
    )


def build_meter_parts(clock: ClockState, allowed_time: timedelta | None) -> MeterParts:
    """Return the meter parts in chronological order, without days off and with exceeded time at the end."""
    parts: list[tuple[str, timedelta]] = []
    remaining = allowed_time or clock.counted
    for segment in clock.segments:
        if segment.counted:
            within_target = min(segment.used, remaining)
            remaining -= within_target
            parts += [("counted", within_target), ("over", segment.used - within_target)]
        # Days off have no key. They would only stretch the meter.
        elif segment.key:
            parts.append(("paused", segment.length))
    return [(kind, amount / timedelta(hours=1)) for kind, amount in [*parts, ("left", remaining)] if amount]


def describe_usage(clock: ClockState, usage: TimeUsage) -> str:
    """Describe the used time."""
    if clock.state == ClockStatus.NOT_APPLICABLE and not clock.segments:
        return _("No SLA target applies to this issue.")
    if usage.allowed_time is None:
        if clock.stopped_at:
            message = _("%(used)s used. No SLA target applies.")
        else:
            message = _("%(used)s used so far. No SLA target applies.")
        return message % {"used": usage.text}
    if clock.is_committed:
        return f"{usage.summary}."
    return _("%(usage)s. This target is ideal only and can't be breached.") % {"usage": usage.summary}


def build_timeline_entry(row: SupportIssueEvent, url: str) -> TemplateContext:
    label, tone, icon = EVENT_BADGES[row.kind]
    if DENIED_KEY in row.data:
        description = _("GitHub doesn't confirm this webhook event. It doesn't affect the clock.")
        return {"description": description, "at": row.at, "tone": "warn", "icon": "x", "text": ""}
    actor = "" if row.data.get("guessed") else row.actor
    description = f"{actor or _('Someone')} {_(label).format(label=row.label)}"
    if row.source != "portal":
        event_link = link(_("on GitHub"), href=build_event_url(url, row.key), about=description, external=True)
        description = format_html("{} {}", description, event_link)
    text = _("We don't have the original text of this comment.") if row.data.get("unread") else row.text[:600]
    return {"description": description, "at": row.at, "tone": tone, "icon": icon, "text": text}


def list_decisions(issue: SupportIssue, user: User) -> list[AuditEvent]:
    """Return the requests and decisions about the issue from the integration's history."""
    events = list_visible_events(issue.integration, user).filter(data__issue=str(issue.uuid))
    return list(events.order_by("seq"))


def _render_calendar_strip(clock: ClockState, context: ProjectionContext) -> SafeString | str:
    """Render the days from the start to the due date, or to now if later."""
    now = context.now if clock.stopped_at is None else None
    end = max(filter(None, (clock.due_at, clock.stopped_at, now)))
    marks = {"start": clock.started_at, "now": now, "due": clock.due_at, "stop": clock.stopped_at}
    cells = strip.build_cells(context.calendar, clock.started_at, end, marks)
    return strip.render_strip(cells, _("Calendar days in %(zone)s") % {"zone": context.calendar.zone})
