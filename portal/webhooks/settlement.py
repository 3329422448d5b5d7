"""What becomes of messages and their endpoint after a round? Delivered, again later, given up, or paused."""

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from portal.notifications import email
from portal.webhooks.http_delivery import Outcome, Round
from portal.webhooks.models import Endpoint, EndpointAttempt, EndpointMessage
from portal.webhooks.permissions import owners_of
from portal.webhooks.retry_policy import DEAD_AFTER, rest, wait

log = logging.getLogger(__name__)


@transaction.atomic
def settle(work: Round, outcomes: Sequence[Outcome], now: datetime) -> bool:
    """Write down a round. False where the claim ran out meanwhile: whoever has it now sends again and writes."""
    # no_key: whoever writes a message of this endpoint meanwhile waits for nothing
    mine = Endpoint.objects.select_for_update(of=("self",), no_key=True).filter(pk=work.endpoint, claim=work.claim)
    endpoint = mine.first()
    if endpoint is None:
        log.warning("The claim on endpoint %s ran out before its round was written down.", work.endpoint)
        return False
    for outcome in outcomes:
        _keep(endpoint, outcome)
    endpoint.claim = endpoint.claimed_until = None
    endpoint.save()
    return True


def _keep(endpoint: Endpoint, outcome: Outcome) -> None:
    message = EndpointMessage.objects.select_for_update(of=("self",)).get(pk=outcome.pk)
    message.attempted += 1
    message.last_said = outcome.said
    EndpointAttempt.objects.create(
        message=message, number=message.attempted, at=outcome.at, seconds=round(outcome.seconds, 3),
        status=outcome.status, said=outcome.said, sent_headers=outcome.sent, headers=outcome.headers, body=outcome.body,
    )  # fmt: skip
    if outcome.is_delivered:
        _delivered(endpoint, message, outcome)
    else:
        _failed(endpoint, message, outcome)
    message.save()


def _delivered(endpoint: Endpoint, message: EndpointMessage, outcome: Outcome) -> None:
    message.state, message.delivered_at = EndpointMessage.State.DELIVERED, outcome.at
    endpoint.delivered_at, endpoint.failing_since, endpoint.rests_until, endpoint.failures = outcome.at, None, None, 0


def _failed(endpoint: Endpoint, message: EndpointMessage, outcome: Outcome) -> None:
    message.tries += 1
    after = wait(message.tries, outcome.wait)
    if after is None:
        message.state = EndpointMessage.State.FAILED
    else:
        message.due_at = outcome.at + after
    endpoint.failures += 1
    endpoint.failing_since = endpoint.failing_since or outcome.at
    endpoint.rests_until = outcome.at + rest(endpoint.failures, outcome.wait)
    if endpoint.pause == "" and outcome.gone:
        pause(endpoint, Endpoint.Pause.GONE, outcome.at)
    elif endpoint.pause == "" and outcome.at - endpoint.failing_since >= DEAD_AFTER:
        pause(endpoint, Endpoint.Pause.DEAD, outcome.at)


def pause(endpoint: Endpoint, why: Endpoint.Pause, now: datetime) -> None:
    """Send nothing more until somebody resumes it, and tell whoever it belongs to. The caller saves the row."""
    endpoint.pause, endpoint.paused_at = why, now
    said: dict[str, Any] = {
        "endpoint": endpoint,
        "why_paused": why.label,
        "page": settings.SITE_URL + reverse("webhook", args=[endpoint.uuid]),
    }
    for person in owners_of(endpoint):
        key = f"webhook_paused:{endpoint.pk}:{now.isoformat()}:{person.pk}"
        email.queue("webhook_paused", key, person, said, now=now)


def release(pk: int, claim: str, **columns: Any) -> None:
    """Give an endpoint back unsent."""
    Endpoint.objects.filter(pk=pk, claim=claim).update(claim=None, claimed_until=None, **columns)
