"""Tests of execution with a frozen clock: leases, retries, reruns, failures, and cancellation."""

from datetime import timedelta

import pytest

from portal.jobs.definitions import LeaseLost, PermanentFailure, Reschedule, RetryLater
from portal.jobs.execution import JobOutcome, claim, execute, record_outcome, run_due_jobs, run_job
from portal.jobs.models import Job
from portal.jobs.services import cancel_job, enqueue
from tests.portal.jobs.conftest import NOW
from tests.portal.jobs.sample_jobs import LEASE, SHORT_LEASE, calls, charge, deliver, failures, log, retry_once, steps

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)
PROCESS_ENDED = "The process that ran the job ended before the job did."


@pytest.fixture(autouse=True)
def clock(frozen_time):
    return frozen_time


def build_failing_step(error):
    def step(context):
        raise error

    return step


def read_fields(job, *fields):
    return Job.objects.filter(pk=job.pk).values_list(*fields).get()


def claim_one(job):
    """Claim a job like a process that dies before it settles it."""
    return claim(Job.objects.filter(pk=job.pk), NOW)


def test_job_runs_once_and_succeeds():
    job = enqueue(deliver, thing=7)
    assert (run_job(job.pk), run_job(job.pk)) == (True, False)
    assert calls == [(7, 1)]
    assert read_fields(job, "state", "attempts", "lease_token", "lease_expires_at", "started_at", "finished_at") == (
        "succeeded",
        1,
        None,
        None,
        NOW,
        NOW,
    )


def test_job_does_not_start_before_its_time(clock):
    job = enqueue(deliver, run_after=NOW + SECOND)
    assert run_job(job.pk) is False
    clock.shift(SECOND)
    assert run_job(job.pk) is True


def test_jobs_of_a_queue_run_by_priority_then_age(clock):
    for thing, priority in ((1, 0), (2, 5), (3, 0)):
        enqueue(deliver, thing=thing, priority=priority)
        clock.shift(SECOND)
    enqueue(charge, thing=4)
    assert run_due_jobs("webhooks", NOW + 9 * SECOND) == {"tests.deliver": 3}
    assert calls == [(2, 1), (1, 1), (3, 1)]


def test_job_whose_process_dies_repeatedly_waits_for_its_backoff(clock):
    job = enqueue(log, thing=1)
    now = NOW
    for _ in range(2):  # after the first death it restarts immediately
        assert claim(Job.objects.filter(pk=job.pk), now)
        now += SHORT_LEASE
    clock.move_to(now, tick=False)
    assert claim(Job.objects.filter(pk=job.pk), now) is None
    assert read_fields(job, "state", "attempts", "error_code", "error_message") == (
        "pending",
        2,
        "lease_expired",
        PROCESS_ENDED,
    )
    assert 20 * SECOND <= read_fields(job, "run_after")[0] - now <= 22 * SECOND


def test_unknown_kind_waits_for_a_newer_worker():
    job = enqueue(deliver)
    Job.objects.update(kind="tests.of_a_newer_release")
    assert (run_job(job.pk), run_due_jobs("webhooks", NOW)) == (False, {})
    assert read_fields(job, "state") == ("pending",)


def test_retries_follow_the_backoff_until_it_gives_up(clock):
    job = enqueue(deliver, thing=1)
    steps.extend([build_failing_step(OSError("no route"))] * 5)
    starts = []
    while read_fields(job, "state") == ("pending",):
        clock.move_to(read_fields(job, "run_after")[0], tick=False)
        starts.append((read_fields(job, "run_after")[0] - NOW).total_seconds())
        assert run_job(job.pk)
    assert starts == [0, 10, 30, 70, 110]
    assert read_fields(job, "state", "attempts", "error_code", "error_message") == (
        "failed",
        5,
        "unexpected_error",
        "OSError: no route",
    )
    assert failures == [({"thing": 1}, "An unexpected error occurred on our side.")]


def test_retry_later_waits_for_its_delay_and_counts_as_an_attempt():
    job = enqueue(deliver)
    steps.append(build_failing_step(RetryLater("busy", after=timedelta(seconds=45))))
    run_job(job.pk)
    assert read_fields(job, "state", "run_after", "attempts", "error_code", "error_message") == (
        "pending",
        NOW + timedelta(seconds=45),
        1,
        "retry_later",
        "busy",
    )


def test_retry_later_is_given_up_after_the_last_attempt(clock):
    job = enqueue(retry_once)
    steps.extend([build_failing_step(RetryLater("busy")), build_failing_step(RetryLater("still busy"))])
    run_job(job.pk)
    clock.shift(timedelta(seconds=10))
    run_job(job.pk)
    assert read_fields(job, "state", "attempts", "error_message") == ("failed", 2, "still busy")


def test_permanent_failure_is_not_retried():
    job = enqueue(deliver, thing=1)
    steps.append(build_failing_step(PermanentFailure("endpoint_gone", "It answered 410.")))
    run_job(job.pk)
    assert read_fields(job, "state", "attempts", "error_code", "error_message", "finished_at") == (
        "failed",
        1,
        "endpoint_gone",
        "It answered 410.",
        NOW,
    )
    assert failures == [({"thing": 1}, "It answered 410.")]


def test_reschedule_runs_again_as_a_new_job(clock):
    job = enqueue(deliver)
    steps.append(lambda _: Reschedule(NOW + SECOND))
    run_job(job.pk)
    assert read_fields(job, "state", "run_after", "attempts", "started_at") == ("pending", NOW + SECOND, 0, None)
    clock.shift(SECOND)
    assert run_job(job.pk)
    assert calls == [(0, 1), (0, 1)]


def test_request_while_a_job_runs_runs_it_again():
    job = enqueue(deliver, thing=1, dedup_key="1")
    steps.append(lambda _: enqueue(deliver, thing=2, dedup_key="1") and None)
    assert run_due_jobs("webhooks", NOW) == {"tests.deliver": 2}
    assert calls == [(1, 1), (2, 1)]
    assert (Job.objects.count(), read_fields(job, "state", "rerun_requested")) == (1, ("succeeded", False))


def test_request_for_later_while_a_job_runs_runs_it_again_then():
    job = enqueue(deliver, dedup_key="1")
    later = NOW + timedelta(hours=2)
    earlier = NOW + timedelta(hours=1)
    steps.append(lambda _: [enqueue(deliver, dedup_key="1", run_after=at) for at in (later, earlier)] and None)
    run_job(job.pk)
    assert read_fields(job, "state", "run_after", "attempts") == ("pending", earlier, 0)


def test_request_while_a_job_fails_for_good_runs_it_again():
    job = enqueue(deliver, dedup_key="1")

    def step(context):
        enqueue(deliver, dedup_key="1")
        raise PermanentFailure("gone")

    steps.append(step)
    run_job(job.pk)
    assert (read_fields(job, "state", "run_after", "attempts"), failures) == (("pending", NOW, 0), [])


def test_job_whose_lease_expired_runs_again(clock):
    job = enqueue(deliver)
    claim_one(job)
    clock.shift(LEASE - SECOND)
    assert run_job(job.pk) is False
    clock.shift(SECOND)
    assert run_job(job.pk) is True
    assert (calls, read_fields(job, "state")) == ([(0, 2)], ("succeeded",))


def test_renewed_lease_keeps_the_job(clock):
    job = enqueue(deliver)
    others = []

    def step(context):
        for _ in range(3):
            clock.shift(LEASE - SECOND)
            context.report_progress(step="fetch", percent=50)
            others.append(run_job(job.pk))
            assert read_fields(job, "progress") == ({"step": "fetch", "percent": 50},)

    steps.append(step)
    assert run_job(job.pk)
    assert (others, read_fields(job, "state")) == ([False] * 3, ("succeeded",))


def test_process_that_lost_its_lease_settles_nothing(clock, caplog):
    job = enqueue(deliver)

    def step(context):
        clock.shift(LEASE)
        second = claim(Job.objects.filter(pk=job.pk), NOW + LEASE)
        with pytest.raises(LeaseLost):
            context.renew_lease()
        assert read_fields(job, "lease_token") == (second.lease_token,)

    steps.append(step)
    execute(claim_one(job))
    assert read_fields(job, "state", "attempts") == ("running", 2)
    assert caplog.messages == [f"Job {job.pk} ended after it had lost its lease."]


def test_at_most_once_job_whose_process_died_fails(clock):
    job = enqueue(charge, thing=1)
    claim_one(job)
    clock.shift(LEASE)
    assert run_job(job.pk) is False
    assert read_fields(job, "state", "attempts", "error_code", "error_message") == (
        "failed",
        1,
        "lease_expired",
        PROCESS_ENDED,
    )
    assert (calls, failures) == ([], [({"thing": 1}, PROCESS_ENDED)])


def test_job_that_kills_its_process_is_given_up(clock):
    job = enqueue(retry_once)
    for _ in range(2):
        assert claim(Job.objects.filter(pk=job.pk), NOW + 10 * LEASE * Job.objects.get().attempts)
    clock.shift(100 * LEASE)
    assert run_job(job.pk) is False
    assert read_fields(job, "state", "attempts", "error_code") == ("failed", 2, "lease_expired")


def test_cancel_of_a_running_job_ends_it_at_its_next_heartbeat():
    job = enqueue(deliver, dedup_key="1")

    def step(context):
        assert cancel_job(job)
        context.report_progress(percent=1)
        raise AssertionError("never reached")

    steps.append(step)
    run_job(job.pk)
    assert read_fields(job, "state", "finished_at", "progress") == ("canceled", NOW, {})


def test_cancel_of_a_job_whose_process_died_ends_it(clock):
    job = enqueue(deliver)
    claim_one(job)
    assert cancel_job(job)
    clock.shift(LEASE)
    assert run_job(job.pk) is False
    assert (calls, read_fields(job, "state")) == ([], ("canceled",))


def test_request_after_the_cancel_of_a_running_job_runs_it_again():
    job = enqueue(deliver, dedup_key="1")

    def step(context):
        cancel_job(job)
        enqueue(deliver, dedup_key="1")

    steps.append(step)
    assert run_due_jobs("webhooks", NOW) == {"tests.deliver": 2}
    assert read_fields(job, "state", "cancel_requested") == ("succeeded", False)


def test_error_of_a_failure_handler_does_not_keep_the_job_from_failing(monkeypatch, caplog):
    job = enqueue(deliver)
    monkeypatch.setattr("tests.portal.jobs.sample_jobs.failures", None)
    steps.append(build_failing_step(PermanentFailure("gone")))
    run_job(job.pk)
    assert read_fields(job, "state") == ("failed",)
    assert f"The failure handler of job {job.pk} (tests.deliver) failed." in caplog.text


def test_settle_twice_settles_once():
    claimed = claim_one(enqueue(deliver))
    execute(claimed)
    assert record_outcome(claimed.pk, claimed.lease_token, JobOutcome(Job.State.FAILED)) is False
    assert read_fields(claimed, "state") == ("succeeded",)
