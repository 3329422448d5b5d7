"""Who hears of it next when nobody of the program answers? A chain that ends in the program's mailbox.

Two things begin a chain: breaches that were told, and a turn of the program's own whose time runs out. The first of
the chain hears at once, of a turn also when 50, 75 and 90 % of its time are used, in the hours in which they work; the
Alliances manager a day later, the mailbox after another. A chain ends when somebody of the program does anything with
the integration, when the issues are settled, or when nobody is left.
"""

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from integrations.partners import permissions
from integrations.sla.engine.types import Watching
from integrations.sla.models import Clock
from integrations.submissions import notices
from integrations.submissions.models import Integration
from integrations.submissions.notices import address
from integrations.submissions.services.transitions import PROGRAM_CALENDAR, lock
from integrations.submissions.workflow.states import Holder
from portal.audit import services
from portal.audit.models import Event
from portal.core.business_time import Calendar
from portal.core.office_hours import office_opens
from portal.notifications import email
from portal.notifications.models import Email, Escalation

log = logging.getLogger(__name__)
WARN_AT = (50, 75, 90)  # per cent of the time that the program has, as for issues
LONGEST_WARNING = timedelta(days=30)
VERBS = {Escalation.Kind.TURN: "turn_overdue", Escalation.Kind.BREACHES: "news_passed_on"}


def chain(integration: Integration) -> list[Any]:
    """Reviewer, Alliances manager, mailbox: those that there are, each once, none of them of the company itself."""
    people = (integration.reviewer, integration.partner.alliances_manager)
    there = [p for p in people if p and p.is_active and permissions.is_of_program(integration, p)]
    return [*dict.fromkeys(there), integration.edition.mailbox]


def begin(event: Event) -> None:
    """Breaches were told: the first of the chain knows, and the next one is due."""
    row = event.integration
    assert row is not None
    first = address(chain(row)[0])
    Escalation.objects.get_or_create(
        integration=row,
        kind=Escalation.Kind.BREACHES,
        due_at=event.at,
        defaults={"event": event, "told": [first], "began_at": event.at, "next_at": event.at + _pause()},
    )


def correct(event: Event) -> None:
    """Breaches are taken back: who was told of one and is not told anyway hears of it too, while they may know."""
    row = event.integration
    assert row is not None
    back = _named(event)
    earlier = row.events.filter(verb__in=("issues_breached", "news_passed_on"), seq__lt=event.seq)
    known = {address(each) for each in notices.both(row)}
    context = notices.context_of(event)
    for sent in Email.objects.filter(event__in=[e.pk for e in earlier if back & _named(e)]).select_related("person"):
        if sent.to not in known and _may_know(row, sent.person):
            known.add(sent.to)
            notices.queue("breaches_retracted", event, sent.person or sent.to, context, calendar="", undo_until=None)


def _may_know(row: Integration, person: Any) -> bool:
    """Whether somebody who was told still belongs to it; None is the program's mailbox."""
    return person is None or (person.is_active and permissions.may_see(row, person))


def _named(event: Event) -> set[tuple[str, str]]:
    """The breaches that an event tells of: the issue and its due moment."""
    return {(issue["issue"], issue["due"]) for issue in event.data.get("issues", ())}


def _pause() -> timedelta:
    return timedelta(hours=settings.ESCALATE_HOURS)


def escalate_due(now: datetime | None = None, limit: int = 500) -> int:
    """Warn of the program's own turns, and pass on what nobody answered. Returns how many were told."""
    now = now or timezone.now()
    done = sum(_begin_turn(row, now) for row in _running_out(now, limit))
    due = Escalation.objects.filter(next_at__lte=now).order_by("next_at").values_list("pk", flat=True)
    return done + sum(_safely(pk, now) for pk in list(due[:limit]))


def _running_out(now: datetime, limit: int) -> Iterator[Integration]:
    """Turns of the program that have used most of their time and of which nobody was warned."""
    begun = Escalation.objects.filter(
        integration=OuterRef("pk"), kind=Escalation.Kind.TURN, due_at=OuterRef("turn_due_at")
    )
    soon = Integration.objects.filter(turn_holder=Holder.PROGRAM, turn_due_at__lte=now + LONGEST_WARNING)
    rows = soon.exclude(Exists(begun)).select_related("partner__alliances_manager", "reviewer")
    for row in rows.order_by("turn_due_at")[:limit]:
        assert row.turn_due_at
        if warnings(row)[0][1] <= now and (row.turn_due_at <= now or warned_at(row, now) <= now):
            yield row


def warnings(row: Integration) -> list[tuple[int, datetime]]:
    """Each share of the program's time and when it is used, on its own business days."""
    assert row.turn_due_at
    scale = PROGRAM_CALENDAR.days
    begin, end = scale.position(row.turn_since or row.turn_due_at), scale.position(row.turn_due_at)
    return [(share, scale.moment(begin + (end - begin) * share / 100)) for share in WARN_AT]


def warned_at(row: Integration, now: datetime) -> datetime:
    """When its reader works next; now where the due moment is nearer."""
    zone = ZoneInfo(getattr(chain(row)[0], "zone", "UTC"))
    opens = office_opens(now, Calendar(zone))
    return now if row.turn_due_at and opens >= row.turn_due_at else opens


@transaction.atomic
def _begin_turn(found: Integration, now: datetime) -> bool:
    """Told as a warning before the due moment; found only after it, it is told as past due at once."""
    row = lock(found.pk)
    if row.turn_holder != Holder.PROGRAM or row.turn_due_at != found.turn_due_at or row.turn_due_at is None:
        return False
    is_over = row.turn_due_at <= now
    chain_, is_new = Escalation.objects.get_or_create(
        integration=row, kind=Escalation.Kind.TURN, due_at=row.turn_due_at,
        defaults={"began_at": now, "next_at": now},
    )  # fmt: skip
    if not is_new or is_over:
        return False  # what is over is told below, by the chain itself
    _warn(row, chain_, now)
    return True


def _warn(row: Integration, found: Escalation, now: datetime) -> bool:
    """Tell how much of the time is used, in the hours in which the reader works, and wait for the next share."""
    found.next_at = warned_at(row, now)
    if found.next_at > now:
        found.save()
        return False
    share = max((share for share, at in warnings(row) if at <= now), default=WARN_AT[0])
    found.next_at = min((at for _, at in warnings(row) if at > now), default=found.due_at)
    found.save()
    _tell(row, "turn_warned", chain(row)[0], found, now, share=share)
    return True


def _safely(pk: int, now: datetime) -> bool:
    """One chain; what goes wrong with it does not stop the others and is tried again."""
    try:
        return _go_on(pk, now)
    except Exception:
        log.exception("The chain %s could not go on.", pk)
        Escalation.objects.filter(pk=pk, next_at__lte=now).update(next_at=now + timedelta(minutes=5))
        return False


@transaction.atomic
def _go_on(pk: int, now: datetime) -> bool:
    """Tell the next of one chain, or end it."""
    row = lock(Escalation.objects.values_list("integration_id", flat=True).get(pk=pk))
    found = Escalation.objects.select_for_update(of=("self",)).get(pk=pk)
    if found.next_at is None or found.next_at > now:
        return False  # another sweep was quicker
    left = [each for each in chain(row) if address(each) not in found.told]
    is_over = found.kind == Escalation.Kind.BREACHES or found.due_at <= now
    if not is_over and not is_answered(found, row):
        return _warn(row, found, now)
    if is_answered(found, row) or not left:
        found.ended_at, found.next_at = now, None
        found.save()
        return False
    found.told = [*found.told, address(left[0])]
    found.next_at = now + _pause() if len(left) > 1 else None
    found.ended_at = None if found.next_at else now
    found.save()
    _tell(row, VERBS[Escalation.Kind(found.kind)], left[0], found, now)
    return True


def is_answered(found: Escalation, row: Integration) -> bool:
    """Whether somebody of the program did anything since, or nothing is left to answer."""
    if found.kind == Escalation.Kind.TURN:
        return row.turn_holder != Holder.PROGRAM or row.turn_due_at != found.due_at
    later = row.events.filter(at__gt=found.began_at).exclude(actor_id=None).values_list("actor_id", flat=True)
    if any(permissions.is_of_program(row, person) for person in get_user_model().objects.filter(pk__in=set(later))):
        return True
    issues = [issue["issue"] for issue in (found.event.data.get("issues", ()) if found.event else ())]
    open_still = Clock.objects.filter(issue__uuid__in=issues, promised=True, watch__ended_at=None)
    return not open_still.filter(state__in=(Watching.OVERDUE, Watching.BLIND)).exists()


def _tell(row: Integration, verb: str, to: Any, found: Escalation, now: datetime, *, share: int = 100) -> None:
    """One event, for the program alone, and one mail."""
    issues = found.event.data.get("issues", []) if found.event else []
    due = found.due_at.isoformat()
    told: dict[str, Any] = {
        "whom": str(to),
        "due": due,
        "action": row.turn_action,
        "issues": issues,
        "count": len(issues),
        "share": share,
    }
    event = services.record(row, verb, by=None, now=now, internal=True, **told)
    key = f"{event.stream}:{event.seq}:{address(to)}"
    email.queue("escalated", key, to, notices.context_of(event) | {"for_program": True}, event=event, now=now)
