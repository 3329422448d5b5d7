"""Tests of enqueueing: transactions, keys, and messages to workers."""

import socket
from datetime import timedelta

import pytest
from django.db import transaction

from portal.jobs.definitions import job
from portal.jobs.models import Job
from portal.jobs.services import KEEP_FAILED, KEEP_SUCCEEDED, cancel_job, enqueue, prune_finished
from tests.portal.jobs.conftest import NOW
from tests.portal.jobs.sample_jobs import deliver
from tests.servers.broker import use_broker

MINUTE = timedelta(minutes=1)


def list_jobs(*fields):
    return list(Job.objects.order_by("pk").values_list(*fields))


@pytest.mark.django_db
def test_enqueue_stores_its_arguments(frozen_time):
    enqueue(deliver, thing=7, dedup_key="7", resource="endpoint:7", run_after=NOW + MINUTE, priority=5)
    assert Job.objects.values().get() == {
        "id": Job.objects.get().pk,
        "kind": "tests.deliver",
        "dedup_key": "7",
        "payload": {"thing": 7},
        "queue": "webhooks",
        "priority": 5,
        "state": "pending",
        "run_after": NOW + MINUTE,
        "attempts": 0,
        "lease_token": None,
        "lease_expires_at": None,
        "rerun_requested": False,
        "cancel_requested": False,
        "resource": "endpoint:7",
        "progress": {},
        "error_code": "",
        "error_message": "",
        "created_at": NOW,
        "started_at": None,
        "finished_at": None,
    }


@pytest.mark.django_db(transaction=True)
def test_enqueue_in_a_transaction_that_rolls_back_enqueues_nothing():
    with transaction.atomic():
        enqueue(deliver, thing=1)
        transaction.set_rollback(True)
    assert list_jobs("pk") == []


@pytest.mark.django_db
def test_enqueue_twice_with_a_key_brings_the_pending_job_forward(frozen_time):
    enqueue(deliver, thing=1, dedup_key="1", run_after=NOW + 2 * MINUTE, priority=1)
    enqueue(deliver, thing=1, dedup_key="1", run_after=NOW + 3 * MINUTE)
    assert list_jobs("run_after", "priority") == [(NOW + 2 * MINUTE, 1)]
    enqueue(deliver, thing=2, dedup_key="1", priority=4)
    assert list_jobs("run_after", "priority", "payload") == [(NOW, 4, {"thing": 2})]


@pytest.mark.django_db
def test_enqueue_without_a_key_or_with_another_adds_a_job(frozen_time):
    for key in ("", "", "1", "2"):
        enqueue(deliver, dedup_key=key)
    assert list_jobs("dedup_key") == [("",), ("",), ("1",), ("2",)]


@pytest.mark.django_db
def test_enqueue_refuses_a_payload_that_does_not_match_the_function():
    with pytest.raises(TypeError, match="unexpected keyword argument 'endpoint'"):
        enqueue(deliver, endpoint=7)


def test_definition_requires_a_known_queue_and_a_unique_kind():
    with pytest.raises(ValueError, match=r"The queue of tests.new must be one of clocks, email, .*, not 'nowhere'"):
        job("tests.new", queue="nowhere")
    with pytest.raises(ValueError, match=r"The job tests.deliver is already defined"):
        job("tests.deliver", queue="webhooks")(deliver.function)


@pytest.mark.django_db
def test_enqueue_publishes_due_jobs_after_the_commit(monkeypatch, frozen_time, django_capture_on_commit_callbacks):
    published = []
    monkeypatch.setattr("portal.jobs.services.publish_jobs", published.append)
    with django_capture_on_commit_callbacks(execute=True):
        due = enqueue(deliver, thing=1)
        enqueue(deliver, thing=2, run_after=NOW + MINUTE)
        assert published == []
    assert published == [[due.pk]]


@pytest.fixture(params=["closed", "silent"])
def dead_broker(request, settings):
    """URL of a broker that is stopped, or that accepts connections and never answers."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))  # refuses connections until it listens
    address = f"redis://127.0.0.1:{listener.getsockname()[1]}/0"
    if request.param == "silent":
        listener.listen()
    settings.REDIS_URL = address
    with use_broker(address):
        yield
    listener.close()


@pytest.mark.django_db(transaction=True)
def test_enqueue_while_the_broker_is_down_enqueues(dead_broker, caplog, monkeypatch):
    timeouts = []
    set_timeout = socket.socket.settimeout
    monkeypatch.setattr(socket.socket, "settimeout", lambda *call: timeouts.append(call[1]) or set_timeout(*call))
    enqueue(deliver, thing=1)
    assert set(timeouts) == {0.3}
    assert len(timeouts) <= 4  # two attempts, each with a timeout to connect and one to read
    assert list_jobs("state", "payload") == [("pending", {"thing": 1})]
    assert caplog.messages == ["Jobs that could not be published and start later: 1."]


@pytest.mark.django_db
def test_cancel_ends_a_pending_job_and_no_finished_job(frozen_time):
    waiting = enqueue(deliver)
    assert (cancel_job(waiting), cancel_job(waiting)) == (True, False)
    assert list_jobs("state", "finished_at") == [("canceled", NOW)]


@pytest.mark.django_db
def test_prune_deletes_jobs_that_succeeded_a_day_ago_or_failed_a_week_ago(frozen_time):
    for state, age in (("succeeded", KEEP_SUCCEEDED), ("canceled", KEEP_SUCCEEDED), ("failed", KEEP_FAILED)):
        for finished_at in (NOW - age - MINUTE, NOW - age):
            row = enqueue(deliver)
            Job.objects.filter(pk=row.pk).update(state=state, finished_at=finished_at)
    enqueue(deliver)
    assert prune_finished(NOW) == 3
    assert list_jobs("state", "finished_at") == [
        ("succeeded", NOW - KEEP_SUCCEEDED),
        ("canceled", NOW - KEEP_SUCCEEDED),
        ("failed", NOW - KEEP_FAILED),
        ("pending", None),
    ]
