"""Which rehearsals does the demo world show? Of a provider, a Nomad plugin and a run task as they were seen."""

import json
from datetime import datetime, timedelta
from pathlib import Path

from integrations.submissions.models import Integration
from portal.accounts.models import User
from verification.checks.rules import nomad_plugin, run_task
from verification.checks.services import observations
from verification.testruns.kinds.nomad_plugin import records
from verification.testruns.kinds.nomad_plugin.rules import catalog as of_plugins
from verification.testruns.kinds.provider_lifecycle.records import seen_of
from verification.testruns.kinds.provider_lifecycle.rules import catalog
from verification.testruns.kinds.run_task import enforcement
from verification.testruns.kinds.run_task import rules as of_run_tasks
from verification.testruns.kinds.run_task.records import Seen, as_dict, exchange_of, knock_of
from verification.testruns.models import LifecycleRehearsal, NomadRehearsal, RunTaskRehearsal

RECORDED = Path(__file__).with_name("data") / "lifecycle.json"
PLUGIN = Path(__file__).with_name("data") / "nomad.json"
RUN_TASK = Path(__file__).with_name("data") / "run_task.json"
VERSION = "1.4.0"


def lifecycle(integration: Integration, by: User, now: datetime) -> LifecycleRehearsal:
    """The recorded rehearsal, as if it had ended an hour before `now`."""
    recorded = json.loads(RECORDED.read_text("utf-8"))
    verdicts = catalog.judge(seen_of(recorded["seen"]))
    begun = now - timedelta(hours=1, minutes=1)
    return LifecycleRehearsal.objects.create(
        integration=integration, version=VERSION, base=recorded["base"], changed=recorded["changed"],
        hosts=["api.acme-rockets.example"], names=["ROCKET_TOKEN"], requested_by=by, requested_at=begun, due_at=begun,
        attempts=1, finished_at=now - timedelta(hours=1), outcome=str(catalog.outcome_of(verdicts)),
        seen=recorded["seen"], verdicts=[each.as_dict() for each in verdicts],
    )  # fmt: skip


def nomad(integration: Integration, by: User, now: datetime) -> NomadRehearsal:
    """The recorded rehearsal of a driver, as if it had ended two hours before `now`."""
    recorded = json.loads(PLUGIN.read_text("utf-8"))
    seen, begun = records.from_dict(recorded["seen"]), now - timedelta(hours=2)
    verdicts = of_plugins.judge(seen)
    outcome, plain = str(of_plugins.outcome_of(verdicts)), [each.as_dict() for each in verdicts]
    said = {**seen.claims, "outcome": outcome, "verdicts": plain, "at": begun.isoformat()}
    observations.remember(integration, nomad_plugin.KEY, {nomad_plugin.KNOWN: said}, now)
    return NomadRehearsal.objects.create(
        integration=integration, type=seen.claims["type"], name=seen.claims["name"], version=seen.claims["version"],
        config=recorded["config"], requested_by=by, requested_at=begun, due_at=begun, attempts=1,
        finished_at=begun + timedelta(seconds=5), outcome=outcome, seen=recorded["seen"], verdicts=plain,
    )  # fmt: skip


def of_a_run_task(integration: Integration, by: User, now: datetime) -> RunTaskRehearsal:
    """The recorded rehearsal of an endpoint that reports twice, as if it had ended three hours before `now`."""
    recorded = json.loads(RUN_TASK.read_text("utf-8"))
    exchanges = tuple(exchange_of(each) for each in recorded["exchanges"])
    seen = Seen(exchanges, tuple(knock_of(each) for each in recorded["knocks"]), over=True)
    verdicts, begun = of_run_tasks.judge(seen), now - timedelta(hours=3)
    row = RunTaskRehearsal.objects.create(
        integration=integration, url=exchanges[0].url, stages=["post_plan", "pre_apply"], signed=True, requested_by=by,
        requested_at=begun, due_at=begun, finished_at=begun + timedelta(seconds=4),
        outcome=str(of_run_tasks.outcome_of(verdicts)), verdicts=[each.as_dict() for each in verdicts],
        effects=[each.as_dict() for each in enforcement.effects(seen)],
    )  # fmt: skip
    for number, exchange in enumerate(exchanges):
        sent = row.requests.create(
            act=exchange.act, token_hash=f"recorded {number}", sent_at=begun, exchange=as_dict(exchange)
        )
        for knock in seen.knocks_of(exchange.act):
            sent.callbacks.create(at=begun, is_final=knock.is_final, seen=as_dict(knock))
    said = {"url": row.url, "stages": row.stages, "signed": True, "outcome": row.outcome, "verdicts": row.verdicts}
    observations.remember(integration, run_task.KEY, {run_task.KNOWN: said | {"at": begun.isoformat()}}, now)
    return row
