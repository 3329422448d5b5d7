"""Recorded test runs of the demo world: a provider, a Nomad plugin, and a run task."""

import json
from datetime import datetime, timedelta
from pathlib import Path

from integrations.submissions.models import Integration
from portal.accounts.models import User
from verification.checks.rules import nomad_plugin, run_task
from verification.checks.services import observations
from verification.testruns.kinds.nomad_plugin import records
from verification.testruns.kinds.nomad_plugin.rules import catalog as of_plugins
from verification.testruns.kinds.provider_lifecycle.records import load_records
from verification.testruns.kinds.provider_lifecycle.rules import catalog
from verification.testruns.kinds.run_task import enforcement
from verification.testruns.kinds.run_task import rules as of_run_tasks
from verification.testruns.kinds.run_task.records import RunTaskRecords, load_callback, load_exchange, serialize_record
from verification.testruns.models import LifecycleRehearsal, NomadRehearsal, RunTaskRehearsal

LIFECYCLE_FILE = Path(__file__).with_name("data") / "lifecycle.json"
PLUGIN_FILE = Path(__file__).with_name("data") / "nomad.json"
RUN_TASK_FILE = Path(__file__).with_name("data") / "run_task.json"
VERSION = "1.4.0"


def create_lifecycle_test(integration: Integration, by: User, now: datetime) -> LifecycleRehearsal:
    """Create the recorded provider acceptance test, finished an hour ago."""
    recording = json.loads(LIFECYCLE_FILE.read_text("utf-8"))
    results = catalog.judge(load_records(recording["seen"]))
    started_at = now - timedelta(hours=1, minutes=1)
    return LifecycleRehearsal.objects.create(
        integration=integration,
        version=VERSION,
        base=recording["base"],
        changed=recording["changed"],
        hosts=["api.acme-rockets.example"],
        names=["ROCKET_TOKEN"],
        requested_by=by,
        requested_at=started_at,
        finished_at=now - timedelta(hours=1),
        outcome=str(catalog.compute_outcome(results)),
        seen=recording["seen"],
        verdicts=[each.as_dict() for each in results],
    )


def create_nomad_plugin_test(integration: Integration, by: User, now: datetime) -> NomadRehearsal:
    """Create the recorded Nomad driver test, finished two hours ago."""
    recording = json.loads(PLUGIN_FILE.read_text("utf-8"))
    test_records, started_at = records.load_records(recording["seen"]), now - timedelta(hours=2)
    results = of_plugins.judge(test_records)
    outcome, serialized_results = str(of_plugins.compute_outcome(results)), [each.as_dict() for each in results]
    observation = {
        **test_records.claims,
        "outcome": outcome,
        "verdicts": serialized_results,
        "at": started_at.isoformat(),
    }
    observations.store_observation(
        integration, nomad_plugin.CHECK_KEY, {nomad_plugin.OBSERVATION_KEY: observation}, now
    )
    return NomadRehearsal.objects.create(
        integration=integration,
        type=test_records.claims["type"],
        name=test_records.claims["name"],
        version=test_records.claims["version"],
        config=recording["config"],
        requested_by=by,
        requested_at=started_at,
        finished_at=started_at + timedelta(seconds=5),
        outcome=outcome,
        seen=recording["seen"],
        verdicts=serialized_results,
    )


def create_run_task_test(integration: Integration, by: User, now: datetime) -> RunTaskRehearsal:
    """Create the recorded test of a run task that reports twice, finished three hours ago."""
    recording = json.loads(RUN_TASK_FILE.read_text("utf-8"))
    exchanges = tuple(load_exchange(each) for each in recording["exchanges"])
    test_records = RunTaskRecords(exchanges, tuple(load_callback(each) for each in recording["knocks"]), over=True)
    results, started_at = of_run_tasks.judge(test_records), now - timedelta(hours=3)
    test_run = RunTaskRehearsal.objects.create(
        integration=integration, url=exchanges[0].url, stages=["post_plan", "pre_apply"], signed=True, requested_by=by,
        requested_at=started_at, finished_at=started_at + timedelta(seconds=4),
        outcome=str(of_run_tasks.compute_outcome(results)), verdicts=[each.as_dict() for each in results],
        effects=[each.as_dict() for each in enforcement.build_effects(test_records)],
    )  # fmt: skip
    for number, exchange in enumerate(exchanges):
        request = test_run.requests.create(
            act=exchange.act, token_hash=f"recorded {number}", sent_at=started_at, exchange=serialize_record(exchange)
        )
        for knock in test_records.list_callbacks(exchange.act):
            request.callbacks.create(at=started_at, is_final=knock.is_final, seen=serialize_record(knock))
    observation = {
        "url": test_run.url,
        "stages": test_run.stages,
        "signed": True,
        "outcome": test_run.outcome,
        "verdicts": test_run.verdicts,
    }
    observations.store_observation(
        integration, run_task.CHECK_KEY, {run_task.OBSERVATION_KEY: observation | {"at": started_at.isoformat()}}, now
    )
    return test_run
