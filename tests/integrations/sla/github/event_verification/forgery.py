"""Forged webhooks, and the polls that verify them."""

import json
from copy import deepcopy
from datetime import timedelta
from typing import Any

import time_machine

from integrations.sla.github import delivery_processing, reconciliation
from integrations.sla.models import MonitoredRepository
from portal.jobs.execution import run_due_jobs
from tests.fakes.github.tracker import Tracker, WebhookDelivery
from tests.integrations.sla.monitored_repository import (
    OPENED_AT,
    post_delivery,
)

HOUR = timedelta(hours=1)
ANSWER = "It is fixed in 1.2."


def poll(monitored_repository: MonitoredRepository, hour: float) -> None:
    now = OPENED_AT + hour * HOUR
    MonitoredRepository.objects.filter(pk=monitored_repository.pk).update(poll_at=now)
    with time_machine.travel(now, tick=False):
        reconciliation.enqueue_due_repositories(now)
        assert run_due_jobs("network", now) == {"sla.reconcile": 1}
    monitored_repository.refresh_from_db()


def forge(monitored_repository: MonitoredRepository, tracker: Tracker, change: Any, hour: float) -> None:
    """Deliver correctly signed webhooks of changes that only a copy of the tracker has."""
    copy = deepcopy(tracker)
    change(copy)
    now = OPENED_AT + hour * HOUR
    with time_machine.travel(now, tick=False):  # deletions have the time of their delivery
        for delivery in copy.webhooks[len(tracker.webhooks) :]:
            assert post_delivery(monitored_repository, delivery) == 202
    delivery_processing.process_due_deliveries(now)


def deliver_changed(
    monitored_repository: MonitoredRepository, delivery: WebhookDelivery, hour: float, **changes: Any
) -> None:
    """Deliver a correctly signed webhook of GitHub with changes by the company."""
    data = json.loads(delivery.body)
    for name, values in changes.items():
        data[name] |= values
    forged = WebhookDelivery(f"forged {hour}", delivery.event, json.dumps(data).encode())
    assert post_delivery(monitored_repository, forged) == 202
    delivery_processing.process_due_deliveries(OPENED_AT + hour * HOUR)
