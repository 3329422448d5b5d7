"""What does the page of one issue show? Both clocks explained, what happened, who agreed to what."""

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.partners import permissions
from integrations.programs.registry import edition_of
from integrations.programs.schema import Sla, Target
from integrations.sla.clock_usage import Used, target_words
from integrations.sla.engine import inputs
from integrations.sla.engine.explanation import idle, link
from integrations.sla.engine.projection import fold, in_order
from integrations.sla.engine.types import DENIED, Asked, ClockState, IssueState, Kind, Segment, Severity, Watching
from integrations.sla.formatting import duration, moment, why
from integrations.sla.models import Issue, IssueEvent
from integrations.sla.presenters import AT_RISK, SEVERITIES, STATES, VERBS, chip
from integrations.sla.services.policies import CRITICAL_LABELS, PAUSE_LABELS
from portal.audit.models import Event
from portal.core.business_time import Calendar
from portal.ui.charts import calendar_strip as strip

DECISIONS = ("severity_asked", "breach_disputed", "dispute_dismissed", "severity_lowered", "not_covered")
LATELY = 60
FIGURE = re.compile(r"(\d) ")
GITHUB = '{0} <a href="{1}" rel="noopener noreferrer">{2}<span class="visually-hidden">: {0}</span></a>'
# What happened on GitHub, or here: words, tone, icon.
HAPPENED: dict[str, tuple[str, str, str]] = {
    Kind.OPENED: (gettext_noop("opened it"), "accent", "circle-dot"),
    Kind.EDITED: (gettext_noop("edited the report"), "neutral", "pencil"),
    Kind.COMMENTED: (gettext_noop("wrote"), "neutral", "message-square"),
    Kind.COMMENT_EDITED: (gettext_noop("edited a comment"), "neutral", "pencil"),
    Kind.COMMENT_DELETED: (gettext_noop("deleted a comment"), "warn", "trash-2"),
    Kind.LABELED: (gettext_noop("put the label “{label}”"), "neutral", "tag"),
    Kind.UNLABELED: (gettext_noop("took the label “{label}” off"), "neutral", "tag"),
    Kind.CLOSED: (gettext_noop("closed it"), "good", "circle-check"),
    Kind.REOPENED: (gettext_noop("opened it again"), "warn", "rotate-ccw"),
    Kind.LOCKED: (gettext_noop("locked the conversation"), "neutral", "lock"),
    Kind.UNLOCKED: (gettext_noop("unlocked the conversation"), "neutral", "lock-open"),
    Kind.TRANSFERRED: (gettext_noop("transferred it"), "warn", "arrow-right"),
    Kind.DELETED: (gettext_noop("deleted it"), "warn", "trash-2"),
    Kind.SEVERITY_LOWERED: (gettext_noop("lowered the severity for the program"), "warn", "arrow-down"),
    Kind.NOT_AN_ISSUE: (gettext_noop("let it off for the program"), "warn", "minus"),
}


@dataclass(frozen=True, slots=True)
class Line:
    """One segment as a row of the table, in words; moments as the calendar's zone has them."""

    start: str
    end: str
    counted: bool
    length: str
    why: str
    href: str


@dataclass(frozen=True, slots=True)
class ClockPanel:
    """One clock. `sentence`: the answer in one line; `due_at` None while a pause has no end in sight."""

    verb: str
    promised: bool
    severity: str
    target: str
    state: tuple[str, str, str]
    used: Used
    pieces: list[tuple[str, float]]
    sentence: str
    due_at: datetime | None
    due_local: str
    stopped_at: datetime | None
    stopped_href: str
    lines: list[Line]
    counted: str
    idle: str
    strip: SafeString | str


@dataclass(frozen=True, slots=True)
class Happened:
    """One fact in the timeline."""

    what: str
    at: datetime
    tone: str
    icon: str
    text: str


@dataclass(frozen=True, slots=True)
class Shown:
    """The whole page."""

    issue: Issue
    state: IssueState
    calendar: Calendar
    sla: Sla
    edition: str
    notes: list[str]
    clocks: list[ClockPanel]
    happened: list[Happened]
    older: int
    decisions: list[Event]
    labels: str
    pauses: str
    spoke_by: str
    data_up_to: datetime

    @property
    def severity_said(self) -> tuple[str, str, str]:
        return chip(SEVERITIES[self.state.severity])

    @property
    def promise(self) -> ClockPanel | None:
        """The clock that can be breached, if there is one."""
        return next((panel for panel in self.clocks if panel.promised), None)


def shown(issue: Issue, user: Any, now: datetime) -> Shown:
    """Everything on the page, folded now. Raises ValueError where the facts do not hold the issue's opening."""
    asked = inputs.asked_of(issue, now)
    asked = replace(asked, now=min(now, issue.watch.ended_at)) if issue.watch.ended_at else asked
    facts = facts_of(issue)
    state = fold(inputs.happenings(issue), asked)
    sla = edition_of(issue.integration.program_key, issue.edition).sla
    panels = [panel_of(clock, asked, sla, issue.url) for clock in state.clocks]
    return Shown(
        issue=issue,
        state=state,
        calendar=asked.calendar,
        sla=sla,
        edition=asked.policy.edition,
        notes=[_(note) for note in state.notes],
        clocks=sorted(panels, key=lambda panel: not panel.promised),
        happened=[happened(row, issue.url) for row in facts[-LATELY:][::-1]],
        older=max(0, len(facts) - LATELY),
        decisions=decisions_of(issue, user),
        labels=", ".join(sorted(issue.policy.critical_labels if issue.policy else CRITICAL_LABELS)),
        pauses=", ".join(sorted(issue.policy.pause_labels if issue.policy else PAUSE_LABELS)),
        spoke_by=_spoke_by(facts, state),
        data_up_to=issue.watch.data_up_to,
    )


def facts_of(issue: Issue) -> list[IssueEvent]:
    """What happened, each fact once though two may have told it; what GitHub does not know, with that it does not."""
    facts = list(issue.events.all())
    told = {happening.key for happening in in_order(inputs.happenings(issue), max(row.at for row in facts))}
    denied = {key for row in facts if (key := row.data.get(DENIED))}
    return [row for row in facts if row.key in told | denied or DENIED in row.data]


def panel_of(clock: ClockState, asked: Asked, sla: Sla, url: str) -> ClockPanel:
    target = _target(clock, sla)
    allowed = _allowed(target)
    idle_time = sum((s.length for s in clock.segments if not s.counted and s.key), timedelta())
    used = Used(clock.counted, idle_time, allowed, bool(target and target.business_days))
    is_risky = clock.state == Watching.RUNNING and clock.share >= 0.75
    return ClockPanel(
        verb=_(VERBS[clock.verb]),
        promised=clock.promised,
        severity=str(clock.severity),
        target=target_words(target),
        state=chip(AT_RISK if is_risky else STATES[clock.state]),
        used=used,
        pieces=pieces(clock.segments, allowed, clock.counted),
        sentence=sentence(clock, used),
        due_at=clock.due_at,
        due_local=f"{moment(clock.due_at, asked.calendar.zone)} ({asked.calendar.zone})" if clock.due_at else "",
        stopped_at=clock.stopped_at,
        stopped_href=link(url, clock.stopped_by),
        lines=[line(segment, asked.calendar, url) for segment in clock.segments],
        counted=_whole(duration(clock.counted)),
        idle=_whole(duration(idle(clock.segments))),
        strip=_strip(clock, asked) if used.in_days else "",
    )


def pieces(segments: tuple[Segment, ...], allowed: timedelta | None, counted: timedelta) -> list[tuple[str, float]]:
    """The bar in the order in which it happened; days off take no room, what is over stands at its end."""
    found: list[tuple[str, float]] = []
    left = allowed or counted
    for segment in segments:
        if segment.counted:
            within, over = min(segment.used, left), max(segment.used - left, timedelta())
            left -= within
            found += [("counted", within / timedelta(hours=1)), ("over", over / timedelta(hours=1))]
        elif segment.key:
            found.append(("paused", segment.length / timedelta(hours=1)))
    return [(kind, amount) for kind, amount in [*found, ("left", left / timedelta(hours=1))] if amount > 0]


def sentence(clock: ClockState, used: Used) -> str:
    """What the bar says, in words."""
    if clock.state == Watching.OFF and not clock.segments:
        return _("Nothing is promised about this issue.")
    if used.allowed is None:
        if clock.stopped_at:
            said = _("%(words)s used; nothing is promised about it, it is only measured.")
        else:
            said = _("%(words)s used so far; nothing is promised about it, it is only measured.")
        return said % {"words": used.words}
    if clock.promised:
        return f"{used.said}."
    return _("%(said)s; the program calls this ideal, so it cannot be breached.") % {"said": used.said}


def line(segment: Segment, calendar: Calendar, url: str) -> Line:
    zone = calendar.zone
    length = _whole(duration(segment.used if segment.counted else segment.length))
    start, end = moment(segment.start, zone), moment(segment.end, zone)
    return Line(start, end, segment.counted, length, why(segment, calendar), link(url, segment.key))


def _whole(length: str) -> str:
    """“2 days 9 h” that a narrow column breaks between its parts only, never inside “9 h”."""
    return FIGURE.sub("\\1\u00a0", length)


def happened(row: IssueEvent, url: str) -> Happened:
    words, tone, icon = HAPPENED[row.kind]
    if DENIED in row.data:
        return Happened(_("GitHub does not know what the webhook told: it does not count"), row.at, "warn", "x", "")
    who = "" if row.data.get("guessed") else row.actor
    what = f"{who or _('Somebody')} {_(words).format(label=row.label)}"
    if row.source != "portal":
        what = format_html(GITHUB, what, link(url, row.key), _("on GitHub"))
    text = _("What it said at first, nobody told us.") if row.data.get("unread") else row.text[:600]
    return Happened(what, row.at, tone, icon, text)


def decisions_of(issue: Issue, user: Any) -> list[Event]:
    """Who asked for another severity and who agreed, from the integration's history."""
    events = Event.objects.filter(integration=issue.integration, verb__in=DECISIONS, data__issue=str(issue.uuid))
    return list(
        (events if permissions.is_of_program(issue.integration, user) else events.shown_to_partner()).order_by("seq")
    )


def _spoke_by(facts: list[IssueEvent], state: IssueState) -> str:
    said = [f.actor for f in facts if f.kind in (Kind.OPENED, Kind.COMMENTED) and f.at == state.spoke_last_at]
    return said[-1] if said else ""


def _target(clock: ClockState, sla: Sla) -> Target | None:
    if clock.verb != sla.verb:
        return None
    return sla.critical if clock.severity == Severity.CRITICAL else sla.other


def _allowed(target: Target | None) -> timedelta | None:
    if target is None or not (target.hours or target.business_days):
        return None
    return timedelta(hours=target.hours) if target.hours else timedelta(days=target.business_days or 0)


def _strip(clock: ClockState, asked: Asked) -> SafeString | str:
    """The days from the start to the due moment, or to now where that is later."""
    running = clock.stopped_at is None
    end = max(filter(None, (clock.due_at, clock.stopped_at, asked.now if running else None)))
    marks = {"start": clock.started_at, "now": asked.now if running else None, "due": clock.due_at}
    marks["stop"] = clock.stopped_at
    found = strip.cells(asked.calendar, clock.started_at, end, marks)
    return strip.drawn(found, _("Days of the calendar, in %(zone)s") % {"zone": asked.calendar.zone})
