"""Which endpoints hear of an event? Their messages are rows of the event's own transaction, one each."""

from datetime import datetime
from typing import Any

from django.db.models import Q

from portal.audit.models import Event
from portal.webhooks import payloads, slack
from portal.webhooks.event_kinds import BY_VERB, Kind
from portal.webhooks.models import Endpoint, EndpointMessage


def tell(event: Event) -> None:
    """Write the messages of one event. A decision's wait out the undo window, as its mails do."""
    kind = BY_VERB.get(event.verb)
    if kind is None or event.integration is None or (event.internal and not kind.office):
        return
    hearing = [endpoint for endpoint in listeners(event, kind) if kind.name in endpoint.kinds]
    if not hearing:
        return
    text = payloads.body_of(event, kind)
    forms = {Endpoint.Form.WEBHOOK: text, Endpoint.Form.SLACK: ""}
    if any(endpoint.form == Endpoint.Form.SLACK for endpoint in hearing):
        forms[Endpoint.Form.SLACK] = slack.body_of(event, payloads.payload(event, kind))
    for endpoint in hearing:
        write(endpoint, f"{event.stream}:{event.seq}", kind.name, forms[Endpoint.Form(endpoint.form)], event=event)


def listeners(event: Event, kind: Kind) -> Any:
    """The endpoints of the event's company and the program's own, of its program or of all."""
    row = event.integration
    assert row is not None
    whose = Q(partner=None) if kind.office else Q(partner=None) | Q(partner=event.partner_id)
    return Endpoint.objects.filter(whose, ended_at=None, program_key__in=("", row.program_key)).order_by("pk")


def write(endpoint: Endpoint, key: str, kind: str, body: str, *, event: Event) -> EndpointMessage | None:
    """One message; None where the endpoint has one of that key already."""
    undo_until = event.data.get("undo_until")
    row, is_new = EndpointMessage.objects.get_or_create(
        endpoint=endpoint,
        key=key,
        defaults={
            "event": event,
            "kind": kind,
            "about": event.integration.name if event.integration else "",
            "body": body,
            "made_at": event.at,
            "due_at": datetime.fromisoformat(undo_until) if undo_until else event.at,
        },
    )
    return row if is_new else None


def cancel(decision: Event) -> int:
    """A decision was undone: what it would have said is never sent. Returns how many messages."""
    waiting = EndpointMessage.objects.filter(event=decision, state=EndpointMessage.State.WAITING, attempted=0)
    return waiting.update(state=EndpointMessage.State.CANCELLED, last_said="The decision was undone.")
