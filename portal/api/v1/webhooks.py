"""Operations for webhooks, their secrets, deliveries, and replays."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from ninja import Query, Schema
from pydantic import AwareDatetime, Field

from integrations.partners import refusals
from portal.accounts.requests import AuthenticatedRequest
from portal.api.conditional import set_location_header
from portal.api.form_data import build_form_data, clean, validate_form
from portal.api.idempotency import omit_secret_from_replay
from portal.api.pagination import CursorPage, Page, PaginationParams, paginate
from portal.api.problems import get_row, refuse_unknown_value
from portal.api.routing import MessageResponse, NameConfirmation, ScopedRouter, StrictSchema
from portal.api.v1.partners import list_visible_partners
from portal.api.v1.schemas.common import PartnerReference, link_to
from portal.core.crypto import Secret
from portal.core.value_types import JsonObject
from portal.ui.name_confirmation import NameConfirmationForm
from portal.webhooks import payloads, permissions, selectors, services
from portal.webhooks.event_types import iterate_webhook_groups
from portal.webhooks.forms import EndpointForm, ReplayForm, build_initial_data
from portal.webhooks.models import WebhookDelivery, WebhookDeliveryAttempt, WebhookEndpoint
from portal.webhooks.views import describe_replay, describe_resumption

router = ScopedRouter("Webhooks")
READ_SCOPE = "webhooks:read"
WRITE_SCOPE = "webhooks:write"
CREATE_SCOPE = "webhooks:create"


class WebhookOut(Schema):
    """Webhook. `partner` is null for webhooks of the program. `pause` is the reason of a pause, or empty.

    `first_failed_at`: when the current series of failures began, null without one.
    """

    uuid: UUID
    partner: PartnerReference | None
    name: str
    format: str
    display_url: str
    event_types: list[str]
    program: str = Field(validation_alias="program_key")
    health: str = Field(validation_alias="health.label")
    summary: str = Field(validation_alias="health.summary")
    pause: str
    paused_at: datetime | None
    delivered_at: datetime | None
    first_failed_at: datetime | None = Field(validation_alias="failing_since")
    created_at: datetime
    href: Annotated[str, link_to("webhooks:detail")] = Field(validation_alias="uuid")


class WebhookIn(StrictSchema):
    """New webhook. `format` is webhook (signed JSON), slack, or teams. URLs of Slack and Teams are never returned."""

    partner: str | None = Field(description="Slug of the partner, or null for a webhook of the program.")
    name: str
    url: str = Field(description="HTTPS URL of a public host.")
    event_types: list[str] = Field(max_length=100, description="Event types from /webhooks/event-types.")
    format: Literal["webhook", "slack", "teams"] = "webhook"
    program: str = Field(
        "", description="Program to limit events to, or empty for all programs.", serialization_alias="program_key"
    )


class WebhookWithSecretOut(WebhookOut):
    """Webhook with the secret that verifies signatures. It is null for Slack and Teams, and in replayed responses."""

    secret: str | None


class WebhookEventTypeOut(Schema):
    """Event type with its description and an example payload."""

    event_type: str
    description: str
    example: dict[str, object]


class WebhookUpdateIn(StrictSchema):
    """Changes of a webhook. Fields that are omitted or null stay unchanged. Pending deliveries use a new URL."""

    name: str | None = None
    event_types: list[str] | None = Field(None, max_length=100)
    program: str | None = Field(
        None, description="Program to limit events to, or empty for all programs.", serialization_alias="program_key"
    )
    url: str | None = Field(None, description="HTTPS URL of a public host.")


class WebhookResumeIn(StrictSchema):
    """`skip` discards pending deliveries."""

    skip: bool = False


class WebhookReplayIn(StrictSchema):
    since: AwareDatetime = Field(description="Time with UTC offset, such as 2026-04-14T09:00:00Z.")


class WebhookDeliveryParams(PaginationParams):
    state: Literal["", "delivered", "pending", "failed", "skipped"] = Field(
        "", description="`failed` includes deliveries that are retrying."
    )
    event_type: str = Field("", max_length=60, description="Event type.")


class WebhookDeliveryOut(Schema):
    """Delivery of an event to a webhook.

    `webhook_id` is the same in every attempt. `last_response_summary` describes the last attempt.
    """

    uuid: UUID
    webhook_id: str = Field(validation_alias="message_id")
    event_type: str
    about: str
    state: str
    created_at: datetime
    due_at: datetime
    attempt_count: int
    last_response_summary: str
    delivered_at: datetime | None
    replayed_at: datetime | None


class WebhookDeliveryAttemptOut(Schema):
    """Request with its truncated response. `status` is null without a response."""

    number: int
    attempted_at: datetime = Field(validation_alias="at")
    duration_seconds: float = Field(validation_alias="seconds")
    status: int | None
    response_summary: str
    sent_headers: dict[str, object]
    headers: JsonObject
    body: str


class WebhookDeliveryDetail(WebhookDeliveryOut):
    """Delivery with its exact body and up to 50 attempts, newest first."""

    body: str
    attempts: list[WebhookDeliveryAttemptOut]

    @staticmethod
    def resolve_attempts(row: WebhookDelivery) -> list[WebhookDeliveryAttempt]:
        return list(row.attempts.all()[:50])


@router.get("/webhooks", READ_SCOPE, list[WebhookOut])
def list_webhooks(request: AuthenticatedRequest) -> QuerySet[WebhookEndpoint]:
    """List the webhooks that you manage: those of your partners, and for staff those of the program."""
    return selectors.list_managed_endpoints(request.user, timezone.now())


@router.get("/webhooks/event-types", READ_SCOPE, list[WebhookEventTypeOut])
def list_webhook_event_types(request: AuthenticatedRequest) -> list[WebhookEventTypeOut]:
    """List the event types available to webhooks."""
    includes_internal = permissions.can_manage_webhooks(None, request.user)
    return [
        WebhookEventTypeOut(event_type=key, description=webhook.description, example=payloads.build_example(key))
        for _, webhooks in iterate_webhook_groups(includes_internal=includes_internal)
        for key, webhook in webhooks.items()
    ]


@router.get("/webhooks/{uuid:uuid}", READ_SCOPE, WebhookOut)
def get_webhook(request: AuthenticatedRequest, uuid: UUID) -> WebhookEndpoint:
    """Get a webhook with its health."""
    return permissions.get_endpoint(request.user, uuid)


@router.patch("/webhooks/{uuid:uuid}", WRITE_SCOPE, WebhookOut)
def update_webhook(request: AuthenticatedRequest, uuid: UUID, body: WebhookUpdateIn) -> WebhookEndpoint:
    """Change a webhook's name, URL, event types, or program."""
    row = permissions.get_endpoint(request.user, uuid)
    submitted_values = body.model_dump(exclude_none=True, by_alias=True)
    form_data = build_form_data(**build_initial_data(row) | submitted_values)
    form = EndpointForm(data=form_data, is_program_endpoint=row.partner_id is None, endpoint=row)
    values = validate_form(form, {"program_key": "program"}).cleaned_data
    # The form needs all fields, but only those sent are written, so that a colleague's changes stay.
    changes = {name: values[name] for name in submitted_values}
    services.change_endpoint(row, changes, actor=request.user, now=timezone.now())
    return permissions.get_endpoint(request.user, uuid)


@router.delete("/webhooks/{uuid:uuid}", WRITE_SCOPE)
def delete_webhook(request: AuthenticatedRequest, uuid: UUID, params: Query[NameConfirmation]) -> MessageResponse:
    """Delete a webhook with its URL and secrets. `confirm_name` is its name."""
    row = permissions.get_endpoint(request.user, uuid)
    validate_form(NameConfirmationForm(row.name, data=params.model_dump()))
    services.remove_endpoint(row, actor=request.user, now=timezone.now())
    return MessageResponse(message=f"Webhook “{row.name}” deleted.")


@router.post("/webhooks/{uuid:uuid}/pause", WRITE_SCOPE, WebhookOut)
def pause_webhook(request: AuthenticatedRequest, uuid: UUID) -> WebhookEndpoint:
    """Pause a webhook. Events during the pause stay available for 30 days."""
    services.pause_endpoint(permissions.get_endpoint(request.user, uuid), actor=request.user, now=timezone.now())
    return permissions.get_endpoint(request.user, uuid)


@router.post("/webhooks/{uuid:uuid}/resume", WRITE_SCOPE)
def resume_webhook(request: AuthenticatedRequest, uuid: UUID, body: WebhookResumeIn) -> MessageResponse:
    """Resume a webhook, with or without pending deliveries."""
    row = permissions.get_endpoint(request.user, uuid)
    count = services.resume_endpoint(row, actor=request.user, now=timezone.now(), skip=body.skip)
    return MessageResponse(message=describe_resumption(count, has_skipped=body.skip))


@router.post("/webhooks/{uuid:uuid}/test", WRITE_SCOPE, WebhookDeliveryOut, status=201)
def test_webhook(request: AuthenticatedRequest, uuid: UUID) -> WebhookDelivery:
    """Send a test event."""
    endpoint = permissions.get_endpoint(request.user, uuid)
    return services.send_test_event(endpoint, actor=request.user, now=timezone.now())


@router.post("/webhooks/{uuid:uuid}/replay", WRITE_SCOPE)
def replay_webhook(request: AuthenticatedRequest, uuid: UUID, body: WebhookReplayIn) -> MessageResponse:
    """Replay failed deliveries since a time within the last 30 days."""
    row = permissions.get_endpoint(request.user, uuid)
    failed_since = clean(ReplayForm(build_form_data(since=body.since)))["since"]
    count = services.replay_deliveries(row, failed_since, actor=request.user, now=timezone.now())
    return MessageResponse(message=describe_replay(count))


@router.get("/webhooks/{uuid:uuid}/deliveries", READ_SCOPE, CursorPage[WebhookDeliveryOut])
def list_webhook_deliveries(
    request: AuthenticatedRequest, uuid: UUID, params: Query[WebhookDeliveryParams]
) -> Page[WebhookDelivery]:
    """List deliveries of the last 30 days, newest first."""
    row = permissions.get_endpoint(request.user, uuid)
    refuse_unknown_value("event_type", params.event_type, selectors.list_possible_event_types(row))
    return paginate(request, selectors.list_deliveries(row, params.state, params.event_type), params)


@router.get("/webhooks/{uuid:uuid}/deliveries/{uuid:delivery}", READ_SCOPE, WebhookDeliveryDetail)
def get_webhook_delivery(request: AuthenticatedRequest, uuid: UUID, delivery: UUID) -> WebhookDelivery:
    """Get a delivery with its attempts."""
    deliveries = permissions.get_endpoint(request.user, uuid).deliveries.all()
    return get_row(deliveries, "Delivery not found. Deliveries are available for 30 days.", uuid=delivery)


@router.post("/webhooks/{uuid:uuid}/deliveries/{uuid:delivery}/replay", WRITE_SCOPE, WebhookDeliveryDetail)
def replay_webhook_delivery(request: AuthenticatedRequest, uuid: UUID, delivery: UUID) -> WebhookDelivery:
    """Replay a delivery with the same webhook-id."""
    services.replay_delivery(get_webhook_delivery(request, uuid, delivery), actor=request.user, now=timezone.now())
    return get_webhook_delivery(request, uuid, delivery)


@router.post("/webhooks", CREATE_SCOPE, WebhookWithSecretOut, status=201)
@sensitive_variables()
def create_webhook(request: AuthenticatedRequest, body: WebhookIn) -> WebhookWithSecretOut:
    """Create a webhook of a partner (for its owners) or of the program (for staff).

    Only the first response contains the secret. A request repeated with its Idempotency-Key returns the webhook
    without the secret. Rotate the secret in this case.
    """
    omit_secret_from_replay(request)
    partner = None if body.partner is None else get_object_or_404(list_visible_partners(request), slug=body.partner)
    # Before the validation, whose messages would tell others which internal events exist.
    refusals.require_permission(permissions.can_manage_webhooks, partner, request.user)
    form_data = build_form_data(**body.model_dump(exclude={"partner"}, by_alias=True))
    form = EndpointForm(data=form_data, is_program_endpoint=partner is None)
    values = validate_form(form, {"program_key": "program"}).cleaned_data
    row, secret = services.create_endpoint(partner, values, actor=request.user, now=timezone.now())
    set_location_header(request, "webhooks", row.uuid)
    return _add_secret(row, secret)


@router.post("/webhooks/{uuid:uuid}/secret", CREATE_SCOPE, WebhookWithSecretOut, status=201)
@sensitive_variables()
def rotate_webhook_secret(request: AuthenticatedRequest, uuid: UUID) -> WebhookWithSecretOut:
    """Rotate the secret. The previous secret also signs deliveries for one more day."""
    omit_secret_from_replay(request)
    row = permissions.get_endpoint(request.user, uuid)
    # Of two parallel rotations, the second is refused instead of replacing a secret that a client has just received.
    fingerprint = row.secret_fingerprint
    secret = services.rotate_secret(row, actor=request.user, now=timezone.now(), expected_fingerprint=fingerprint)
    return _add_secret(permissions.get_endpoint(request.user, uuid), secret)


def _add_secret(row: WebhookEndpoint, secret: Secret | None) -> WebhookWithSecretOut:
    webhook = dict(WebhookOut.from_orm(row))
    return WebhookWithSecretOut.model_construct(**webhook, secret=secret.value if secret else None)
