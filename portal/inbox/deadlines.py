"""Deadlines of a person: next actions, findings, SLA clocks, meetings, and expirations. Read-only.

A title holds only the integration's name and what is due. A completed deadline stays for a month as canceled, so that
calendars remove it.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Model, Q, QuerySet

from integrations.partners import permissions
from integrations.sla.engine.types import ClockStatus
from integrations.sla.models import SlaClock
from integrations.sla.presenters import TARGET_TYPE_LABELS
from integrations.submissions.models import Finding, Integration, Meeting, RequirementFulfillment, TestCredential
from integrations.submissions.workflow.states import ResponsibleParty
from portal.accounts.models import User
from portal.core.site_urls import build_absolute_url

RETENTION_PERIOD = timedelta(days=30)
LOOKAHEAD_PERIOD = timedelta(days=400)
ENTRY_DURATION = timedelta(minutes=30)  # calendars show the time before a deadline
MAX_PER_KIND = 1000
# By whether the person belongs to the company: responsible party, title, page.
NEXT_ACTION_LABELS = {
    True: (ResponsibleParty.PARTNER, "your response is due", "submissions:detail"),
    False: (ResponsibleParty.PROGRAM, "review due", "reviews:review"),
}
# A paused clock has no due date, so calendars don't show it.
OPEN_CLOCK_STATUSES = (ClockStatus.RUNNING, ClockStatus.OVERDUE)


@dataclass(frozen=True, slots=True)
class CalendarDeadline:
    """One calendar entry. `uid` never changes; `changed_at` is the time of the last change."""

    uid: str
    title: str
    starts_at: datetime
    ends_at: datetime
    page: str
    changed_at: datetime
    is_done: bool = False
    is_busy: bool = False


# Deadlines of apps above this one, which add them when they are ready.
SOURCES: list[Callable[[User, datetime], Iterable[CalendarDeadline]]] = []


def list_deadlines(person: User, now: datetime) -> list[CalendarDeadline]:
    """Return the deadlines of a person since a month ago, earliest first."""
    condition = Q(partner__in=permissions.get_roles(person))
    if permissions.is_program_staff(person):
        condition |= Q(reviewer=person)
    rows = Integration.objects.filter(condition)
    deadlines = [
        *_list_next_actions(rows, person, now),
        *_list_findings(rows, now),
        *_list_clocks(rows, now),
        *_list_waivers(rows, now),
        *_list_credentials(rows, now),
        *_list_meetings(rows, now),
        *(deadline for list_more in SOURCES for deadline in list_more(person, now)),
    ]
    # The UID makes the order of equal times stable, so that an unchanged calendar keeps its ETag.
    return sorted(deadlines, key=lambda deadline: (deadline.ends_at, deadline.uid))


def build_deadline(
    uid: str, title: str, at: datetime, page: str, changed_at: datetime | None, **flags: bool
) -> CalendarDeadline:
    return CalendarDeadline(uid, title, at - ENTRY_DURATION, at, page, changed_at or at, **flags)


def _list_next_actions(rows: QuerySet[Integration], person: User, now: datetime) -> Iterator[CalendarDeadline]:
    """Yield one deadline per integration: the next action of the person's side, if it has a due date."""
    for integration in rows.exclude(responsible_since=None).select_related("partner").order_by("pk")[:MAX_PER_KIND]:
        party, label, page = NEXT_ACTION_LABELS[bool(permissions.get_role(integration.partner, person))]
        title = f"{integration.name}: {label}"
        page_url = build_absolute_url(page, integration.uuid)
        # While the other side has to act, the entry counts as done and disappears from calendars.
        due_at = integration.action_due_at if integration.responsible_party == party else None
        changed_at = integration.responsible_since
        assert changed_at
        if due_at or changed_at >= now - RETENTION_PERIOD:
            yield build_deadline(
                f"next-action-{integration.uuid}", title, due_at or changed_at, page_url, changed_at, is_done=not due_at
            )


def _list_dated(
    model: type[Model], column: str, rows: QuerySet[Integration], now: datetime, *conditions: Q
) -> QuerySet[Any]:
    """Return what the integrations have with a date, in the column, since a month ago."""
    recent_rows = model._default_manager.filter(
        *conditions, integration__in=rows, **{f"{column}__gte": now - RETENTION_PERIOD}
    )
    return recent_rows.select_related("integration").order_by("pk")[:MAX_PER_KIND]


def _list_findings(rows: QuerySet[Integration], now: datetime) -> Iterator[CalendarDeadline]:
    for finding in _list_dated(Finding, "due_at", rows, now):
        title = f"{finding.integration.name}: finding {finding.number} is due"
        page = build_absolute_url("submissions:detail", finding.integration.uuid)
        changed_at = finding.verified_at or finding.resolved_at or finding.raised_at
        is_done = finding.state != Finding.State.OPEN
        yield build_deadline(f"finding-{finding.pk}", title, finding.due_at, page, changed_at, is_done=is_done)


def _list_clocks(rows: QuerySet[Integration], now: datetime) -> Iterator[CalendarDeadline]:
    """Yield the due dates of committed SLA clocks."""
    recent = Q(state__in=OPEN_CLOCK_STATUSES) | Q(stopped_at__gte=now - RETENTION_PERIOD)
    clocks = _list_dated(SlaClock, "due_at", rows, now, recent & Q(is_committed=True))
    for clock in clocks.select_related("issue__monitored_repository", "integration"):
        target = TARGET_TYPE_LABELS[clock.target_type].lower()
        yield build_deadline(
            f"issue-{clock.issue.uuid}-{clock.target_type}",
            f"{clock.integration.name}: {target} due, issue {clock.issue.number}",
            clock.due_at,
            build_absolute_url("sla:issue", clock.issue.uuid),
            clock.stopped_at or clock.issue.monitoring_ended_at or clock.started_at,
            is_done=clock.state not in OPEN_CLOCK_STATUSES or clock.issue.monitoring_ended_at is not None,
        )


def _list_waivers(rows: QuerySet[Integration], now: datetime) -> Iterator[CalendarDeadline]:
    for waiver in _list_dated(RequirementFulfillment, "waiver_expires_at", rows, now):
        title = f"{waiver.integration.name}: a waiver ends"
        yield build_deadline(
            f"waiver-{waiver.pk}", title, waiver.waiver_expires_at, _build_requirement_url(waiver), waiver.submitted_at
        )


def _list_credentials(rows: QuerySet[Integration], now: datetime) -> Iterator[CalendarDeadline]:
    for account in _list_dated(TestCredential, "rotate_at", rows, now):
        title = f"{account.integration.name}: time for a new test account"
        page = _build_requirement_url(account)
        is_done = account.ended_at is not None
        yield build_deadline(
            f"account-{account.uuid}", title, account.rotate_at, page, account.created_at, is_done=is_done
        )


def _list_meetings(rows: QuerySet[Integration], now: datetime) -> Iterator[CalendarDeadline]:
    for meeting in _list_dated(Meeting, "starts_at", rows, now, Q(starts_at__lte=now + LOOKAHEAD_PERIOD)):
        yield CalendarDeadline(
            f"meeting-{meeting.uuid}",
            f"{meeting.integration.name}: meeting",
            meeting.starts_at,
            meeting.starts_at + timedelta(minutes=meeting.minutes),
            _build_requirement_url(meeting),
            meeting.created_at,
            is_done=meeting.state == Meeting.State.CANCELED,
            is_busy=True,
        )


def _build_requirement_url(row: Any) -> str:
    return build_absolute_url("submissions:requirement", row.integration.uuid, row.requirement_id)
