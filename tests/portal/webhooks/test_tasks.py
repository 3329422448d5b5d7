"""Tests that due messages get a job, and that a lost job is replaced."""

from datetime import timedelta
from typing import Any

import pytest

from portal.jobs.definitions import DEFAULT_LEASE, JobContext, LeaseLost
from portal.jobs.execution import claim
from portal.jobs.models import Job
from portal.webhooks import tasks
from tests.conftest import NOW
from tests.fakes.receiver import Receiver
from tests.portal.webhooks.conftest import send_due_deliveries
from tests.portal.webhooks.messages import CreateEndpoint, State, create_event_message, list_states

pytestmark = pytest.mark.django_db


def test_dead_sender_is_replaced_after_its_lease(
    endpoint: CreateEndpoint, receiver: Receiver, rocket: Any, alice: Any
) -> None:
    endpoint_row = endpoint()
    create_event_message(rocket, alice)
    tasks.enqueue_due_endpoints(NOW)
    died = claim(Job.objects.filter(kind="webhooks.deliver"), NOW)
    assert died is not None
    assert died.lease_token is not None
    assert send_due_deliveries(NOW) == 0
    assert send_due_deliveries(NOW + DEFAULT_LEASE) == 1
    assert list_states(endpoint_row) == [State.DELIVERED]
    with pytest.raises(LeaseLost):  # it writes nothing down
        JobContext(died.pk, died.attempts, died.lease_token, DEFAULT_LEASE).renew_lease()


def test_messages_whose_job_was_never_enqueued_are_found(endpoint: CreateEndpoint, rocket: Any, alice: Any) -> None:
    endpoint()
    create_event_message(rocket, alice)
    assert [tasks.enqueue_due_endpoints(NOW) for _ in range(2)] == [1, 0]
    Job.objects.filter(kind="webhooks.deliver").update(run_after=NOW + timedelta(days=1))
    assert [tasks.enqueue_due_endpoints(NOW) for _ in range(2)] == [1, 0]


def test_event_enqueues_the_job_of_its_endpoint(
    endpoint: CreateEndpoint, rocket: Any, alice: Any, django_capture_on_commit_callbacks: Any
) -> None:
    endpoint_row = endpoint()
    with django_capture_on_commit_callbacks(execute=True):
        create_event_message(rocket, alice)
    job = Job.objects.get(kind="webhooks.deliver")
    assert (job.dedup_key, job.run_after) == (str(endpoint_row.pk), NOW)
