"""How is an endpoint added, changed, paused, resumed and ended, and its messages sent again? Each asks who may."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.models import Partner
from portal.audit.services import record_event
from portal.core.crypto import Secret
from portal.core.errors import ActionRefused
from portal.webhooks import payloads, secrets, slack
from portal.webhooks.event_kinds import EVENT_TYPES_BY_NAME, TEST_EVENT_TYPE
from portal.webhooks.models import WebhookDelivery, WebhookEndpoint
from portal.webhooks.permissions import can_manage
from portal.webhooks.retry_policy import RETENTION_PERIOD

MAX_ENDPOINTS = 20  # endpoints of one company
MAX_WAITING_TESTS = 5  # test events that wait at a time
DeliveryState = WebhookDelivery.State


@dataclass(frozen=True, slots=True)
class EndpointConfiguration:
    """What an endpoint is to be. `address` may be blank where it stays as it is."""

    name: str
    kinds: Sequence[str]
    program_key: str = ""
    address: str = ""
    form: str = WebhookEndpoint.Form.WEBHOOK


@contextmanager
def _lock_endpoint(endpoint: WebhookEndpoint, actor: Any) -> Iterator[WebhookEndpoint]:
    """The endpoint's row as it is now, for whoever may manage it; saved at the end."""
    with transaction.atomic():
        permissions.forget_roles(actor)
        if endpoint.partner_id:  # the company first, as everywhere
            Partner.objects.select_for_update(of=("self",)).get(pk=endpoint.partner_id)
        row = WebhookEndpoint.objects.select_for_update(of=("self",), no_key=True).get(pk=endpoint.pk)
        if row.ended_at or not can_manage(row.partner, actor):
            raise ActionRefused(
                _("This webhook is not there any more, or you may not change it."), "invalid-transition"
            )
        yield row
        row.save()


def _record_change(row: WebhookEndpoint, event_type: str, actor: Any, now: datetime) -> None:
    """The company's history says what became of its webhooks; the program's own have none."""
    if row.partner is not None:
        record_event(row.partner, event_type, actor=actor, now=now, name=row.name, display_url=row.display_url)


def _select_kinds(kinds: Sequence[str], *, is_program_endpoint: bool) -> list[str]:
    """The kinds in the order of the table. Raises ActionRefused where none is chosen."""
    selected_kinds = [
        name
        for name, kind in EVENT_TYPES_BY_NAME.items()
        if name in kinds and (is_program_endpoint or not kind.is_program_only)
    ]
    if not selected_kinds:
        raise ActionRefused(_("Choose at least one kind of event."))
    return selected_kinds


@transaction.atomic
def create_endpoint(
    partner: Partner | None, configuration: EndpointConfiguration, *, actor: Any, now: datetime
) -> tuple[WebhookEndpoint, Secret | None]:
    """A new endpoint and its secret, which is shown once. Slack takes no signature and gets none."""
    permissions.forget_roles(actor)
    if partner is not None:
        partner = Partner.objects.select_for_update(of=("self",)).get(pk=partner.pk)
    if not can_manage(partner, actor):
        raise ActionRefused(permissions.get_refusal("can_manage"), "forbidden")
    if WebhookEndpoint.objects.filter(partner=partner, ended_at=None).count() >= MAX_ENDPOINTS:
        raise ActionRefused(
            _("There are %(MOST)s webhooks already. Remove one that is not needed any more.") % {"MOST": MAX_ENDPOINTS}
        )
    row = WebhookEndpoint(
        partner=partner,
        name=configuration.name,
        form=configuration.form,
        program_key=configuration.program_key,
        created_by=actor,
        created_at=now,
        kinds=_select_kinds(configuration.kinds, is_program_endpoint=partner is None),
    )
    secrets.set_address(row, configuration.address)
    secret = secrets.set_secret(row, now) if configuration.form == WebhookEndpoint.Form.WEBHOOK else None
    row.save()
    _record_change(row, "webhook_added", actor, now)
    return row, secret


def change_endpoint(
    endpoint: WebhookEndpoint, configuration: EndpointConfiguration, *, actor: Any, now: datetime
) -> None:
    """Another name, address or choice of events. What waits goes to the new address."""
    with _lock_endpoint(endpoint, actor) as row:
        row.name, row.program_key = configuration.name, configuration.program_key
        row.kinds = _select_kinds(configuration.kinds, is_program_endpoint=row.partner_id is None)
        if configuration.address:
            secrets.set_address(row, configuration.address)
            row.rests_until = None
        _record_change(row, "webhook_changed", actor, now)


def rotate_secret(endpoint: WebhookEndpoint, *, actor: Any, now: datetime, expected_fingerprint: str) -> Secret:
    """A new secret. `expected_fingerprint`: the state of the one that the person saw; pressed twice, there is one."""
    with _lock_endpoint(endpoint, actor) as row:
        if row.form != WebhookEndpoint.Form.WEBHOOK:
            raise ActionRefused(_("Messages to Slack are not signed."))
        if get_secret_fingerprint(row) != expected_fingerprint:
            raise ActionRefused(_("A secret has been made since this page was shown. Make another one if you need it."))
        secret = secrets.set_secret(row, now)
        _record_change(row, "webhook_secret_made", actor, now)
    return secret


def get_secret_fingerprint(row: WebhookEndpoint) -> str:
    """Which secret is in force, without a word about it: the salt that it is sealed with."""
    return bytes(row.secret or b"")[9:25].hex()


def pause_endpoint(endpoint: WebhookEndpoint, *, actor: Any, now: datetime) -> None:
    """Send nothing until it is resumed; what happens meanwhile is kept and waits."""
    with _lock_endpoint(endpoint, actor) as row:
        if not row.pause:
            row.pause, row.paused_at = WebhookEndpoint.Pause.MANUAL, now
            _record_change(row, "webhook_paused", actor, now)


def resume_endpoint(endpoint: WebhookEndpoint, *, actor: Any, now: datetime, skip: bool = False) -> int:
    """Send again; `skip`: not what has waited. Returns how many messages were left out or are due now."""
    with _lock_endpoint(endpoint, actor) as row:
        waiting_deliveries = row.messages.filter(state=DeliveryState.WAITING)
        if skip:
            cancellation = {
                "state": DeliveryState.CANCELLED,
                "last_response_summary": "Left out when the webhook was resumed.",
            }
            count = waiting_deliveries.filter(created_at__lte=now, due_at__lte=now).update(**cancellation)
        else:
            count = waiting_deliveries.count()
            waiting_deliveries.filter(tries__gt=0).update(tries=0, due_at=now)
        row.pause, row.paused_at = "", None
        row.failing_since, row.rests_until, row.failures = None, None, 0
        _record_change(row, "webhook_resumed", actor, now)
    return int(count)


def send_test_event(endpoint: WebhookEndpoint, *, actor: Any, now: datetime) -> WebhookDelivery:
    """A test event, sent like any other."""
    with _lock_endpoint(endpoint, actor) as row:
        if row.messages.filter(kind=TEST_EVENT_TYPE, state=DeliveryState.WAITING).count() >= MAX_WAITING_TESTS:
            raise ActionRefused(_("Some test events are still waiting to be sent. Look at the log first."))
        body = payloads.build_test_body(row.partner, actor, now)
        if row.form == WebhookEndpoint.Form.SLACK:
            body = slack.build_test_body(payloads.parse_json(body))
        row.rests_until = None
        message: WebhookDelivery = row.messages.create(
            key=f"test:{uuid4()}", kind=TEST_EVENT_TYPE, body=body, created_at=now, due_at=now
        )
    return message


def replay_delivery(message: WebhookDelivery, *, actor: Any, now: datetime) -> None:
    """Send one message again, under the same webhook-id."""
    with _lock_endpoint(message.endpoint, actor) as row:
        count = (
            row.messages.filter(pk=message.pk)
            .exclude(state=DeliveryState.WAITING)
            .update(**_build_replay_columns(actor, now))
        )
        if not count:
            raise ActionRefused(_("This message is waiting to be sent already."))
        row.rests_until = None


def replay_deliveries(endpoint: WebhookEndpoint, failed_since: datetime, *, actor: Any, now: datetime) -> int:
    """Send every message again that failed since a moment. Returns how many."""
    with _lock_endpoint(endpoint, actor) as row:
        failed_condition = Q(state=DeliveryState.FAILED) | Q(state=DeliveryState.WAITING, tries__gt=0)
        count = row.messages.filter(failed_condition, created_at__gte=failed_since).update(
            **_build_replay_columns(actor, now)
        )
        row.rests_until = None
    return int(count)


def _build_replay_columns(actor: Any, now: datetime) -> dict[str, Any]:
    return {
        "state": DeliveryState.WAITING,
        "due_at": now,
        "tries": 0,
        "delivered_at": None,
        "replayed_at": now,
        "replayed_by": actor,
    }


def remove_endpoint(endpoint: WebhookEndpoint, *, actor: Any, now: datetime) -> None:
    """Nothing is sent there any more. The log goes with what is forgotten; address and secrets go now."""
    with _lock_endpoint(endpoint, actor) as row:
        row.ended_at = now
        row.address, row.secret, row.old_secret = b"", None, None
        row.messages.filter(state=DeliveryState.WAITING).update(
            state=DeliveryState.CANCELLED, last_response_summary=_("The webhook was removed.")
        )
        _record_change(row, "webhook_removed", actor, now)


def delete_expired_data(now: datetime, limit: int = 5000) -> int:
    """Forget messages after 30 days, secrets that no longer hold, and ended endpoints without messages."""
    old_deliveries = WebhookDelivery.objects.filter(created_at__lt=now - RETENTION_PERIOD).exclude(
        replayed_at__gte=now - RETENTION_PERIOD
    )
    count, _ = WebhookDelivery.objects.filter(pk__in=list(old_deliveries.values_list("pk", flat=True)[:limit])).delete()
    expired_secrets = WebhookEndpoint.objects.filter(old_secret_until__lt=now).exclude(old_secret=None)
    count += expired_secrets.update(old_secret=None, old_secret_until=None)
    count += WebhookEndpoint.objects.exclude(ended_at=None).filter(messages=None).delete()[0]
    return int(count)
