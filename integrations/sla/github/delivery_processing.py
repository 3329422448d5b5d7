"""What do the webhooks say that came in? Deliveries become facts; a watch's are read by one reader at a time."""

import json
import logging
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from integrations.sla.check_requests import REASONS, look_again, matters
from integrations.sla.github import event_store
from integrations.sla.github.event_mapping import READ_EVENTS, Told, Untellable, from_webhook
from integrations.sla.github.webhook_intake import is_own
from integrations.sla.models import Delivery, Watch
from integrations.sla.services import projection

log = logging.getLogger(__name__)
BATCH = 200
MOST_ATTEMPTS = 5
READ, IGNORED, REPLAY, FOREIGN, UNREADABLE, FAILED = "read", "ignored", "replay", "foreign", "unreadable", "failed"
LOOKED = "looked"  # the checks were asked for


def read_due(now: datetime, limit: int = 10_000) -> int:
    """Read what has come in. Returns how many deliveries were read."""
    waiting = Delivery.objects.filter(read_at=None).order_by("watch_id").values_list("watch_id", flat=True).distinct()
    done = 0
    for watch in list(waiting):
        if done >= limit:
            break
        done += read_watch(watch, now)
    return done


def read_watch(watch: int, now: datetime) -> int:
    """Read the deliveries of one watch. Where a batch fails, its deliveries are read one by one."""
    done = 0
    while True:
        try:
            count = _read_batch(watch, now, BATCH)
        except Exception:
            log.exception("The deliveries of watch %s failed together; each is read alone.", watch)
            return done + _read_singly(watch, now)
        done += count
        if count < BATCH:
            return done


def _read_batch(watch: int, now: datetime, size: int, only: int | None = None) -> int:
    with transaction.atomic():
        row = event_store.hold(watch)
        if row is None:
            return 0
        unread = Delivery.objects.filter(watch=row, read_at=None).order_by("pk")
        deliveries = list(unread.filter(pk=only) if only else unread[:size])
        if deliveries:
            _take(row, deliveries, now)
        return len(deliveries)


def _take(watch: Watch, deliveries: list[Delivery], now: datetime) -> None:
    """Facts, folds, and what became of each delivery."""
    earlier = _digests_before(watch, deliveries)
    told: list[Told] = []
    outcomes: dict[str, list[int]] = {}
    for delivery in deliveries:
        outcome, found = _REPLAYED if delivery.digest in earlier else told_by(watch, delivery)
        earlier.add(delivery.digest)
        outcomes.setdefault(outcome, []).append(delivery.pk)
        told.extend(found)
    projection.refold(event_store.store(watch, told, "webhook", now), now)
    asking = set(outcomes.get(LOOKED, ()))
    look_again(watch, (delivery.event for delivery in deliveries if delivery.pk in asking), now)
    for outcome, pks in outcomes.items():
        Delivery.objects.filter(pk__in=pks).update(read_at=now, outcome=outcome)
    _heard(watch, deliveries)


_REPLAYED: tuple[str, tuple[Told, ...]] = (REPLAY, ())


def _digests_before(watch: Watch, deliveries: list[Delivery]) -> set[str]:
    """The digests that came before under another id: whoever captured a delivery can send it again with a new one."""
    digests = {delivery.digest for delivery in deliveries}
    before = Delivery.objects.filter(watch=watch, digest__in=digests, pk__lt=deliveries[0].pk)
    return set(before.values_list("digest", flat=True))


def told_by(watch: Watch, delivery: Delivery) -> tuple[str, tuple[Told, ...]]:
    """What becomes of a delivery, and what it tells."""
    if delivery.event not in READ_EVENTS and delivery.event not in REASONS:
        return IGNORED, ()
    try:
        payload = json.loads(bytes(delivery.body))
        if not _is_own(watch, payload):
            return FOREIGN, ()
        if matters(delivery.event, payload):
            return LOOKED, ()
        told = from_webhook(delivery.event, payload, delivery.received_at)
    except (ValueError, RecursionError) as error:
        log.warning("delivery %s of %s cannot be read: %s", delivery.delivery_id, watch, error)
        return UNREADABLE, ()
    return (READ, (told,)) if told else (IGNORED, ())


def _is_own(watch: Watch, payload: Any) -> bool:
    repository = payload.get("repository") if isinstance(payload, Mapping) else None
    if not isinstance(repository, Mapping):
        raise Untellable("no repository is named")
    return is_own(watch.repository_id, watch.repository, repository)


def _heard(watch: Watch, deliveries: Iterable[Delivery]) -> None:
    """The hook lives; a ping tells its number, under which GitHub keeps what it could not deliver."""
    last = max(delivery.received_at for delivery in deliveries)
    changed: dict[str, Any] = {"last_delivery_at": max(last, watch.last_delivery_at or last)}
    for delivery in deliveries:
        if delivery.event == "ping":
            changed["hook_id"] = _hook_of(delivery) or watch.hook_id
    Watch.objects.filter(pk=watch.pk).update(**changed)


def _hook_of(ping: Delivery) -> int | None:
    payload = json.loads(bytes(ping.body))
    number = payload.get("hook_id")
    return number if isinstance(number, int) and 0 < number < 2**63 else None


def _read_singly(watch: int, now: datetime) -> int:
    """Each delivery in a transaction of its own; one that keeps failing is put aside, with its body."""
    done = 0
    for pk, attempts in list(_unread(watch)):
        try:
            done += _read_batch(watch, now, 1, only=pk)
        except Exception:
            log.exception("Delivery %s failed.", pk)
            over = {"read_at": now, "outcome": FAILED} if attempts + 1 >= MOST_ATTEMPTS else {}
            Delivery.objects.filter(pk=pk).update(attempts=attempts + 1, **over)
    return done


def _unread(watch: int) -> Iterable[tuple[int, int]]:
    return Delivery.objects.filter(watch=watch, read_at=None).order_by("pk").values_list("pk", "attempts")[:BATCH]
