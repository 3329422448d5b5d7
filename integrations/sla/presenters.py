"""How is a clock told in one line? The row that the list, the countdown, the CSV and the JSON share."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.partners.models import CalendarEdition
from integrations.programs.registry import PROGRAMS
from integrations.sla.clock_usage import Pieces, Used, is_at_risk, target_of, target_words, used
from integrations.sla.engine.types import Kind, Watching
from integrations.sla.models import Clock, IssueEvent
from portal.core.business_time import Calendar

# word, tone and icon of each state
STATES: dict[str, tuple[str, str, str]] = {
    Watching.RUNNING: (gettext_noop("Running"), "neutral", "clock"),
    Watching.PAUSED: (gettext_noop("Waits for the reporter"), "info", "circle-pause"),
    Watching.MET: (gettext_noop("Kept"), "good", "circle-check"),
    Watching.LATE: (gettext_noop("Answered late"), "bad", "circle-x"),
    Watching.OVERDUE: (gettext_noop("Breached"), "bad", "alarm-clock-off"),
    Watching.BLIND: (gettext_noop("Blind"), "info", "eye-off"),
    Watching.OFF: (gettext_noop("No promise"), "neutral", "minus"),
}
AT_RISK = (gettext_noop("At risk"), "warn", "triangle-alert")
VERBS = {"resolve": gettext_noop("Resolve"), "respond": gettext_noop("First answer"), "track": gettext_noop("Track")}
SIDES = {
    "partner": gettext_noop("the partner"),
    "reporter": gettext_noop("the reporter"),
    "other": gettext_noop("somebody else"),
}
SEVERITIES = {
    "critical": (gettext_noop("Critical"), "bad", "zap"),
    "other": (gettext_noop("Other"), "neutral", "circle"),
}


def chip(said: tuple[str, str, str]) -> tuple[str, str, str]:
    """A row of these tables in the reader's language: its word, tone and icon."""
    return _(said[0]), said[1], said[2]


@dataclass(frozen=True, slots=True)
class Row:
    """One clock as lists show it. `spoke_by`: whose login wrote the last human word, `side` on which side."""

    name: str
    title: str
    href: str
    url: str
    company: str
    integration: str
    program: str
    severity: str
    verb: str
    target: str
    state: str
    at_risk: bool
    used: Used
    due_at: datetime | None
    stopped_at: datetime | None
    opened_at: datetime
    spoke_by: str
    side: str
    spoke_at: datetime | None
    data_up_to: datetime

    @property
    def state_said(self) -> tuple[str, str, str]:
        return chip(AT_RISK if self.at_risk else STATES[self.state])

    @property
    def severity_said(self) -> tuple[str, str, str]:
        return chip(SEVERITIES[self.severity])

    @property
    def verb_said(self) -> str:
        return _(VERBS[self.verb])

    @property
    def side_said(self) -> str:
        return _(SIDES.get(self.side, ""))

    @property
    def tone(self) -> str:
        """What marks the whole row: only what is pressing."""
        tone = self.state_said[1]
        return tone if tone in ("bad", "warn") and not self.stopped_at else ""

    @property
    def is_blind(self) -> bool:
        return self.state == Watching.BLIND

    @property
    def pieces(self) -> Pieces:
        """The bar. What is blind is drawn as used up, never as late: nothing is declared beyond what we know."""
        return [piece for piece in self.used.pieces if not (self.is_blind and piece[0] == "over")]


def rows_of(
    found: QuerySet[Clock], now: datetime, order: list[int] | None = None, *, speakers: bool = True
) -> list[Row]:
    """Three queries for any number of clocks: the rows, who spoke where that is shown, and the calendars.

    `order`: their keys in the order wanted, where the query has none.
    """
    wanted = found.select_related("issue", "watch", "integration__partner").defer("watch__cursors", "watch__etags")
    clocks = sorted(wanted, key=lambda clock: order.index(clock.pk)) if order else list(wanted)
    said, calendars = _speakers(clocks) if speakers else {}, calendars_of(clocks)
    return [row_of(c, said.get(c.issue_id, ""), calendars.get(c.issue.calendar_id), now) for c in clocks]


def row_of(clock: Clock, spoke_by: str, calendar: Calendar | None, now: datetime) -> Row:
    issue = clock.issue
    return Row(
        name=f"{clock.watch.repository}#{issue.number}",
        title=issue.title,
        href=reverse("issue", args=[issue.uuid]),
        url=issue.url,
        company=clock.integration.partner.name,
        integration=clock.integration.name,
        program=PROGRAMS[clock.integration.program_key].name,
        severity=clock.severity,
        verb=clock.verb,
        target=target_words(target_of(clock)),
        state=clock.state,
        at_risk=is_at_risk(clock, now),
        used=used(clock, calendar or Calendar(), now),
        due_at=clock.due_at,
        stopped_at=clock.stopped_at,
        opened_at=issue.opened_at,
        spoke_by=spoke_by,
        side=issue.spoke_last,
        spoke_at=issue.spoke_last_at,
        data_up_to=clock.watch.data_up_to,
    )


def calendars_of(clocks: Iterable[Clock]) -> dict[int | None, Calendar]:
    """Each calendar once, however many issues it counts for."""
    wanted = {clock.issue.calendar_id for clock in clocks if clock.issue.calendar_id}
    return {pk: edition.calendar for pk, edition in CalendarEdition.objects.in_bulk(wanted).items()}


def _speakers(clocks: Iterable[Clock]) -> dict[int, str]:
    """Who wrote the last human word of each issue."""
    issues = [clock.issue_id for clock in clocks if clock.issue.spoke_last_at]
    said = IssueEvent.objects.filter(issue__in=issues, kind__in=(Kind.OPENED, Kind.COMMENTED))
    return dict(said.filter(at=F("issue__spoke_last_at")).order_by("pk").values_list("issue_id", "actor"))


def as_data(row: Row) -> dict[str, Any]:
    """A row as JSON and CSV take it: moments ISO in UTC, lengths in hours."""
    return {
        "issue": row.name,
        "title": row.title,
        "partner": row.company,
        "integration": row.integration,
        "program": row.program,
        "severity": row.severity,
        "verb": row.verb,
        "target": row.target,
        "state": row.state,
        "at_risk": row.at_risk,
        "used_per_cent": row.used.per_cent,
        "used": row.used.words,
        "paused_hours": round(row.used.paused.total_seconds() / 3600, 1),
        "opened": _iso(row.opened_at),
        "due": _iso(row.due_at),
        "stopped": _iso(row.stopped_at),
        "spoke_last": row.spoke_by,
        "spoke_last_side": row.side,
        "spoke_last_at": _iso(row.spoke_at),
        "data_up_to": _iso(row.data_up_to),
        "url": row.url,
    }


COLUMNS = (
    "issue", "title", "partner", "integration", "program", "severity", "verb", "target", "state", "at_risk",
    "used_per_cent", "used", "paused_hours", "opened", "due", "stopped", "spoke_last", "spoke_last_side",
    "spoke_last_at", "data_up_to", "url",
)  # fmt: skip


def _iso(at: datetime | None) -> str:
    return at.isoformat() if at else ""
