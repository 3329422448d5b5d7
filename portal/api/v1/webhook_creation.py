"""How is a webhook added from a program? Its secret is told in one answer, once.

The answer that is kept for whoever repeats an Idempotency-Key has no secret in it.
"""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from pydantic import Field

from integrations.partners.models import Partner
from portal.api.conditional import set_location_header
from portal.api.idempotency import omit_from_replay
from portal.api.problems import validate_form
from portal.api.routing import StrictSchema, build_form_data
from portal.api.v1.partners import list_visible_partners
from portal.api.v1.webhooks import WebhookOut, router, serialize_webhook
from portal.webhooks import permissions, services
from portal.webhooks.forms import EndpointForm

CREATE_SCOPE = "webhooks:create"


class WebhookIn(StrictSchema):
    """`form`: webhook (signed JSON) or slack, whose address is itself a secret and is never told again."""

    partner: str | None = Field(description="Its slug; null for the program's own, which its staff adds.")
    name: str
    address: str = Field(description="Begins with https and is a public host.")
    kinds: list[str] = Field(max_length=100, description="As in /webhooks/kinds.")
    form: str = "webhook"
    program: str = Field("", description="Its events alone; blank for all programs.")


class WebhookWithSecretOut(WebhookOut):
    """`secret`: what signatures are checked with, told this once; null for Slack, and in an answer said again."""

    secret: str | None


@router.post("/webhooks", CREATE_SCOPE, WebhookWithSecretOut, status=201)
@sensitive_variables()
def create_webhook(request: HttpRequest, response: HttpResponse, body: WebhookIn) -> Any:
    """Add a webhook. For owners of the company; the program's own for its staff.

    The answer alone holds the secret. Repeated with its Idempotency-Key, it tells the same webhook without it: make
    another one then.
    """
    omit_from_replay(request, "secret")
    partner = _get_managed_partner(request, body.partner)
    form_fields = body.model_dump(exclude={"partner", "program"}) | {"program_key": body.program}
    configuration = validate_form(
        EndpointForm(build_form_data(**form_fields), is_program_endpoint=partner is None), {"program_key": "program"}
    ).configuration
    row, secret = services.create_endpoint(partner, configuration, actor=request.user, now=timezone.now())
    set_location_header(request, response, "webhooks", row.uuid)
    return serialize_webhook(row) | {"secret": secret.value if secret else None}


@router.post("/webhooks/{uuid:uuid}/secret", CREATE_SCOPE, WebhookWithSecretOut, status=201)
@sensitive_variables()
def rotate_webhook_secret(request: HttpRequest, uuid: UUID) -> Any:
    """Make another secret. The one before goes on signing beside it for a day."""
    omit_from_replay(request, "secret")
    row = permissions.get_endpoint(request.user, uuid)
    secret = services.rotate_secret(
        row, actor=request.user, now=timezone.now(), expected_fingerprint=services.get_secret_fingerprint(row)
    )
    return serialize_webhook(permissions.get_endpoint(request.user, uuid)) | {"secret": secret.value}


def _get_managed_partner(request: HttpRequest, slug: str | None) -> Partner | None:
    """The company, or None for the program. Raises Http404 for who may not, as the page does."""
    partner: Partner | None = None if slug is None else get_object_or_404(list_visible_partners(request), slug=slug)
    if not permissions.can_manage(partner, request.user):
        raise Http404("Only owners of the company add webhooks, and staff those of the program.")
    return partner
