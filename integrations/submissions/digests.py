"""Digests: one email in the reader's morning with all batched notifications.

A failed run leaves the notifications unchanged, so the next one sends them. Without notifications, no email is sent.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from integrations.partners import permissions
from integrations.submissions.models import Integration
from integrations.submissions.workflow.states import ResponsibleParty
from portal.accounts.models import User
from portal.core.site_urls import build_absolute_url
from portal.core.value_types import TemplateContext
from portal.jobs.batches import process_each
from portal.notifications import email, unsubscribe
from portal.notifications.models import EmailMessage

MAX_EMAILS = 100  # per digest; the rest follows in the next run


def send_due(now: datetime, limit: int = 500) -> int:
    """Send due digests. Return their number."""
    waiting = _list_batched(now).exclude(person=None)
    people: list[int] = list(waiting.order_by("person_id").values_list("person_id", flat=True).distinct()[:limit])
    return process_each(people, partial(send_digest, now=now), "send the digest of person")


def _list_batched(now: datetime) -> QuerySet[EmailMessage]:
    """Return the notifications that are due in a digest. Other jobs combine emails with a group key."""
    return EmailMessage.objects.filter(state=EmailMessage.State.BATCHED, group_key="", held_until__lte=now)


@transaction.atomic
def send_digest(pk: int, now: datetime) -> bool:
    """Send the digest of a person. Return False if a concurrent run has sent it, or the account is inactive."""
    # A concurrent run waits here and then finds none, because the first one has changed their state.
    pending = _list_batched(now).filter(person_id=pk).select_for_update(of=("self",))
    rows = list(pending.select_related("integration__partner", "event").order_by("pk")[:MAX_EMAILS])
    person = User.objects.filter(pk=pk, is_active=True).first()
    messages = EmailMessage.objects.filter(pk__in=[row.pk for row in rows])
    if person is None or not rows:
        messages.update(state=EmailMessage.State.SUPPRESSED)
        return False
    # The same notifications have the same key, under which only one email is queued.
    key = f"digest:{pk}:{rows[0].pk}-{rows[-1].pk}"
    context = build_context(person, rows)
    digest = email.queue("digest", key, person, context, unsubscribe=context["stop"], now=now)
    messages.update(state=EmailMessage.State.INCLUDED_IN_DIGEST, digest=digest)
    return digest is not None


def build_context(person: User, rows: Sequence[EmailMessage]) -> TemplateContext:
    """Return the notifications by integration with its name and page, and which integrations wait for the person."""
    news_by_integration: dict[Integration | None, list[EmailMessage]] = {}
    for row in rows:
        news_by_integration.setdefault(row.integration, []).append(row)
    parts = [(*describe_part(person, integration), news) for integration, news in news_by_integration.items()]
    names = [name for name, _page, _news in parts]
    integrations = [integration for integration in news_by_integration if integration]
    return {
        "parts": parts,
        "count": len(rows),
        "names": ", ".join(names[:3]) + ("…" if len(names) > 3 else ""),
        "required_actions": [row for row in integrations if is_waiting_for(person, row)],
        "pending": [row for row in integrations if row.is_pending],
        "stop": unsubscribe.build_url(person, unsubscribe.DIGEST),
        "category": gettext("Digest"),
    }


def is_waiting_for(person: User, integration: Integration) -> bool:
    """Return whether the integration waits for the person's side."""
    is_for_program = permissions.can_view_notes(integration, person)
    return integration.responsible_party == (ResponsibleParty.PROGRAM if is_for_program else ResponsibleParty.PARTNER)


def describe_part(person: User, integration: Integration | None) -> tuple[str, str]:
    """Return the name and the page of an integration, or of the account."""
    if integration is None:
        return gettext("Your account"), build_absolute_url("inbox:list")
    page = "reviews:review" if permissions.can_view_notes(integration, person) else "submissions:detail"
    return integration.name, build_absolute_url(page, integration.uuid)
