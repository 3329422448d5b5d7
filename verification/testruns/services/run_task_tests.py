"""Which rehearsals are to go on, and how far? One open row an integration, claimed; played in pieces, never waited in.

Between two pieces the rehearsal is a row with a due moment, so that a result which takes an hour keeps nobody busy.
"""

import logging
import time
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.submissions.models import Integration
from portal.core import crypto
from portal.core.errors import NotAllowed
from portal.jobs.publishing import nudge
from verification import sources
from verification.checks.rules.run_task import KEY, KNOWN
from verification.checks.services import observations
from verification.checks.services.runs import enqueue, may_ask
from verification.testruns.kinds.run_task import callback_service, rules
from verification.testruns.kinds.run_task.callback_store import (
    ages,
    patiently,
    places_of,
    scenarios_of,
    seen_of,
    target_of,
)
from verification.testruns.kinds.run_task.driver import Target, is_hopeless, new_result_id, perform, waits_for
from verification.testruns.kinds.run_task.enforcement import effects
from verification.testruns.kinds.run_task.judging import Verdict
from verification.testruns.kinds.run_task.records import Seen, as_dict
from verification.testruns.kinds.run_task.scenario import Act
from verification.testruns.models import RunTaskRehearsal, RunTaskRequest

log = logging.getLogger(__name__)
CLAIM = timedelta(minutes=3)
SECONDS = 40.0  # that one piece may take before others have their turn
ROUND = 60.0  # seconds that a round of due rehearsals may take: checks wait behind it
PATIENCE = 4.0  # seconds that a piece waits for results, since most come at once
POLL = 0.2
PAUSE = timedelta(seconds=5)
REFUSAL = gettext_noop("Only owners and editors of the company and people of the program may do this.")


def begin(integration: Integration, given: dict[str, Any], *, by: Any, now: datetime) -> RunTaskRehearsal:
    """Ask for a rehearsal. `given`: url, key, stages, and for both scenarios workspace and plan. Raises NotAllowed."""
    if not may_ask(integration, by):
        raise NotAllowed(_(REFUSAL), "may")
    if not integration.is_open:
        raise NotAllowed(_("The integration has ended, so there is nothing to rehearse."), "gone")
    row = RunTaskRehearsal(
        integration=integration, url=given["url"], stages=list(given["stages"]), scenarios=scenarios_of(given),
        signed=bool(given["key"]), requested_by=by, requested_at=now, due_at=now,
    )  # fmt: skip
    if given["key"]:
        row.sealed = crypto.seal(crypto.Secret(given["key"]), row.context())
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:
        raise NotAllowed(_("A rehearsal is under way; wait for its end or stop it."), "busy") from None
    transaction.on_commit(lambda: nudge("verification.testruns.tasks.rehearse_one", row.pk))
    return row


def stop(integration: Integration, *, by: Any, now: datetime) -> None:
    """End the open rehearsal with what was seen so far. Raises NotAllowed."""
    if not may_ask(integration, by):
        raise NotAllowed(_(REFUSAL), "may")
    row = RunTaskRehearsal.objects.open().filter(integration=integration).first()
    if row is not None:
        _finish(row, now)


def run_due(now: datetime | None = None) -> int:
    """Take what is due one piece further, until a minute is gone. Returns how many were taken."""
    until, taken = time.monotonic() + ROUND, 0
    for pk in list(RunTaskRehearsal.objects.due(now or timezone.now()).values_list("pk", flat=True)[:20]):
        if time.monotonic() < until:
            taken += run_one(pk, now)
    return taken


def run_one(pk: int, now: datetime | None = None) -> bool:
    """Take one rehearsal a piece further, if it is due and in nobody's hands. Returns whether it was taken."""
    moment = now or timezone.now()
    claimed = RunTaskRehearsal.objects.due(moment).filter(pk=pk)
    if not claimed.update(claimed_until=moment + CLAIM):
        return False
    row = RunTaskRehearsal.objects.select_related("integration").get(pk=pk)
    try:
        key = crypto.unseal(bytes(row.sealed), row.context()).value if row.signed else ""
    except crypto.CannotOpen:
        _finish(row, timezone.now())  # the key that sealed it is gone; it has to be given again
        return True
    target, until = target_of(row, key), time.monotonic() + SECONDS
    if _ask(row, target, until):
        _await(row, until)
    else:
        RunTaskRehearsal.objects.filter(pk=row.pk).update(due_at=timezone.now(), claimed_until=None)
    return True


def _ask(row: RunTaskRehearsal, target: Target, until: float) -> bool:
    """Make the requests that are still to be made. Returns whether all are."""
    row.requests.filter(exchange={}).delete()  # whoever was sending it died; the platform would send it again too
    done = set(row.requests.values_list("act", flat=True))
    for act in target.script():
        if act.key in done:
            continue
        if time.monotonic() > until:
            return False
        if not patiently(lambda: _claim_on(row)):
            return True  # stopped meanwhile
        if _send(row, act, target):
            return True
    return True


def _claim_on(row: RunTaskRehearsal) -> int:
    return RunTaskRehearsal.objects.open().filter(pk=row.pk).update(claimed_until=timezone.now() + CLAIM)


def _send(row: RunTaskRehearsal, act: Act, target: Target) -> bool:
    """Make one request and keep it. Returns whether there is no use in further ones."""
    token, result_id = callback_service.new_token(), new_result_id()
    request = RunTaskRequest(
        rehearsal=row, act=act.key, token_hash=callback_service.hash_of(token), sent_at=timezone.now()
    )
    patiently(request.save)
    exchange = perform(act, target, places_of(request), token, result_id, sources.outbound())
    request.exchange = as_dict(exchange)
    patiently(lambda: request.save(update_fields=["exchange"]))
    patiently(lambda: _so_far(row, seen_of(row)))
    return is_hopeless(exchange)


def _await(row: RunTaskRehearsal, until: float) -> None:
    """Wait a little for results; then settle, finish, or come back later."""
    until = min(until, time.monotonic() + PATIENCE)
    while True:
        now, seen = timezone.now(), patiently(lambda: seen_of(row))
        waiting = waits_for(seen, patiently(lambda: ages(row.requests.all(), timezone.now())))
        if not waiting and row.settle_until is None:
            row.settle_until = now + timedelta(seconds=seen.limits.settle)
        if not waiting and row.settle_until is not None and now >= row.settle_until:
            patiently(lambda: _finish(row, timezone.now()))
            return
        if time.monotonic() > until:
            break
        time.sleep(POLL)
    patiently(lambda: _put_off(row, seen))


def _put_off(row: RunTaskRehearsal, seen: Seen) -> None:
    """Come back later, and let the page show what has come meanwhile."""
    _so_far(row, seen)
    later = {"due_at": timezone.now() + PAUSE, "claimed_until": None, "settle_until": row.settle_until}
    RunTaskRehearsal.objects.open().filter(pk=row.pk).update(**later)


def _so_far(row: RunTaskRehearsal, seen: Seen) -> None:
    """Keep the verdicts so far. Where it was stopped meanwhile, what has come since counts too, and it stays so."""
    if RunTaskRehearsal.objects.open().filter(pk=row.pk).exists():
        _judge(row, seen)
        return
    row.refresh_from_db(fields=["finished_at"])
    judge_again(row, timezone.now())


def _judge(row: RunTaskRehearsal, seen: Seen) -> tuple[Verdict, ...]:
    """Keep the verdicts on what was seen so far."""
    verdicts = rules.judge(seen)
    row.verdicts = [each.as_dict() for each in verdicts]
    row.effects = [each.as_dict() for each in effects(seen)]
    rows = RunTaskRehearsal.objects.all() if seen.over else RunTaskRehearsal.objects.open()
    rows.filter(pk=row.pk).update(verdicts=row.verdicts, effects=row.effects)
    return verdicts


@transaction.atomic
def _finish(row: RunTaskRehearsal, now: datetime) -> None:
    """End it: the last verdicts, the key forgotten, the check told."""
    outcome = str(rules.outcome_of(_judge(row, seen_of(row, over=True))))
    ended = {"finished_at": now, "claimed_until": None, "sealed": b"", "outcome": outcome}
    if RunTaskRehearsal.objects.open().filter(pk=row.pk).update(**ended):
        row.finished_at, row.outcome = now, outcome
        _remember(row, now)


def judge_again(row: RunTaskRehearsal, now: datetime) -> None:
    """Something came after the end: it counts too."""
    row.outcome = str(rules.outcome_of(_judge(row, seen_of(row, over=True))))
    RunTaskRehearsal.objects.filter(pk=row.pk).update(outcome=row.outcome)
    _remember(row, now)


def _remember(row: RunTaskRehearsal, now: datetime) -> None:
    """What the check says of it, as plain values; only the newest rehearsal counts."""
    newest = RunTaskRehearsal.objects.filter(integration=row.integration_id).exclude(finished_at=None).first()
    if newest is not None and newest.pk == row.pk:
        said = {
            "url": row.url, "stages": row.stages, "signed": row.signed, "outcome": row.outcome,
            "verdicts": row.verdicts, "at": (row.finished_at or now).isoformat(),
        }  # fmt: skip
        observations.remember(row.integration, KEY, {KNOWN: said}, now)
        enqueue(row.integration, row.requested_by, now, "A rehearsal has ended")
