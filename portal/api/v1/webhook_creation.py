"""Operations that create webhooks and rotate their secrets.

Only the first response contains the secret. Responses stored for idempotency keys don't.
"""

from uuid import UUID

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from pydantic import Field

from integrations.partners.models import Partner
from portal.accounts.requests import AuthenticatedRequest
from portal.api.conditional import set_location_header
from portal.api.form_data import build_form_data, validate_form
from portal.api.idempotency import omit_secret_from_replay
from portal.api.routing import StrictSchema
from portal.api.v1.partners import list_visible_partners
from portal.api.v1.webhooks import WebhookOut, router
from portal.core.crypto import Secret
from portal.webhooks import permissions, services
from portal.webhooks.forms import EndpointForm
from portal.webhooks.models import WebhookEndpoint

CREATE_SCOPE = "webhooks:create"


class WebhookIn(StrictSchema):
    """New webhook. `format` is webhook (signed JSON), slack, or teams. URLs of Slack and Teams are never returned."""

    partner: str | None = Field(description="Slug of the partner, or null for a webhook of the program.")
    name: str
    url: str = Field(description="HTTPS URL of a public host.")
    event_types: list[str] = Field(max_length=100, description="Event types from /webhooks/event-types.")
    format: str = "webhook"
    program: str = Field(
        "", description="Program to limit events to, or empty for all programs.", serialization_alias="program_key"
    )


class WebhookWithSecretOut(WebhookOut):
    """Webhook with the secret that verifies signatures. It is null for Slack and Teams, and in replayed responses."""

    secret: str | None


@router.post("/webhooks", CREATE_SCOPE, WebhookWithSecretOut, status=201)
@sensitive_variables()
def create_webhook(request: AuthenticatedRequest, body: WebhookIn) -> WebhookWithSecretOut:
    """Create a webhook. For owners, or for program staff without a partner.

    Only the first response contains the secret. A request repeated with its Idempotency-Key returns the webhook
    without the secret. Rotate the secret in this case.
    """
    omit_secret_from_replay(request)
    partner = _get_managed_partner(request, body.partner)
    form_data = build_form_data(**body.model_dump(exclude={"partner"}, by_alias=True))
    form = EndpointForm(data=form_data, is_program_endpoint=partner is None)
    configuration = validate_form(form, {"program_key": "program"}).configuration
    row, secret = services.create_endpoint(partner, configuration, actor=request.user, now=timezone.now())
    set_location_header(request, "webhooks", row.uuid)
    return _add_secret(row, secret)


@router.post("/webhooks/{uuid:uuid}/secret", CREATE_SCOPE, WebhookWithSecretOut, status=201)
@sensitive_variables()
def rotate_webhook_secret(request: AuthenticatedRequest, uuid: UUID) -> WebhookWithSecretOut:
    """Rotate the secret. The previous secret also signs deliveries for one more day."""
    omit_secret_from_replay(request)
    row = permissions.get_endpoint(request.user, uuid)
    # Of two parallel rotations, the second is refused instead of replacing a secret that a client has just received.
    fingerprint = services.get_secret_fingerprint(row)
    secret = services.rotate_secret(row, actor=request.user, now=timezone.now(), expected_fingerprint=fingerprint)
    return _add_secret(permissions.get_endpoint(request.user, uuid), secret)


def _add_secret(row: WebhookEndpoint, secret: Secret | None) -> WebhookWithSecretOut:
    webhook = dict(WebhookOut.from_orm(row))
    return WebhookWithSecretOut.model_construct(**webhook, secret=secret.value if secret else None)


def _get_managed_partner(request: HttpRequest, slug: str | None) -> Partner | None:
    """Return the partner, or None for the program. Raises Http404 for users who can't manage its webhooks."""
    partner = None if slug is None else get_object_or_404(list_visible_partners(request), slug=slug)
    if not permissions.can_manage(partner, request.user):
        raise Http404(
            "Only owners can create webhooks of a company, and only staff can create webhooks of the program."
        )
    return partner
