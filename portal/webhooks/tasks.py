"""How do messages leave? Rows that are due, each endpoint claimed by one sender, many endpoints beside each other.

A sender that dies leaves a claim that runs out: its messages are sent again under the same webhook-id. So each arrives
at least once, and never twice unless an answer was lost. Threads post; this thread alone reads and writes rows.
"""

import logging
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from datetime import datetime, timedelta
from time import monotonic
from uuid import uuid4

from django.db.models import Q
from django.utils import timezone

from portal.core.crypto import CannotOpen
from portal.webhooks import secrets as sealing
from portal.webhooks import settlement as settling
from portal.webhooks.http_delivery import Letter, Outcome, Round, post_all
from portal.webhooks.models import Endpoint, EndpointMessage
from verification.sources import outbound

log = logging.getLogger(__name__)
LEASE = timedelta(seconds=90)  # longer than a round can take
TOGETHER = 8  # endpoints at a time
BATCH = 20  # messages of one endpoint in a round
BROKE = timedelta(minutes=5)
LASTS = 20.0  # seconds in which new rounds are begun
Running = dict[Future[list[Outcome]], Round]


def send_due(now: datetime | None = None) -> int:
    """Send what is due, endpoint beside endpoint, until nothing is or the time is over. Returns how many attempts."""
    begin, began = now or timezone.now(), monotonic()
    done, running = 0, Running()
    client = outbound()
    with ThreadPoolExecutor(TOGETHER, thread_name_prefix="webhooks") as pool:
        while True:
            moment = begin + timedelta(seconds=monotonic() - began)
            if monotonic() - began < LASTS:
                for work in claimed(moment, TOGETHER - len(running)):
                    running[pool.submit(post_all, work, client)] = work
            if not running:
                return done
            done += _settled(running, begin, began)


def _settled(running: Running, begin: datetime, began: float) -> int:
    """Wait for whoever is ready, and write down what came of it."""
    ready, _ = wait_for(running, timeout=1, return_when=FIRST_COMPLETED)
    count = 0
    for future in ready:
        work, now = running.pop(future), begin + timedelta(seconds=monotonic() - began)
        try:
            outcomes = future.result()
            settling.settle(work, outcomes, now)
            count += len(outcomes)
        except Exception:
            log.exception("The round of endpoint %s failed; it is tried again.", work.endpoint)
            settling.release(work.endpoint, work.claim, rests_until=now + BROKE)
    return count


def claimed(now: datetime, most: int) -> Iterator[Round]:
    """Rounds of endpoints that have something due and that nobody else is sending to; the healthy ones first."""
    if most <= 0:
        return
    due = EndpointMessage.objects.filter(state=EndpointMessage.State.WAITING, due_at__lte=now)
    awake = Endpoint.objects.filter(_free(now), ended_at=None, pause="", pk__in=due.values("endpoint"))
    for pk in list(awake.order_by("failures", "pk").values_list("pk", flat=True)[:most]):
        work = claim(pk, now)
        if work is not None:
            yield work


def _free(now: datetime) -> Q:
    rested = Q(rests_until=None) | Q(rests_until__lte=now)
    return rested & (Q(claimed_until=None) | Q(claimed_until__lt=now))


def claim(pk: int, now: datetime) -> Round | None:
    """Take an endpoint: a conditional update, so that one of any number of senders wins."""
    token = uuid4()
    mine = Endpoint.objects.filter(_free(now), pk=pk, ended_at=None, pause="")
    if not mine.update(claim=token, claimed_until=now + LEASE):
        return None
    endpoint = Endpoint.objects.get(pk=pk)
    due = endpoint.messages.filter(state=EndpointMessage.State.WAITING, due_at__lte=now).order_by("due_at", "pk")
    letters = tuple(Letter(m.pk, m.message_id, m.body) for m in due.only("pk", "message_id", "body")[:BATCH])
    try:
        address, secrets = sealing.address(endpoint), sealing.secrets(endpoint, now)
    except CannotOpen:
        log.exception("The address of endpoint %s does not open.", pk)
        settling.release(pk, str(token), rests_until=now + BROKE)
        return None
    return Round(pk, str(token), endpoint.form, address, secrets, letters, now)
