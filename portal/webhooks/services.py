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
from portal.audit.services import record
from portal.core.crypto import Secret
from portal.core.errors import NotAllowed
from portal.webhooks import payloads, secrets, slack
from portal.webhooks.event_kinds import BY_NAME, TEST
from portal.webhooks.models import Endpoint, EndpointMessage
from portal.webhooks.permissions import may_manage
from portal.webhooks.retry_policy import KEPT

MOST = 20  # endpoints of one company
TESTS = 5  # test events that wait at a time
State = EndpointMessage.State


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an endpoint is to be. `address` may be blank where it stays as it is."""

    name: str
    kinds: Sequence[str]
    program_key: str = ""
    address: str = ""
    form: str = Endpoint.Form.WEBHOOK


@contextmanager
def _held(endpoint: Endpoint, by: Any) -> Iterator[Endpoint]:
    """The endpoint's row as it is now, for whoever may manage it; saved at the end."""
    with transaction.atomic():
        permissions.forget_roles(by)
        if endpoint.partner_id:  # the company first, as everywhere
            Partner.objects.select_for_update(of=("self",)).get(pk=endpoint.partner_id)
        row = Endpoint.objects.select_for_update(of=("self",), no_key=True).get(pk=endpoint.pk)
        if row.ended_at or not may_manage(row.partner, by):
            raise NotAllowed(_("This webhook is not there any more, or you may not change it."), "gone")
        yield row
        row.save()


def _note(row: Endpoint, verb: str, by: Any, now: datetime) -> None:
    """The company's history says what became of its webhooks; the program's own have none."""
    if row.partner is not None:
        record(row.partner, verb, by=by, now=now, name=row.name, shown=row.shown)


def _checked(kinds: Sequence[str], *, office: bool) -> list[str]:
    """The kinds in the order of the table. Raises NotAllowed where none is chosen."""
    chosen = [name for name, kind in BY_NAME.items() if name in kinds and (office or not kind.office)]
    if not chosen:
        raise NotAllowed(_("Choose at least one kind of event."))
    return chosen


@transaction.atomic
def add(partner: Partner | None, wanted: Wanted, *, by: Any, now: datetime) -> tuple[Endpoint, Secret | None]:
    """A new endpoint and its secret, which is shown once. Slack takes no signature and gets none."""
    permissions.forget_roles(by)
    if partner is not None:
        partner = Partner.objects.select_for_update(of=("self",)).get(pk=partner.pk)
    if not may_manage(partner, by):
        raise NotAllowed(permissions.refusal("may_manage"), "may")
    if Endpoint.objects.filter(partner=partner, ended_at=None).count() >= MOST:
        raise NotAllowed(
            _("There are %(MOST)s webhooks already. Remove one that is not needed any more.") % {"MOST": MOST}
        )
    row = Endpoint(
        partner=partner, name=wanted.name, form=wanted.form, program_key=wanted.program_key, made_by=by, made_at=now,
        kinds=_checked(wanted.kinds, office=partner is None),
    )  # fmt: skip
    secrets.set_address(row, wanted.address)
    secret = secrets.set_secret(row, now) if wanted.form == Endpoint.Form.WEBHOOK else None
    row.save()
    _note(row, "webhook_added", by, now)
    return row, secret


def change(endpoint: Endpoint, wanted: Wanted, *, by: Any, now: datetime) -> None:
    """Another name, address or choice of events. What waits goes to the new address."""
    with _held(endpoint, by) as row:
        row.name, row.program_key = wanted.name, wanted.program_key
        row.kinds = _checked(wanted.kinds, office=row.partner_id is None)
        if wanted.address:
            secrets.set_address(row, wanted.address)
            row.rests_until = None
        _note(row, "webhook_changed", by, now)


def rotate(endpoint: Endpoint, *, by: Any, now: datetime, seen: str) -> Secret:
    """A new secret. `seen`: the state of the one that the person saw; pressed twice, there is one."""
    with _held(endpoint, by) as row:
        if row.form != Endpoint.Form.WEBHOOK:
            raise NotAllowed(_("Messages to Slack are not signed."))
        if state_of(row) != seen:
            raise NotAllowed(_("A secret has been made since this page was shown. Make another one if you need it."))
        secret = secrets.set_secret(row, now)
        _note(row, "webhook_secret_made", by, now)
    return secret


def state_of(row: Endpoint) -> str:
    """Which secret is in force, without a word about it: the salt that it is sealed with."""
    return bytes(row.secret or b"")[9:25].hex()


def pause(endpoint: Endpoint, *, by: Any, now: datetime) -> None:
    """Send nothing until it is resumed; what happens meanwhile is kept and waits."""
    with _held(endpoint, by) as row:
        if not row.pause:
            row.pause, row.paused_at = Endpoint.Pause.HAND, now
            _note(row, "webhook_paused", by, now)


def resume(endpoint: Endpoint, *, by: Any, now: datetime, skip: bool = False) -> int:
    """Send again; `skip`: not what has waited. Returns how many messages were left out or are due now."""
    with _held(endpoint, by) as row:
        waiting = row.messages.filter(state=State.WAITING)
        if skip:
            told = {"state": State.CANCELLED, "last_said": "Left out when the webhook was resumed."}
            count = waiting.filter(made_at__lte=now, due_at__lte=now).update(**told)
        else:
            count = waiting.count()
            waiting.filter(tries__gt=0).update(tries=0, due_at=now)
        row.pause, row.paused_at = "", None
        row.failing_since, row.rests_until, row.failures = None, None, 0
        _note(row, "webhook_resumed", by, now)
    return int(count)


def send_test(endpoint: Endpoint, *, by: Any, now: datetime) -> EndpointMessage:
    """A test event, sent like any other."""
    with _held(endpoint, by) as row:
        if row.messages.filter(kind=TEST, state=State.WAITING).count() >= TESTS:
            raise NotAllowed(_("Some test events are still waiting to be sent. Look at the log first."))
        body = payloads.test_body(row.partner, by, now)
        if row.form == Endpoint.Form.SLACK:
            body = slack.test_body(payloads.read(body))
        row.rests_until = None
        message: EndpointMessage = row.messages.create(
            key=f"test:{uuid4()}", kind=TEST, body=body, made_at=now, due_at=now
        )
    return message


def replay(message: EndpointMessage, *, by: Any, now: datetime) -> None:
    """Send one message again, under the same webhook-id."""
    with _held(message.endpoint, by) as row:
        count = row.messages.filter(pk=message.pk).exclude(state=State.WAITING).update(**_again(by, now))
        if not count:
            raise NotAllowed(_("This message is waiting to be sent already."))
        row.rests_until = None


def replay_failed(endpoint: Endpoint, since: datetime, *, by: Any, now: datetime) -> int:
    """Send every message again that failed since a moment. Returns how many."""
    with _held(endpoint, by) as row:
        failed = Q(state=State.FAILED) | Q(state=State.WAITING, tries__gt=0)
        count = row.messages.filter(failed, made_at__gte=since).update(**_again(by, now))
        row.rests_until = None
    return int(count)


def _again(by: Any, now: datetime) -> dict[str, Any]:
    return {
        "state": State.WAITING, "due_at": now, "tries": 0, "delivered_at": None, "replayed_at": now, "replayed_by": by,
    }  # fmt: skip


def end(endpoint: Endpoint, *, by: Any, now: datetime) -> None:
    """Nothing is sent there any more. The log goes with what is forgotten; address and secrets go now."""
    with _held(endpoint, by) as row:
        row.ended_at = now
        row.address, row.secret, row.old_secret = b"", None, None
        row.messages.filter(state=State.WAITING).update(state=State.CANCELLED, last_said=_("The webhook was removed."))
        _note(row, "webhook_removed", by, now)


def forget_due(now: datetime, limit: int = 5000) -> int:
    """Forget messages after 30 days, secrets that no longer hold, and ended endpoints without messages."""
    old = EndpointMessage.objects.filter(made_at__lt=now - KEPT).exclude(replayed_at__gte=now - KEPT)
    count, _ = EndpointMessage.objects.filter(pk__in=list(old.values_list("pk", flat=True)[:limit])).delete()
    lapsed = Endpoint.objects.filter(old_secret_until__lt=now).exclude(old_secret=None)
    count += lapsed.update(old_secret=None, old_secret_until=None)
    count += Endpoint.objects.exclude(ended_at=None).filter(messages=None).delete()[0]
    return int(count)
