"""Tests of error messages with characters that databases refuse."""

import pytest

from portal.jobs.definitions import PermanentFailure
from portal.jobs.execution import run_job
from portal.jobs.services import enqueue
from tests.portal.jobs.sample_jobs import deliver, failures, steps

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("text", ["a\x00b", "a\udcffb"])
def test_error_message_is_stored_without_characters_that_databases_refuse(text):
    def fail(context):
        raise PermanentFailure("refused", text)

    job = enqueue(deliver, thing=7)
    steps.append(fail)
    run_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error_message) == ("failed", "ab")
    assert failures == [({"thing": 7}, "ab")]
