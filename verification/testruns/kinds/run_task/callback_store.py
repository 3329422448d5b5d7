"""Where do the results of the portal's own rehearsals come in? The desk in the database, one transaction a call."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.urls import reverse
from django.utils import timezone

from verification.testruns.kinds.run_task import callback_service
from verification.testruns.kinds.run_task.driver import Target, waits_for
from verification.testruns.kinds.run_task.protocol import FAILING, PASSING, Places, Scenario, configuration_of
from verification.testruns.kinds.run_task.records import Knock, Limits, Seen, as_dict, exchange_of, knock_of
from verification.testruns.models import RunTaskCallback, RunTaskRehearsal, RunTaskRequest

T = TypeVar("T")
LIMITS = Limits()
TRIES, PAUSE = 20, 0.05
MOST_CALLS = 60  # of one request that are kept; more than that say nothing new


def patiently(does: Callable[[], T]) -> T:
    """What the function gives, tried again while the database is locked: a lost result would be laid at the
    partner's door. It must be fit to be done twice.
    """
    for _ in range(TRIES - 1):
        try:
            return does()
        except OperationalError:
            if connection.in_atomic_block:
                raise
            time.sleep(PAUSE)
    return does()


def places_of(request: RunTaskRequest) -> Places:
    """The addresses that an endpoint is given."""
    names = ("run_task_callback", "run_task_plan", "run_task_configuration")
    return Places(*(settings.SITE_URL.rstrip("/") + reverse(name, args=[request.uuid]) for name in names))


def target_of(row: RunTaskRehearsal, key: str) -> Target:
    """What is rehearsed, as the driver wants it."""
    found = {name: Scenario(**row.scenarios.get(name, {}) or _plain(scenario)) for name, scenario in USUAL.items()}
    return Target(row.url, key, tuple(row.stages), found, LIMITS, str(row.uuid), row.requested_at)


USUAL = {"passing": PASSING, "failing": FAILING}


def _plain(scenario: Scenario) -> dict[str, str]:
    return {"name": scenario.name, "workspace": scenario.workspace, "message": scenario.message, "plan": scenario.plan}


def scenarios_of(given: dict[str, Any]) -> dict[str, dict[str, str]]:
    """The two scenarios with what the partner wrote in the place of the usual. `given`: passing_plan and such."""
    found = {}
    for name, usual in USUAL.items():
        own = {what: given[f"{name}_{what}"] for what in ("workspace", "plan")}
        found[name] = _plain(usual) | {what: value for what, value in own.items() if value}
    return found


def seen_of(row: RunTaskRehearsal, *, over: bool = False) -> Seen:
    """Everything that was seen so far."""
    requests = [each for each in row.requests.all() if each.exchange]
    calls = list(RunTaskCallback.objects.filter(request__rehearsal=row).select_related("request"))
    knocks = tuple(knock_of(call.seen) for call in calls)
    seen = Seen(tuple(exchange_of(each.exchange) for each in requests), knocks, row.signed, over, LIMITS)
    return replace(seen, awaited=_awaited(row, seen, calls)) if over else seen


def _awaited(row: RunTaskRehearsal, seen: Seen, calls: Sequence[RunTaskCallback]) -> tuple[str, ...]:
    """The runs whose result was still to come at the end: there are some only where somebody stopped it."""
    end = row.finished_at or timezone.now()
    by_then = replace(seen, knocks=tuple(knock_of(call.seen) for call in calls if call.at <= end))
    return tuple(waits_for(by_then, ages(row.requests.all(), end)))


def _place(request: RunTaskRequest, now: datetime) -> callback_service.Place:
    others = RunTaskRequest.objects.filter(rehearsal=request.rehearsal_id).exclude(pk=request.pk)
    final = request.callbacks.filter(is_final=True).exists()
    hashes = dict(others.values_list("token_hash", "act"))
    age = (now - request.sent_at).total_seconds()
    return callback_service.Place(request.act, request.token_hash, age, final, hashes, LIMITS.end)


def take(uuid: UUID, call: callback_service.Call, now: datetime) -> tuple[int, str, RunTaskRehearsal | None]:
    """Note a call and say what it is answered: status and sentence. The rehearsal, where it had ended before."""
    with transaction.atomic():
        request = RunTaskRequest.objects.select_for_update(of=("self",)).filter(uuid=uuid).first()
        if request is None:
            return 404, "There is no such result.", None
        if request.callbacks.count() >= MOST_CALLS:
            return 429, "Too much has been sent for this result.", None
        knock, sentence = callback_service.take(_place(request, now), call)
        _note(request, knock, now)
    row = request.rehearsal
    return knock.answered, sentence, row if row.finished_at is not None else None


def _note(request: RunTaskRequest, knock: Knock, now: datetime) -> None:
    request.callbacks.create(at=now, is_final=knock.is_final, seen=as_dict(knock))


def give(uuid: UUID, what: str, authorization: str, now: datetime) -> bytes | None:
    """The plan or the configuration for whoever has the run's token; None for everybody else."""
    request = RunTaskRequest.objects.select_related("rehearsal").filter(uuid=uuid).first()
    if request is None or callback_service.token_state(_place(request, now), authorization) not in ("right", "used"):
        return None
    target = target_of(request.rehearsal, "")
    scenario = target.scenarios.get(request.act.partition(".")[0], target.scenarios["passing"])
    return scenario.plan.encode() if what == "plan" else configuration_of(scenario)


def ages(requests: Iterable[RunTaskRequest], now: datetime) -> dict[str, float]:
    """Seconds since each was sent."""
    return {each.act: (now - each.sent_at).total_seconds() for each in requests}
