"""Tests of jobs whose process died."""

import pytest

from portal.jobs.execution import claim, run_due_jobs
from portal.jobs.models import Job
from portal.jobs.services import enqueue
from tests.portal.jobs.conftest import NOW
from tests.portal.jobs.sample_jobs import LEASE, calls, charge

pytestmark = [pytest.mark.any_database, pytest.mark.django_db]


def test_round_continues_after_abandoned_jobs(frozen_time):
    abandoned = [enqueue(charge, thing=thing) for thing in (1, 2)]
    for job in abandoned:
        claim(Job.objects.filter(pk=job.pk), NOW)
    enqueue(charge, thing=3)
    frozen_time.shift(LEASE)
    assert run_due_jobs("sandbox", NOW + LEASE) == {"tests.charge": 1}
    assert calls == [(3, 1)]
    assert list(Job.objects.order_by("pk").values_list("state", flat=True)) == ["failed", "failed", "succeeded"]
