"""Services for webhook endpoints and deliveries. Each service checks the permission of the actor."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from uuid import uuid4

from django.db import transaction
from django.utils.translation import gettext as _

from integrations.partners import permissions, refusals
from integrations.partners.models import Partner
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.audit.services import record_event, record_system_event
from portal.core.crypto import Secret
from portal.core.errors import ActionRefused
from portal.core.value_types import JsonObject, NamedValues
from portal.webhooks import fanout, payloads
from portal.webhooks.event_types import TEST_EVENT_TYPE, list_available_event_types
from portal.webhooks.models import WebhookDelivery, WebhookEndpoint
from portal.webhooks.permissions import can_manage_webhooks
from portal.webhooks.retry_policy import RETENTION_PERIOD
from portal.webhooks.selectors import HAS_FAILED
from portal.webhooks.tasks import end_backoff, enqueue_endpoint

MAX_ENDPOINTS = 20  # per partner, and of the program
MAX_PENDING_TESTS = 5  # pending test events per endpoint
DeliveryState = WebhookDelivery.State
SKIPPED_BY_REMOVAL = {"state": DeliveryState.SKIPPED, "last_response_summary": "The webhook was deleted."}


@contextmanager
def _lock_endpoint(endpoint: WebhookEndpoint, actor: User, now: datetime) -> Iterator[WebhookEndpoint]:
    """Lock the endpoint, check the permission, and at the end save the endpoint and enqueue its job."""
    with transaction.atomic():
        permissions.clear_cached_roles(actor)
        if endpoint.partner_id:  # every service locks the partner first, which prevents deadlocks
            Partner.objects.select_for_update(of=("self",)).get(pk=endpoint.partner_id)
        # The request loaded the endpoint before the lock, so everything is checked again with the current row.
        row = WebhookEndpoint.objects.select_for_update(of=("self",), no_key=True).get(pk=endpoint.pk)
        if row.ended_at or not can_manage_webhooks(row.partner, actor):
            raise ActionRefused(
                _("The webhook was removed, or you don't have permission to change it."), "invalid-transition"
            )
        yield row
        row.save()
        if row.pause == "" and row.ended_at is None:
            enqueue_endpoint(row.pk, now)


def _record_change(row: WebhookEndpoint, event_type: str, actor: AnyUser | None, now: datetime) -> None:
    """Record a change in the history of the partner, or in the audit log only for an endpoint of the program."""
    data: JsonObject = {"webhook": str(row.uuid), "name": row.name, "display_url": row.display_url}
    if row.partner is not None:
        record_event(row.partner, event_type, actor=actor, now=now, **data)
    else:
        record_system_event(row.audit_stream, event_type, actor=actor, now=now, **data)


def _select_event_types(event_types: Sequence[str], *, is_program_endpoint: bool) -> list[str]:
    """Return the selected event types in the order of the table.

    Raises:
        ActionRefused: No event type is selected.
    """
    available = list_available_event_types(includes_internal=is_program_endpoint)
    selected = [key for key in available if key in event_types]
    if not selected:
        raise ActionRefused(_("Select at least one event."), "validation-error")
    return selected


@transaction.atomic
def create_endpoint(
    partner: Partner | None, values: NamedValues, *, actor: User, now: datetime
) -> tuple[WebhookEndpoint, Secret | None]:
    """Create an endpoint and return it with its secret. Slack and Teams endpoints have no secret.

    `values` are the `name`, `event_types`, and `url`, and optionally the `format` and `program_key`.
    """
    permissions.clear_cached_roles(actor)
    if partner is not None:
        partner = Partner.objects.select_for_update(of=("self",)).get(pk=partner.pk)
    refusals.require_permission(can_manage_webhooks, partner, actor)
    active_endpoints = WebhookEndpoint.objects.filter(partner=partner, ended_at=None)
    if partner is None:  # the program has no row, so its endpoints make concurrent requests count one after the other
        list(active_endpoints.select_for_update(no_key=True).order_by("pk"))
    if active_endpoints.count() >= MAX_ENDPOINTS:
        raise ActionRefused(
            _("You can have up to %(limit)s webhooks. Delete a webhook first.") % {"limit": MAX_ENDPOINTS},
            "limit-reached",
        )
    columns = {name: value for name, value in values.items() if name != "url"}
    row = WebhookEndpoint(partner=partner, created_by=actor, created_at=now, **columns)
    row.event_types = _select_event_types(row.event_types, is_program_endpoint=partner is None)
    row.set_url(values["url"])
    secret = row.set_secret(now) if row.format == WebhookEndpoint.Format.WEBHOOK else None
    row.save()
    _record_change(row, "webhook.created", actor, now)
    return row, secret


def change_endpoint(endpoint: WebhookEndpoint, changes: NamedValues, *, actor: User, now: datetime) -> None:
    """Change the `name`, `program_key`, `event_types`, and `url` that are given. A blank URL keeps the current one.

    Pending deliveries use the new URL.
    """
    with _lock_endpoint(endpoint, actor, now) as row:
        row.name = changes.get("name", row.name)
        row.program_key = changes.get("program_key", row.program_key)
        if "event_types" in changes:
            row.event_types = _select_event_types(changes["event_types"], is_program_endpoint=row.partner_id is None)
        if changes.get("url"):
            row.set_url(changes["url"])
            end_backoff(row.pk)
        if changes:
            _record_change(row, "webhook.changed", actor, now)


def rotate_secret(endpoint: WebhookEndpoint, *, actor: User, now: datetime, expected_fingerprint: str) -> Secret:
    """Create and return a new secret. The fingerprint of the previous secret prevents a second rotation by mistake."""
    with _lock_endpoint(endpoint, actor, now) as row:
        if row.format != WebhookEndpoint.Format.WEBHOOK:
            raise ActionRefused(_("Slack and Teams webhooks don't have a signing secret."))
        if row.secret_fingerprint != expected_fingerprint:
            raise ActionRefused(
                _("The secret was rotated after you opened this page. Rotate it again if you need a new one.")
            )
        secret = row.set_secret(now)
        _record_change(row, "webhook.secret_created", actor, now)
    return secret


def pause_endpoint(endpoint: WebhookEndpoint, *, actor: User, now: datetime) -> None:
    """Stop sending until the endpoint is resumed. New events stay pending."""
    with _lock_endpoint(endpoint, actor, now) as row:
        if not row.pause:
            row.pause = WebhookEndpoint.Pause.MANUAL
            row.paused_at = now
            _record_change(row, "webhook.paused", actor, now)


def resume_endpoint(endpoint: WebhookEndpoint, *, actor: User, now: datetime, skip: bool = False) -> int:
    """Resume an endpoint and return the number of pending deliveries, which are skipped with `skip`.

    Deliveries of decisions that can still be undone are never skipped.
    """
    with _lock_endpoint(endpoint, actor, now) as row:
        # Skipping from a page that was opened earlier would skip what is being sent again.
        if not row.pause:
            raise ActionRefused(_("The webhook isn't paused. Reload the page."), "conflict")
        pending_deliveries = row.deliveries.filter(state=DeliveryState.PENDING)
        if skip:
            count = pending_deliveries.exclude(due_at__gt=now, attempt_count=0).update(
                state=DeliveryState.SKIPPED, last_response_summary="Skipped when the webhook was resumed."
            )
        else:
            count = pending_deliveries.count()
            pending_deliveries.filter(failure_count__gt=0).update(failure_count=0, due_at=now)
        row.pause = ""
        row.paused_at = None
        row.failing_since = None
        row.failures = 0
        end_backoff(row.pk)
        _record_change(row, "webhook.resumed", actor, now)
    return int(count)


def send_test_event(endpoint: WebhookEndpoint, *, actor: User, now: datetime) -> WebhookDelivery:
    """Create a delivery with a test event."""
    with _lock_endpoint(endpoint, actor, now) as row:
        if row.deliveries.filter(event_type=TEST_EVENT_TYPE, state=DeliveryState.PENDING).count() >= MAX_PENDING_TESTS:
            raise ActionRefused(_("Several test events are still pending. Check the log first."), "limit-reached")
        body = fanout.format_test(row.format, payloads.build_test_body(row.partner, actor, now))
        end_backoff(row.pk)
        message: WebhookDelivery = row.deliveries.create(
            key=f"test:{uuid4()}", event_type=TEST_EVENT_TYPE, body=body, created_at=now, due_at=now
        )
    return message


def replay_delivery(message: WebhookDelivery, *, actor: User, now: datetime) -> None:
    """Send a delivery again with the same webhook-id."""
    with _lock_endpoint(message.endpoint, actor, now) as row:
        ended_delivery = row.deliveries.filter(pk=message.pk).exclude(state=DeliveryState.PENDING)
        if not ended_delivery.update(**_build_replay_columns(actor, now)):
            raise ActionRefused(_("The delivery is already pending."))
        end_backoff(row.pk)


def replay_deliveries(endpoint: WebhookEndpoint, failed_since: datetime, *, actor: User, now: datetime) -> int:
    """Send all deliveries again that failed since a moment, and return their number."""
    with _lock_endpoint(endpoint, actor, now) as row:
        failed_deliveries = row.deliveries.filter(HAS_FAILED, created_at__gte=failed_since)
        count = failed_deliveries.update(**_build_replay_columns(actor, now))
        end_backoff(row.pk)
    return int(count)


def _build_replay_columns(actor: User, now: datetime) -> dict[str, object]:
    return {
        "state": DeliveryState.PENDING,
        "due_at": now,
        "failure_count": 0,
        "delivered_at": None,
        "replayed_at": now,
        "replayed_by": actor,
    }


def remove_endpoint(endpoint: WebhookEndpoint, *, actor: User, now: datetime) -> None:
    """Remove an endpoint with its URL and secrets. The log is deleted later."""
    with _lock_endpoint(endpoint, actor, now) as row:
        # The row stays for the log.
        row.ended_at = now
        row.url = b""
        row.secret = None
        row.old_secret = None
        row.deliveries.filter(state=DeliveryState.PENDING).update(**SKIPPED_BY_REMOVAL)
        _record_change(row, "webhook.deleted", actor, now)


def remove_partner_endpoints(partner: Partner, now: datetime) -> None:
    """Remove the webhooks of a closed partner with their URLs and secrets."""
    endpoints = WebhookEndpoint.objects.filter(partner=partner, ended_at=None)
    # Before their deliveries, as everything else locks them. Otherwise, both could wait for each other.
    ids = list(endpoints.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))
    WebhookDelivery.objects.filter(endpoint__in=ids, state=DeliveryState.PENDING).update(**SKIPPED_BY_REMOVAL)
    endpoints.update(ended_at=now, url=b"", secret=None, old_secret=None)


def delete_expired_data(now: datetime, limit: int = 5000) -> int:
    """Delete deliveries after 30 days, expired secrets, and removed endpoints without deliveries."""
    old_deliveries = WebhookDelivery.objects.filter(created_at__lt=now - RETENTION_PERIOD).exclude(
        replayed_at__gte=now - RETENTION_PERIOD
    )
    # A list of IDs, because Django refuses to delete a limited query.
    count, _ = WebhookDelivery.objects.filter(pk__in=list(old_deliveries.values_list("pk", flat=True)[:limit])).delete()
    expired_secrets = WebhookEndpoint.objects.filter(old_secret_until__lt=now).exclude(old_secret=None)
    count += expired_secrets.update(old_secret=None, old_secret_until=None)
    count += WebhookEndpoint.objects.exclude(ended_at=None).filter(deliveries=None).delete()[0]
    return int(count)
