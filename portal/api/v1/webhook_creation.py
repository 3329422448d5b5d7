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
from portal.api.conditional import located
from portal.api.idempotency import tells_once
from portal.api.problems import fit
from portal.api.routing import Strict, posted
from portal.api.v1.partners import visible
from portal.api.v1.webhooks import WebhookOut, room, webhook_out
from portal.webhooks import permissions, services
from portal.webhooks.forms import EndpointForm

ADD = "webhooks:add"


class WebhookNew(Strict):
    """`form`: webhook (signed JSON) or slack, whose address is itself a secret and is never told again."""

    company: str | None = Field(description="Its slug; null for the program's own, which its staff adds.")
    name: str
    address: str = Field(description="Begins with https and is a public host.")
    kinds: list[str] = Field(max_length=100, description="As in /webhooks/kinds.")
    form: str = "webhook"
    program: str = Field("", description="Its events alone; blank for all programs.")


class WebhookMade(WebhookOut):
    """`secret`: what signatures are checked with, told this once; null for Slack, and in an answer said again."""

    secret: str | None


@room.post("/webhooks", ADD, WebhookMade, status=201)
@sensitive_variables()
def add_webhook(request: HttpRequest, response: HttpResponse, body: WebhookNew) -> Any:
    """Add a webhook. For owners of the company; the program's own for its staff.

    The answer alone holds the secret. Repeated with its Idempotency-Key, it tells the same webhook without it: make
    another one then.
    """
    tells_once(request, "secret")
    partner = _whose(request, body.company)
    fields = body.model_dump(exclude={"company", "program"}) | {"program_key": body.program}
    wanted = fit(EndpointForm(posted(**fields), office=partner is None), {"program_key": "program"}).wanted
    row, secret = services.add(partner, wanted, by=request.user, now=timezone.now())
    located(request, response, "webhooks", row.uuid)
    return webhook_out(row) | {"secret": secret.value if secret else None}


@room.post("/webhooks/{uuid:uuid}/secret", ADD, WebhookMade, status=201)
@sensitive_variables()
def make_webhook_secret(request: HttpRequest, uuid: UUID) -> Any:
    """Make another secret. The one before goes on signing beside it for a day."""
    tells_once(request, "secret")
    row = permissions.load(request.user, uuid)
    secret = services.rotate(row, by=request.user, now=timezone.now(), seen=services.state_of(row))
    return webhook_out(permissions.load(request.user, uuid)) | {"secret": secret.value}


def _whose(request: HttpRequest, slug: str | None) -> Partner | None:
    """The company, or None for the program. Raises Http404 for who may not, as the page does."""
    partner: Partner | None = None if slug is None else get_object_or_404(visible(request), slug=slug)
    if not permissions.may_manage(partner, request.user):
        raise Http404("Only owners of the company add webhooks, and staff those of the program.")
    return partner
