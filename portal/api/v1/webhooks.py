"""Operations for webhooks, their deliveries, and replays."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query, Schema
from pydantic import Field

from portal.accounts.requests import AuthenticatedRequest
from portal.api.problems import validate_form
from portal.api.routing import (
    CursorPage,
    MessageResponse,
    PaginationParams,
    ScopedRouter,
    StrictSchema,
    build_form_data,
    paginate,
)
from portal.api.v1.schemas.common import PartnerReference, build_absolute_url, serialize_partner_reference
from portal.core.value_types import JsonObject
from portal.webhooks import payloads, permissions, selectors, services
from portal.webhooks.event_types import iterate_webhook_groups
from portal.webhooks.forms import EndpointForm, ReplayForm, build_initial_data
from portal.webhooks.models import WebhookDelivery, WebhookDeliveryAttempt, WebhookEndpoint

router = ScopedRouter("Webhooks")
READ_SCOPE, WRITE_SCOPE = "webhooks:read", "webhooks:write"


class WebhookOut(Schema):
    """Webhook. `partner` is null for webhooks of the program. `pause` is the reason of a pause, or empty."""

    uuid: UUID
    partner: PartnerReference | None
    name: str
    form: str
    display_url: str
    kinds: list[str]
    program: str
    health: str
    summary: str
    pause: str
    paused_at: datetime | None
    delivered_at: datetime | None
    failing_since: datetime | None
    created_at: datetime
    href: str


class WebhookEventTypeOut(Schema):
    """Event type with its description and an example payload."""

    kind: str
    description: str
    example: dict[str, object]


class WebhookUpdateIn(StrictSchema):
    """Changes of a webhook. Omitted fields stay unchanged. Pending deliveries use a new address."""

    name: str | None = None
    kinds: list[str] | None = Field(None, max_length=100)
    program: str | None = Field(None, description="Program to limit events to, or empty for all programs.")
    address: str | None = Field(None, description="HTTPS URL of a public host.")


class WebhookResumeIn(StrictSchema):
    """`skip` discards pending deliveries."""

    skip: bool = False


class WebhookReplayIn(StrictSchema):
    since: datetime = Field(description="Time with UTC offset, such as 2026-04-14T09:00:00Z.")


class WebhookDeliveryParams(PaginationParams):
    state: str = Field(
        "", pattern="^(delivered|waiting|failed)?$", description="`failed` includes deliveries that are retrying."
    )
    kind: str = Field("", max_length=60, description="Event type.")


class WebhookDeliveryOut(Schema):
    """Delivery of an event to a webhook.

    `webhook_id` is the same in every attempt. `last_response_summary` describes the last attempt.
    """

    uuid: UUID
    webhook_id: str
    kind: str
    about: str
    state: str
    created_at: datetime
    due_at: datetime
    attempted: int
    last_response_summary: str
    delivered_at: datetime | None
    replayed_at: datetime | None


class WebhookDeliveryAttemptOut(Schema):
    """Request with its truncated response. `status` is null without a response."""

    number: int
    at: datetime
    seconds: float
    status: int | None
    response_summary: str
    sent_headers: dict[str, object]
    headers: JsonObject
    body: str


class WebhookDeliveryDetail(WebhookDeliveryOut):
    """Delivery with its exact body and up to 50 attempts, newest first."""

    body: str
    attempts: list[WebhookDeliveryAttemptOut]


def serialize_webhook(row: WebhookEndpoint) -> dict[str, object]:
    health = selectors.get_health(row, timezone.now())
    field_names = (
        "uuid",
        "name",
        "form",
        "display_url",
        "kinds",
        "pause",
        "paused_at",
        "delivered_at",
        "failing_since",
        "created_at",
    )
    return {name: getattr(row, name) for name in field_names} | {
        "partner": serialize_partner_reference(row.partner) if row.partner else None,
        "program": row.program_key,
        "health": health.label,
        "summary": health.sentence,
        "href": build_absolute_url("webhooks:detail", row.uuid),
    }


def serialize_delivery(row: WebhookDelivery) -> JsonObject:
    field_names = [name for name in WebhookDeliveryOut.model_fields if name != "webhook_id"]
    return {name: getattr(row, name) for name in field_names} | {"webhook_id": row.message_id}


def serialize_attempt(row: WebhookDeliveryAttempt) -> dict[str, object]:
    return {name: getattr(row, name) for name in WebhookDeliveryAttemptOut.model_fields}


@router.get("/webhooks", READ_SCOPE, list[WebhookOut])
def list_webhooks(request: AuthenticatedRequest) -> object:
    """List the webhooks that you manage: those of your partners, and for staff those of the program."""
    return [serialize_webhook(row) for row, _ in selectors.list_managed_endpoints(request.user, timezone.now())]


@router.get("/webhooks/event-types", READ_SCOPE, list[WebhookEventTypeOut])
def list_webhook_event_types(request: HttpRequest) -> object:
    """List the event types available to webhooks."""
    is_program_staff = permissions.can_manage(None, request.user)
    return [
        {"kind": key, "description": webhook.description, "example": payloads.build_example(key)}
        for _, webhooks in iterate_webhook_groups(is_program_staff=is_program_staff)
        for key, webhook in webhooks.items()
    ]


@router.get("/webhooks/{uuid:uuid}", READ_SCOPE, WebhookOut)
def get_webhook(request: HttpRequest, uuid: UUID) -> object:
    """Get a webhook with its health."""
    return serialize_webhook(permissions.get_endpoint(request.user, uuid))


@router.patch("/webhooks/{uuid:uuid}", WRITE_SCOPE, WebhookOut)
def update_webhook(request: AuthenticatedRequest, uuid: UUID, body: WebhookUpdateIn) -> Any:
    """Change a webhook's name, address, or event types."""
    row = permissions.get_endpoint(request.user, uuid)
    changes = body.model_dump(exclude_none=True)
    if "program" in changes:
        changes["program_key"] = changes.pop("program")
    form = EndpointForm(
        build_form_data(**build_initial_data(row) | changes), is_program_endpoint=row.partner_id is None, endpoint=row
    )
    services.change_endpoint(
        row, validate_form(form, {"program_key": "program"}).configuration, actor=request.user, now=timezone.now()
    )
    return serialize_webhook(permissions.get_endpoint(request.user, uuid))


@router.delete("/webhooks/{uuid:uuid}", WRITE_SCOPE)
def delete_webhook(request: AuthenticatedRequest, uuid: UUID) -> object:
    """Delete a webhook with its address and secrets."""
    row = permissions.get_endpoint(request.user, uuid)
    services.remove_endpoint(row, actor=request.user, now=timezone.now())
    return MessageResponse(message=f"Webhook “{row.name}” deleted.")


@router.post("/webhooks/{uuid:uuid}/pause", WRITE_SCOPE, WebhookOut)
def pause_webhook(request: AuthenticatedRequest, uuid: UUID) -> object:
    """Pause a webhook. Events during the pause stay available for 30 days."""
    services.pause_endpoint(permissions.get_endpoint(request.user, uuid), actor=request.user, now=timezone.now())
    return serialize_webhook(permissions.get_endpoint(request.user, uuid))


@router.post("/webhooks/{uuid:uuid}/resume", WRITE_SCOPE)
def resume_webhook(request: AuthenticatedRequest, uuid: UUID, body: WebhookResumeIn) -> object:
    """Resume a webhook, with or without pending deliveries."""
    row = permissions.get_endpoint(request.user, uuid)
    count = services.resume_endpoint(row, actor=request.user, now=timezone.now(), skip=body.skip)
    return MessageResponse(message=f"Webhook resumed. {'Skipped' if body.skip else 'Pending'} deliveries: {count}.")


@router.post("/webhooks/{uuid:uuid}/test", WRITE_SCOPE, WebhookDeliveryOut, status=201)
def test_webhook(request: AuthenticatedRequest, uuid: UUID) -> object:
    """Send a test event."""
    return serialize_delivery(
        services.send_test_event(permissions.get_endpoint(request.user, uuid), actor=request.user, now=timezone.now())
    )


@router.post("/webhooks/{uuid:uuid}/replay", WRITE_SCOPE)
def replay_webhook(request: AuthenticatedRequest, uuid: UUID, body: WebhookReplayIn) -> Any:
    """Replay failed deliveries since a time within the last 30 days."""
    row = permissions.get_endpoint(request.user, uuid)
    failed_since = validate_form(ReplayForm(build_form_data(since=body.since))).cleaned_data["since"]
    count = services.replay_deliveries(row, failed_since, actor=request.user, now=timezone.now())
    return MessageResponse(message=f"Replayed deliveries: {count}.")


@router.get("/webhooks/{uuid:uuid}/messages", READ_SCOPE, CursorPage[WebhookDeliveryOut])
def list_webhook_messages(
    request: HttpRequest, response: HttpResponse, uuid: UUID, params: Query[WebhookDeliveryParams]
) -> Any:
    """List deliveries of the last 30 days, newest first."""
    deliveries = selectors.list_deliveries(permissions.get_endpoint(request.user, uuid), params.state, params.kind)
    return paginate(request, response, deliveries, params, serialize_delivery)


@router.get("/webhooks/{uuid:uuid}/messages/{uuid:message}", READ_SCOPE, WebhookDeliveryDetail)
def get_webhook_message(request: HttpRequest, uuid: UUID, message: UUID) -> object:
    """Get a delivery with its attempts."""
    return _serialize_delivery_detail(_get_delivery(request, uuid, message))


@router.post("/webhooks/{uuid:uuid}/messages/{uuid:message}/replay", WRITE_SCOPE, WebhookDeliveryDetail)
def replay_webhook_message(request: AuthenticatedRequest, uuid: UUID, message: UUID) -> object:
    """Replay a delivery with the same webhook-id."""
    services.replay_delivery(_get_delivery(request, uuid, message), actor=request.user, now=timezone.now())
    return _serialize_delivery_detail(_get_delivery(request, uuid, message))


def _get_delivery(request: HttpRequest, uuid: UUID, message: UUID) -> WebhookDelivery:
    delivery: WebhookDelivery | None = (
        permissions.get_endpoint(request.user, uuid).messages.filter(uuid=message).first()
    )
    if delivery is None:
        raise Http404("Delivery not found. Deliveries are available for 30 days.")
    return delivery


def _serialize_delivery_detail(row: WebhookDelivery) -> dict[str, object]:
    return serialize_delivery(row) | {
        "body": row.body,
        "attempts": [serialize_attempt(attempt) for attempt in row.attempts.all()[:50]],
    }
