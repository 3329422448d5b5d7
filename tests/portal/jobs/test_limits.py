"""Tests of resource limits: blocked resources and concurrency."""

from datetime import timedelta

import pytest
from django.utils import timezone

from portal.jobs import limits
from portal.jobs.definitions import ResourceBlocked
from portal.jobs.execution import claim, execute, run_due_jobs, run_job
from portal.jobs.models import Job, ResourceLimit
from portal.jobs.services import enqueue
from tests.portal.jobs.conftest import NOW
from tests.portal.jobs.sample_jobs import LEASE, calls, deliver, steps

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
KEY = "endpoint:7"


@pytest.fixture(autouse=True)
def clock(frozen_time):
    return frozen_time


def block_resource(until=None):
    def step(context):
        raise ResourceBlocked(until)

    return step


def claim_now(job, now=NOW):
    return claim(Job.objects.filter(pk=job.pk), now)


def read_limit(*fields):
    return ResourceLimit.objects.filter(key=KEY).values_list(*fields).get()


def test_blocked_resource_stops_its_jobs_until_its_time(clock):
    for thing, resource in ((1, KEY), (2, KEY), (3, "endpoint:8")):
        enqueue(deliver, thing=thing, resource=resource)
    steps.append(block_resource(NOW + MINUTE))
    assert run_due_jobs("webhooks", NOW) == {"tests.deliver": 2}
    assert calls == [(1, 1), (3, 1)]
    blocked = Job.objects.get(payload={"thing": 1})
    assert (blocked.state, blocked.run_after, blocked.attempts) == ("pending", NOW + MINUTE, 0)
    assert read_limit("blocked_until", "failure_count") == (NOW + MINUTE, 1)
    clock.shift(MINUTE)
    assert run_due_jobs("webhooks", NOW + MINUTE) == {"tests.deliver": 2}
    assert read_limit("blocked_until", "failure_count") == (None, 0)


def test_resource_that_stays_blocked_is_tried_after_growing_waits(clock):
    job = enqueue(deliver, resource=KEY)
    waits = []
    for _ in range(4):
        steps.append(block_resource())
        assert run_job(job.pk)
        job.refresh_from_db()
        waits.append((job.run_after - timezone.now()).total_seconds())
        clock.move_to(job.run_after, tick=False)
    assert (waits, job.attempts, job.state) == ([10, 20, 40, 40], 0, "pending")


@pytest.mark.parametrize(
    ("configured", "declared", "expected"), [(2, None, 2), (None, 1, 1), (2, 1, 2), (None, None, 3)]
)
def test_concurrent_jobs_of_a_resource_are_limited(monkeypatch, configured, declared, expected):
    monkeypatch.setattr(limits, "DECLARED_CONCURRENCY", {"endpoint": declared} if declared else {})
    if configured:
        ResourceLimit.objects.create(key=KEY, max_concurrency=configured)
    jobs = [enqueue(deliver, thing=thing, resource=KEY) for thing in range(3)]
    other = enqueue(deliver, thing=3, resource="endpoint:8")
    claimed = [job for job in jobs if claim_now(job)]
    assert len(claimed) == expected
    assert claim_now(other) is not None


def test_next_job_of_a_resource_is_published_when_one_ends(monkeypatch):
    monkeypatch.setattr(limits, "DECLARED_CONCURRENCY", {"endpoint": 1})
    published = []
    monkeypatch.setattr("portal.jobs.execution.publish_jobs", published.append)
    first = enqueue(deliver, resource=KEY)
    second = enqueue(deliver, resource=KEY)
    claimed = claim_now(first)
    assert claim_now(second) is None
    execute(claimed)
    assert published == [[second.pk]]
    assert claim_now(second) is not None


def test_slot_of_a_dead_process_is_released(monkeypatch, clock):
    monkeypatch.setattr(limits, "DECLARED_CONCURRENCY", {"endpoint": 1})
    first = enqueue(deliver, resource=KEY)
    second = enqueue(deliver, resource=KEY)
    assert claim_now(first)
    clock.shift(LEASE)
    assert claim_now(second, NOW + LEASE)
    assert claim_now(first, NOW + LEASE) is None
