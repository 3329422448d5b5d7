"""Jobs that deliver webhooks, one per endpoint, so that a slow receiver doesn't delay the others.

A job whose process dies sends its deliveries again with the same webhook-id. Each arrives at least once, and more than
once only if its outcome was not saved.
"""

from datetime import datetime, timedelta
from functools import partial

from django.db import transaction
from django.db.models import Min, Q, QuerySet
from django.utils import timezone

from portal.core.crypto import DecryptionError
from portal.jobs.definitions import Backoff, JobContext, Reschedule, ResourceBlocked, RetryLater, job
from portal.jobs.limits import list_blocked, unblock_resource
from portal.jobs.models import Job
from portal.jobs.services import enqueue
from portal.webhooks.delivery_results import save_outcomes
from portal.webhooks.http_delivery import DeliveryBatch, send_batch
from portal.webhooks.models import WebhookDelivery, WebhookEndpoint
from verification.sources import build_outbound_client

BATCH_SIZE = 20  # deliveries of an endpoint before the next endpoint
ERROR_BACKOFF = timedelta(minutes=5)


def enqueue_endpoint(endpoint_id: int, run_after: datetime) -> None:
    """Enqueue the job of an endpoint after the commit.

    Within the transaction, concurrent events of an endpoint would wait for each other at the row of its job. If the
    process dies before it enqueues the job, `enqueue_due_endpoints` finds the deliveries.
    """
    transaction.on_commit(partial(_enqueue, endpoint_id, run_after), robust=True)


def end_backoff(endpoint_id: int) -> None:
    """Resume deliveries to an endpoint immediately after a failure."""
    unblock_resource(_build_resource(endpoint_id))


def _enqueue(endpoint_id: int, run_after: datetime) -> None:
    resource = _build_resource(endpoint_id)
    enqueue(deliver, endpoint_id=endpoint_id, dedup_key=str(endpoint_id), resource=resource, run_after=run_after)


def _build_resource(endpoint_id: int) -> str:
    return f"webhook-endpoint:{endpoint_id}"


@job("webhooks.deliver", queue="webhooks", retry=Backoff(first=ERROR_BACKOFF, factor=1, give_up_after=None))
def deliver(context: JobContext, *, endpoint_id: int) -> Reschedule | None:
    """Send the due deliveries of an endpoint, then run again when the next one is due."""
    endpoint = _find_active_endpoints().filter(pk=endpoint_id).first()
    if endpoint is None:
        return None
    outcomes = send_batch(_build_batch(endpoint, timezone.now()), build_outbound_client())
    context.renew_lease()  # raises LeaseLost if another process has taken over, which sends and saves them again
    blocked_until = save_outcomes(endpoint_id, outcomes)
    if blocked_until is not None:
        raise ResourceBlocked(blocked_until, "The endpoint did not accept a delivery.")
    return _reschedule(endpoint_id)


def enqueue_due_endpoints(now: datetime) -> int:
    """Enqueue the jobs of endpoints with due deliveries and no running or due job. Return the number of jobs."""
    jobs = Job.objects.unfinished().filter(kind=deliver.kind)
    is_running_or_due = Q(state=Job.State.RUNNING) | Q(run_after__lte=now)
    busy_ids = {int(key) for key in jobs.filter(is_running_or_due).values_list("dedup_key", flat=True)}
    due = WebhookDelivery.objects.filter(state=WebhookDelivery.State.PENDING, due_at__lte=now).values("endpoint")
    # Endpoints that work come first, because those that fail can take ten seconds each.
    endpoints = _find_active_endpoints().filter(pk__in=due).order_by("failures", "pk")
    blocked = set(list_blocked(now))
    ids = endpoints.values_list("pk", flat=True)
    idle_ids = [pk for pk in ids if pk not in busy_ids and _build_resource(pk) not in blocked]
    for pk in idle_ids:
        _enqueue(pk, now)
    return len(idle_ids)


def _find_active_endpoints() -> QuerySet[WebhookEndpoint]:
    return WebhookEndpoint.objects.filter(ended_at=None, pause="")


def _build_batch(endpoint: WebhookEndpoint, now: datetime) -> DeliveryBatch:
    due = endpoint.deliveries.filter(state=WebhookDelivery.State.PENDING, due_at__lte=now).order_by("due_at", "pk")
    deliveries = tuple(due.only("pk", "message_id", "body")[:BATCH_SIZE])
    try:
        url = endpoint.decrypt("url")
        secrets = endpoint.list_signing_secrets(now)
    except DecryptionError as error:
        raise RetryLater("The URL or a secret of the endpoint can't be decrypted.") from error
    return DeliveryBatch(endpoint.format, url, secrets, deliveries, now)


def _reschedule(endpoint_id: int) -> Reschedule | None:
    active = _find_active_endpoints().filter(pk=endpoint_id)
    pending = WebhookDelivery.objects.filter(endpoint__in=active, state=WebhookDelivery.State.PENDING)
    next_due_at = pending.aggregate(first=Min("due_at"))["first"]
    return Reschedule(next_due_at) if next_due_at else None
