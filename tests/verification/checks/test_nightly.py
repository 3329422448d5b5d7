"""Tests of nightly check runs."""

from collections import Counter
from datetime import timedelta

import pytest

from integrations.programs.registry import PROGRAMS
from integrations.submissions.services.transitions import perform_transition
from portal.jobs.execution import run_job
from portal.jobs.models import Job
from tests.conftest import NOW, create_integration
from tests.verification.checks.check_runs import DAY, HOUR
from tests.verification.checks.stubs import remove_checks
from verification.checks import nightly
from verification.checks.models import CheckRun
from verification.checks.services import runs


def test_nightly_run_is_at_night_within_a_day():
    for number in range(500):
        run_at = nightly.calculate_nightly_run_at(number, NOW)
        assert NOW < run_at <= NOW + DAY
        assert run_at.hour >= 22 or run_at.hour < 6


def test_nightly_run_is_at_the_same_time_every_night():
    first = nightly.calculate_nightly_run_at(7, NOW)
    assert nightly.calculate_nightly_run_at(7, first) == first + DAY
    assert nightly.calculate_nightly_run_at(7, first - timedelta(seconds=1)) == first


def test_nightly_runs_are_spread_over_the_night():
    minutes = Counter(nightly.calculate_nightly_run_at(number, NOW).replace(second=0) for number in range(10_000))
    assert max(minutes.values()) < 50  # an even distribution has 21 per minute
    assert len(minutes) == 480


@pytest.fixture
def provider(acme, alice):
    row = create_integration(acme, alice, "terraform-provider")
    CheckRun.objects.update(finished_at=NOW)
    Job.objects.update(state=Job.State.SUCCEEDED)
    return row


def test_plan_requests_one_run_per_integration(provider):
    assert (nightly.plan_nightly_runs(NOW), nightly.plan_nightly_runs(NOW)) == (1, 0)
    run = CheckRun.objects.open().get()
    assert (run.nightly, run.next_attempt_at, run.requested_by) == (
        True,
        nightly.calculate_nightly_run_at(provider.pk, NOW + nightly.MIN_RUN_INTERVAL),
        None,
    )
    assert run.is_under_way(NOW) is False


def test_withdrawn_integrations_and_programs_without_checks_get_no_run(provider, alice, acme, monkeypatch):
    monkeypatch.setitem(PROGRAMS, "nomad", remove_checks(PROGRAMS["nomad"]))
    create_integration(acme, alice, "nomad")
    perform_transition(provider, "withdraw", actor=alice, note="No longer.", now=NOW)
    assert nightly.plan_nightly_runs(NOW) == 0


def test_request_brings_the_nightly_run_forward(provider, alice):
    nightly.plan_nightly_runs(NOW)
    runs.request_check_run_as_user(provider, alice, NOW + HOUR)
    run = CheckRun.objects.open().get()
    assert (run.nightly, run.next_attempt_at, run.requested_by) == (False, NOW + HOUR, alice)


def test_requested_runs_come_before_nightly_runs(provider, alice, acme):
    nightly.plan_nightly_runs(NOW)
    Job.objects.filter(kind="checks.run", state=Job.State.PENDING).update(run_after=NOW - HOUR)
    other = create_integration(
        acme, alice, "terraform-provider", name="Lander", repository="acme/terraform-provider-lander"
    )
    assert [int(job.dedup_key) for job in Job.objects.due(NOW).filter(kind="checks.run")] == [other.pk, provider.pk]


def test_nightly_run_is_retried_ten_minutes_after_an_outage(provider, settings, time_machine):
    settings.GITHUB_API_URL = settings.REGISTRY_URL = "http://127.0.0.1:1"
    nightly.plan_nightly_runs(NOW)
    run = CheckRun.objects.open().get()
    time_machine.move_to(run.next_attempt_at, tick=False)
    assert run_job(Job.objects.unfinished().get(kind="checks.run").pk)
    retry = CheckRun.objects.open().get()
    assert retry.next_attempt_at == run.next_attempt_at + timedelta(minutes=10)
