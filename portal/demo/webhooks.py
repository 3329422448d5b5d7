"""Which webhooks does the demo world have? A company's with a log that had a bad day, and the program's to Slack."""

from datetime import datetime, timedelta
from typing import Any

from integrations.partners.models import Partner
from portal.audit.models import Event
from portal.webhooks import fanout, payloads, services, settlement, slack, tasks
from portal.webhooks.event_kinds import BY_NAME, BY_VERB
from portal.webhooks.http_delivery import Outcome, sentence
from portal.webhooks.models import Endpoint, EndpointMessage
from portal.webhooks.services import Wanted

SHOWN = 30  # events of the company that are in the log
QUICK, SLOW = 0.18, 10.0
OK = {"content-type": "application/json", "server": "pipeline"}
# what the receiver did with the newest messages, newest first: the statuses of each one's attempts, None no answer
NEWEST: tuple[tuple[int | None, ...], ...] = ((200,), (503, 200), (200,), (502,), (200,), (None, 503, 200))


def heard(partner: Partner, owner: Any, staff: Any, now: datetime) -> None:
    """Both webhooks, and the log of the company's."""
    then = now - timedelta(days=29)
    kinds = [name for name, kind in BY_NAME.items() if not kind.office]
    wanted = Wanted("Release pipeline", kinds, address="https://ci.acme.example/portal/events?team=range")
    pipeline, _ = services.add(partner, wanted, by=owner, now=then)
    channel = Wanted(
        "#integrations", ["review.requested", "issue.breached", "standing.appealed", "office.turn_overdue"],
        address="https://chat.program.example/services/T0/B1/made-up", form=Endpoint.Form.SLACK,
    )  # fmt: skip
    office, _ = services.add(None, channel, by=staff, now=then)
    log(pipeline, Event.objects.filter(partner=partner), owner, now)
    log(office, Event.objects.exclude(partner=partner), None, now)


def log(endpoint: Endpoint, events: Any, owner: Any, now: datetime) -> None:
    """The newest events as they would have been sent."""
    verbs = [verb for verb, kind in BY_VERB.items() if kind.name in endpoint.kinds]
    told = events.filter(verb__in=verbs, at__gte=now - timedelta(days=29), at__lte=now - timedelta(minutes=20))
    told = told.exclude(integration=None).order_by("-at", "-pk")
    for place, event in reversed(list(enumerate(told[:SHOWN]))):  # the oldest was sent first
        message = write(endpoint, event)
        statuses = NEWEST[place] if owner and place < len(NEWEST) else (200,)
        tried(message, statuses, now)
        if len(statuses) == 2:  # failed, and then sent again by hand
            EndpointMessage.objects.filter(pk=message.pk).update(replayed_at=now, replayed_by=owner)
        if statuses == (502,):
            said = {"state": EndpointMessage.State.FAILED, "tries": 11, "attempted": 11}
            EndpointMessage.objects.filter(pk=message.pk).update(**said)
    Endpoint.objects.filter(pk=endpoint.pk).update(failing_since=None, failures=0, rests_until=None)


def write(endpoint: Endpoint, event: Event) -> EndpointMessage:
    kind = BY_VERB[event.verb]
    body = payloads.body_of(event, kind)
    if endpoint.form == Endpoint.Form.SLACK:
        body = slack.body_of(event, payloads.read(body))
    message = fanout.write(endpoint, f"{event.stream}:{event.seq}", kind.name, body, event=event)
    assert message is not None
    return message


def tried(message: EndpointMessage, statuses: tuple[int | None, ...], now: datetime) -> None:
    """Write down attempts as a sender does, the last of them delivered or not."""
    at = max(message.due_at, message.made_at)
    for number, status in enumerate(statuses):
        Endpoint.objects.filter(pk=message.endpoint_id).update(rests_until=None)
        EndpointMessage.objects.filter(pk=message.pk).update(due_at=at)
        work = tasks.claim(message.endpoint_id, at)
        assert work is not None
        body = '{"received":true}' if status == 200 else "upstream is restarting"
        settlement.settle(work, [outcome(message, at + timedelta(seconds=30 * number), status, body)], now)


def outcome(message: EndpointMessage, at: datetime, status: int | None, body: str) -> Outcome:
    sent = {"Content-Type": "application/json", "webhook-id": message.message_id}
    if status is None:
        said = "ci.acme.example did not answer in time."
        return Outcome(message.pk, at, SLOW, None, said, sent, {}, "")
    return Outcome(message.pk, at, QUICK, status, sentence(status), sent, OK, body)
