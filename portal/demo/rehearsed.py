"""Which rehearsals does the demo world show? Of a provider and a Nomad plugin as they were seen, under other names."""

import json
from datetime import datetime, timedelta
from pathlib import Path

from integrations.models import Integration
from portal.accounts.models import User
from verification import observations
from verification.checks import nomad_plugin
from verification.models import LifecycleRehearsal, NomadRehearsal
from verification.rehearsal.lifecycle import rules
from verification.rehearsal.lifecycle.record import seen_of
from verification.rehearsal.nomad import record
from verification.rehearsal.nomad import rules as of_plugins

RECORDED = Path(__file__).with_name("lifecycle.json")
PLUGIN = Path(__file__).with_name("nomad.json")
VERSION = "1.4.0"


def lifecycle(integration: Integration, by: User, now: datetime) -> LifecycleRehearsal:
    """The recorded rehearsal, as if it had ended an hour before `now`."""
    recorded = json.loads(RECORDED.read_text("utf-8"))
    verdicts = rules.judge(seen_of(recorded["seen"]))
    begun = now - timedelta(hours=1, minutes=1)
    return LifecycleRehearsal.objects.create(
        integration=integration, version=VERSION, base=recorded["base"], changed=recorded["changed"],
        hosts=["api.acme-rockets.example"], names=["ROCKET_TOKEN"], requested_by=by, requested_at=begun, due_at=begun,
        attempts=1, finished_at=now - timedelta(hours=1), outcome=str(rules.outcome_of(verdicts)),
        seen=recorded["seen"], verdicts=[each.as_dict() for each in verdicts],
    )  # fmt: skip


def nomad(integration: Integration, by: User, now: datetime) -> NomadRehearsal:
    """The recorded rehearsal of a driver, as if it had ended two hours before `now`."""
    recorded = json.loads(PLUGIN.read_text("utf-8"))
    seen, begun = record.from_dict(recorded["seen"]), now - timedelta(hours=2)
    verdicts = of_plugins.judge(seen)
    outcome, plain = str(of_plugins.outcome_of(verdicts)), [each.as_dict() for each in verdicts]
    said = {**seen.claims, "outcome": outcome, "verdicts": plain, "at": begun.isoformat()}
    observations.remember(integration, nomad_plugin.KEY, {nomad_plugin.KNOWN: said}, now)
    return NomadRehearsal.objects.create(
        integration=integration, type=seen.claims["type"], name=seen.claims["name"], version=seen.claims["version"],
        config=recorded["config"], requested_by=by, requested_at=begun, due_at=begun, attempts=1,
        finished_at=begun + timedelta(seconds=5), outcome=outcome, seen=recorded["seen"], verdicts=plain,
    )  # fmt: skip
