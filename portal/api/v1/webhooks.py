"""How are one's webhooks looked after from a program? Their health and log, sent again, paused, changed, removed."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query, Schema
from pydantic import Field

from portal.api.problems import fit
from portal.api.routing import Done, Page, Paged, Room, Strict, listed, posted
from portal.api.v1.schemas.submissions import CompanyRef, absolute, company_ref
from portal.webhooks import payloads, permissions, selectors, services
from portal.webhooks.event_kinds import grouped
from portal.webhooks.forms import EndpointForm, SinceForm, initial_of
from portal.webhooks.models import Endpoint, EndpointAttempt, EndpointMessage

room = Room("Webhooks")
READ, WRITE = "webhooks:read", "webhooks:write"


class WebhookOut(Schema):
    """One webhook. `company` is null for the program's own; `pause`: why nothing is sent, blank where it is."""

    uuid: UUID
    company: CompanyRef | None
    name: str
    form: str
    shown: str
    kinds: list[str]
    program: str
    health: str
    said: str
    pause: str
    paused_at: datetime | None
    delivered_at: datetime | None
    failing_since: datetime | None
    made_at: datetime
    href: str


class KindOut(Schema):
    """A kind of event: what it means, and an example of what is sent."""

    kind: str
    means: str
    example: dict[str, Any]


class WebhookIn(Strict):
    """What to change; what is left out stays. A new address also gets what waits."""

    name: str | None = None
    kinds: list[str] | None = Field(None, max_length=100)
    program: str | None = Field(None, description="Its events alone; blank for all programs.")
    address: str | None = Field(None, description="Begins with https and is a public host.")


class ResumeIn(Strict):
    """`skip`: leave out what has waited."""

    skip: bool = False


class SinceIn(Strict):
    since: datetime = Field(description="With its offset, as in 2026-04-14T09:00:00Z.")


class LogWanted(Paged):
    state: str = Field(
        "", pattern="^(delivered|waiting|failed)?$", description="`failed` includes what is tried again."
    )
    kind: str = Field("", max_length=60, description="One kind of event.")


class HookMessage(Schema):
    """One event for one webhook. `webhook_id` is the same in every attempt; `last_said`: how the last one ended."""

    uuid: UUID
    webhook_id: str
    kind: str
    about: str
    state: str
    made_at: datetime
    due_at: datetime
    attempted: int
    last_said: str
    delivered_at: datetime | None
    replayed_at: datetime | None


class AttemptOut(Schema):
    """One request and what came back, cut. `status` is null where nothing came back."""

    number: int
    at: datetime
    seconds: float
    status: int | None
    said: str
    sent_headers: dict[str, Any]
    headers: dict[str, Any]
    body: str


class HookMessageWhole(HookMessage):
    """`body`: what is sent, word for word; `attempts`: the newest first, fifty at most."""

    body: str
    attempts: list[AttemptOut]


def webhook_out(row: Endpoint) -> dict[str, Any]:
    health = selectors.health(row, timezone.now())
    same = ("uuid", "name", "form", "shown", "kinds", "pause", "paused_at", "delivered_at", "failing_since", "made_at")
    return {name: getattr(row, name) for name in same} | {
        "company": company_ref(row.partner) if row.partner else None, "program": row.program_key,
        "health": health.word, "said": health.sentence, "href": absolute("webhook", row.uuid),
    }  # fmt: skip


def message_out(row: EndpointMessage) -> dict[str, Any]:
    names = [name for name in HookMessage.model_fields if name != "webhook_id"]
    return {name: getattr(row, name) for name in names} | {"webhook_id": row.message_id}


def attempt_out(row: EndpointAttempt) -> dict[str, Any]:
    return {name: getattr(row, name) for name in AttemptOut.model_fields}


@room.get("/webhooks", READ, list[WebhookOut])
def list_webhooks(request: HttpRequest) -> Any:
    """The webhooks that you manage: of the companies that you own, and the program's own for its staff."""
    return [webhook_out(row) for row, _ in selectors.endpoints_of(request.user, timezone.now())]


@room.get("/webhooks/kinds", READ, list[KindOut])
def list_webhook_kinds(request: HttpRequest) -> Any:
    """The kinds of events that a webhook may hear of."""
    office = permissions.may_manage(None, request.user)
    kinds = [kind for _, group in grouped(office=office) for kind in group]
    return [{"kind": kind.name, "means": kind.means, "example": payloads.example(kind)} for kind in kinds]


@room.get("/webhooks/{uuid:uuid}", READ, WebhookOut)
def get_webhook(request: HttpRequest, uuid: UUID) -> Any:
    """One webhook, and how it is."""
    return webhook_out(permissions.load(request.user, uuid))


@room.patch("/webhooks/{uuid:uuid}", WRITE, WebhookOut)
def change_webhook(request: HttpRequest, uuid: UUID, body: WebhookIn) -> Any:
    """Another name, address, or choice of events."""
    row = permissions.load(request.user, uuid)
    given = body.model_dump(exclude_none=True)
    if "program" in given:
        given["program_key"] = given.pop("program")
    form = EndpointForm(posted(**initial_of(row) | given), office=row.partner_id is None, kept=row)
    services.change(row, fit(form, {"program_key": "program"}).wanted, by=request.user, now=timezone.now())
    return webhook_out(permissions.load(request.user, uuid))


@room.delete("/webhooks/{uuid:uuid}", WRITE)
def remove_webhook(request: HttpRequest, uuid: UUID) -> Any:
    """Remove it: nothing is sent there any more, and its address and secrets are forgotten."""
    row = permissions.load(request.user, uuid)
    services.end(row, by=request.user, now=timezone.now())
    return Done(said=f"“{row.name}” is removed.")


@room.post("/webhooks/{uuid:uuid}/pause", WRITE, WebhookOut)
def pause_webhook(request: HttpRequest, uuid: UUID) -> Any:
    """Send nothing until it is resumed; what happens meanwhile is kept for 30 days."""
    services.pause(permissions.load(request.user, uuid), by=request.user, now=timezone.now())
    return webhook_out(permissions.load(request.user, uuid))


@room.post("/webhooks/{uuid:uuid}/resume", WRITE)
def resume_webhook(request: HttpRequest, uuid: UUID, body: ResumeIn) -> Any:
    """Send again, with what has waited or without it."""
    row = permissions.load(request.user, uuid)
    count = services.resume(row, by=request.user, now=timezone.now(), skip=body.skip)
    return Done(said=f"The webhook is on again; messages {'left out' if body.skip else 'that waited'}: {count}.")


@room.post("/webhooks/{uuid:uuid}/test", WRITE, HookMessage, status=201)
def test_webhook(request: HttpRequest, uuid: UUID) -> Any:
    """Send a test event."""
    return message_out(services.send_test(permissions.load(request.user, uuid), by=request.user, now=timezone.now()))


@room.post("/webhooks/{uuid:uuid}/replay", WRITE)
def replay_webhook(request: HttpRequest, uuid: UUID, body: SinceIn) -> Any:
    """Send again whatever failed since a moment of the last 30 days."""
    row = permissions.load(request.user, uuid)
    since = fit(SinceForm(posted(since=body.since))).cleaned_data["since"]
    return Done(said=f"Messages sent again: {services.replay_failed(row, since, by=request.user, now=timezone.now())}.")


@room.get("/webhooks/{uuid:uuid}/messages", READ, Page[HookMessage])
def list_webhook_messages(
    request: HttpRequest, response: HttpResponse, uuid: UUID, wanted: Query[LogWanted]
) -> Any:  # fmt: skip
    """The log, newest first. Messages are kept for 30 days."""
    found = selectors.log_of(permissions.load(request.user, uuid), wanted.state, wanted.kind)
    return listed(request, response, found, wanted, message_out)


@room.get("/webhooks/{uuid:uuid}/messages/{uuid:message}", READ, HookMessageWhole)
def get_webhook_message(request: HttpRequest, uuid: UUID, message: UUID) -> Any:
    """One message with its attempts."""
    return _whole(_message(request, uuid, message))


@room.post("/webhooks/{uuid:uuid}/messages/{uuid:message}/replay", WRITE, HookMessageWhole)
def replay_webhook_message(request: HttpRequest, uuid: UUID, message: UUID) -> Any:
    """Send one message again, under the same webhook-id."""
    services.replay(_message(request, uuid, message), by=request.user, now=timezone.now())
    return _whole(_message(request, uuid, message))


def _message(request: HttpRequest, uuid: UUID, message: UUID) -> EndpointMessage:
    found: EndpointMessage | None = permissions.load(request.user, uuid).messages.filter(uuid=message).first()
    if found is None:
        raise Http404("There is no such message, or it is forgotten after 30 days.")
    return found


def _whole(row: EndpointMessage) -> dict[str, Any]:
    return message_out(row) | {"body": row.body, "attempts": [attempt_out(each) for each in row.attempts.all()[:50]]}
