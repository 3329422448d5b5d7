"""Which moments concern a person? Their own turns, findings, promises, meetings, and what ends; nothing is written.

A title says no more than the integration's name and what is due. What is settled stays a month, as cancelled, so that
calendars take it away.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet
from django.urls import reverse

from integrations.partners import permissions
from integrations.sla.engine.types import Watching
from integrations.sla.models import Clock
from integrations.submissions.models import Credential, Finding, Integration, Meeting, RequirementState
from integrations.submissions.workflow.states import Holder
from portal.api.models import ApiToken
from portal.reports.presenters import PROMISED

KEPT = timedelta(days=30)
AHEAD = timedelta(days=400)
SHOWN = timedelta(minutes=30)  # the time before a deadline that a calendar draws
MOST = 1000  # of one kind
# by whether the person belongs to the company: whose turn, what it is called, which page
TURNS = {
    True: (Holder.PARTNER, "your answer is due", "integration"),
    False: (Holder.PROGRAM, "review due", "review"),
}
OPEN_CLOCKS = (Watching.RUNNING, Watching.OVERDUE, Watching.PAUSED)


@dataclass(frozen=True, slots=True)
class Deadline:
    """One entry. `uid` stays the same as long as the thing is; `changed`: when it last became what it is."""

    uid: str
    title: str
    begins: datetime
    ends: datetime
    page: str
    changed: datetime
    done: bool = False
    tentative: bool = False
    busy: bool = False


def deadlines_of(person: Any, now: datetime) -> list[Deadline]:
    """Everything that concerns a person from a month ago on, in the order of time."""
    mine = Q(partner__in=permissions.roles_of(person))
    if permissions.works_for_program(person):
        mine |= Q(reviewer=person)
    rows = Integration.objects.filter(mine)
    found = [
        *_turns(rows, person, now), *_findings(rows, now), *_clocks(rows, now), *_waivers(rows, now),
        *_credentials(rows, now), *_meetings(rows, now), *_tokens(person, now),
    ]  # fmt: skip
    return sorted(found, key=lambda each: (each.ends, each.uid))


def address(name: str, *args: Any) -> str:
    return settings.SITE_URL + reverse(name, args=args)


def due(uid: str, title: str, at: datetime, page: str, changed: datetime | None, **how: bool) -> Deadline:
    return Deadline(uid, title, at - SHOWN, at, page, changed or at, **how)


def _turns(rows: QuerySet[Integration], person: Any, now: datetime) -> Iterator[Deadline]:
    """One entry an integration: the turn of the person's side, as long as it has a due moment."""
    for row in rows.exclude(turn_since=None).select_related("partner").order_by("pk")[:MOST]:
        holder, word, page = TURNS[bool(permissions.role_of(row.partner, person))]
        uid, there = f"turn-{row.uuid}", address(page, row.uuid)
        if row.turn_holder == holder and row.turn_due_at:
            yield due(uid, f"{row.name}: {word}", row.turn_due_at, there, row.turn_since)
        elif row.turn_since and row.turn_since >= now - KEPT:
            yield due(uid, f"{row.name}: {word}", row.turn_since, there, row.turn_since, done=True)


def _findings(rows: QuerySet[Integration], now: datetime) -> Iterator[Deadline]:
    found = Finding.objects.filter(integration__in=rows, due_at__gte=now - KEPT).select_related("integration")
    for each in found.order_by("pk")[:MOST]:
        title = f"{each.integration.name}: finding {each.number} is due"
        page = address("integration", each.integration.uuid)
        is_done = each.state != Finding.State.OPEN
        assert each.due_at
        yield due(f"finding-{each.pk}", title, each.due_at, page, each.fixed_at or each.raised_at, done=is_done)


def _clocks(rows: QuerySet[Integration], now: datetime) -> Iterator[Deadline]:
    """Promises about issues; one that is paused may move."""
    recent = Q(state__in=OPEN_CLOCKS) | Q(stopped_at__gte=now - KEPT)
    found = Clock.objects.filter(recent, integration__in=rows, promised=True, due_at__gte=now - KEPT)
    for clock in found.select_related("issue", "integration").order_by("pk")[:MOST]:
        title = f"{clock.integration.name}: {PROMISED[clock.verb]} due, issue {clock.issue.number}"
        assert clock.due_at
        yield due(
            f"issue-{clock.issue.uuid}-{clock.verb}", title, clock.due_at, address("issue", clock.issue.uuid),
            clock.stopped_at or clock.started_at, done=clock.state not in OPEN_CLOCKS,
            tentative=clock.state == Watching.PAUSED,
        )  # fmt: skip


def _waivers(rows: QuerySet[Integration], now: datetime) -> Iterator[Deadline]:
    found = RequirementState.objects.filter(integration__in=rows, waived_until__gte=now - KEPT)
    for each in found.select_related("integration").order_by("pk")[:MOST]:
        page = address("requirement", each.integration.uuid, each.requirement_id)
        assert each.waived_until
        yield due(
            f"waiver-{each.pk}", f"{each.integration.name}: a waiver ends", each.waived_until, page, each.given_at
        )


def _credentials(rows: QuerySet[Integration], now: datetime) -> Iterator[Deadline]:
    found = Credential.objects.filter(integration__in=rows, rotate_at__gte=now - KEPT)
    for each in found.select_related("integration").order_by("pk")[:MOST]:
        page = address("requirement", each.integration.uuid, each.requirement_id)
        title = f"{each.integration.name}: time for a new test account"
        assert each.rotate_at
        yield due(f"account-{each.uuid}", title, each.rotate_at, page, each.created_at, done=each.ended_at is not None)


def _meetings(rows: QuerySet[Integration], now: datetime) -> Iterator[Deadline]:
    found = Meeting.objects.filter(integration__in=rows, starts_at__gte=now - KEPT, starts_at__lte=now + AHEAD)
    for each in found.select_related("integration").order_by("pk")[:MOST]:
        assert each.starts_at
        ends = each.starts_at + timedelta(minutes=each.minutes)
        page = address("requirement", each.integration.uuid, each.requirement_id)
        is_off = each.state == Meeting.State.CANCELLED
        yield Deadline(
            f"meeting-{each.uuid}", f"{each.integration.name}: meeting", each.starts_at, ends, page, each.created_at,
            done=is_off, busy=True,
        )  # fmt: skip


def _tokens(person: Any, now: datetime) -> Iterator[Deadline]:
    owned = [pk for pk, role in permissions.roles_of(person).items() if role == "owner"]
    mine = Q(user=person, partner=None) | Q(partner__in=owned)
    for each in ApiToken.objects.filter(mine, expires_at__gte=now - KEPT).order_by("pk")[:MOST]:
        is_gone = each.revoked_at is not None
        yield due(
            f"token-{each.uuid}", "An API token ends", each.expires_at, address("tokens"), each.made_at, done=is_gone
        )
