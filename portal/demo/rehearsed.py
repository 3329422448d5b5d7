"""Which rehearsal does the demo world show? A lifecycle as it was seen, of a provider that reads otherwise."""

import json
from datetime import datetime, timedelta
from pathlib import Path

from integrations.models import Integration
from portal.accounts.models import User
from verification.models import LifecycleRehearsal
from verification.rehearsal.lifecycle import rules
from verification.rehearsal.lifecycle.record import seen_of

RECORDED = Path(__file__).with_name("lifecycle.json")
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
