"""What becomes of a mail that could not be delivered? The next of the program hears instead, and pages say so.

A mail to the program goes to the next of its chain; of one to the partner the program is told, so that somebody
finds out how to reach them. Either once; the page of the integration shows it for a month.
"""

import logging
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from integrations.partners import permissions
from integrations.submissions import notices
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import lock
from portal.audit import services
from portal.notifications import email
from portal.notifications.escalation import address, chain
from portal.notifications.models import Email

log = logging.getLogger(__name__)
SHOWN = timedelta(days=30)


def pass_on_due(now: datetime | None = None, limit: int = 200) -> int:
    """Pass on every mail about an integration that was given up. Returns how many."""
    now = now or timezone.now()
    failed = Email.objects.filter(state=Email.State.FAILED, passed_on_at=None)
    return sum(_safely(pk, now) for pk in list(failed.order_by("pk").values_list("pk", flat=True)[:limit]))


def _safely(pk: int, now: datetime) -> bool:
    try:
        return pass_on(pk, now)
    except Exception:
        log.exception("The mail %s could not be passed on.", pk)
        return False


@transaction.atomic
def pass_on(pk: int, now: datetime) -> bool:
    """Pass one mail on, once. Returns whether anybody is told."""
    found = Email.objects.select_related("event", "person").get(pk=pk)
    row = lock(found.integration_id) if found.integration_id else None
    if not Email.objects.filter(pk=pk, passed_on_at=None).update(passed_on_at=now):
        return False  # another sweep was quicker
    if row is None or found.event is None:
        return False
    if found.person is None or permissions.is_of_program(row, found.person):
        return _to_the_next(found, row, now)
    return _to_the_program(found, row, now)


def _to_the_next(found: Email, row: Integration, now: datetime) -> bool:
    """The same news for the first of the chain who has not got it."""
    assert found.event
    had = set(Email.objects.filter(event=found.event).values_list("to", flat=True))
    left = [each for each in chain(row) if address(each) not in had]
    if not left:
        return False
    told = notices.context_of(found.event) | {"for_program": True}
    email.queue(found.name, f"{found.event.pk}:instead:{address(left[0])}", left[0], told, event=found.event, now=now)
    return True


def _to_the_program(found: Email, row: Integration, now: datetime) -> bool:
    said = {"whom": found.to, "subject": found.subject, "why": found.last_error}
    event = services.record(row, "mail_undelivered", by=None, now=now, internal=True, **said)
    to = chain(row)[0]
    told = notices.context_of(event) | {"for_program": True}
    email.queue("undelivered", f"{event.stream}:{event.seq}:{address(to)}", to, told, event=event, now=now)
    return True


def undelivered(row: Integration, *, for_program: bool, now: datetime) -> QuerySet[Email]:
    """The mails of the last month that a page of an integration has to admit; to the partner its own alone."""
    failed = Email.objects.filter(integration=row, state=Email.State.FAILED, created_at__gte=now - SHOWN)
    if not for_program:
        failed = failed.filter(person__memberships__partner=row.partner_id, person__memberships__ended_at=None)
    return failed.only("subject", "to", "created_at", "passed_on_at").order_by("-created_at")[:5]
