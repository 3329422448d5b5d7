"""Tests of how check runs are requested, executed, and limited."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models.signals import post_save
from django.utils import timezone

from integrations.programs.registry import PROGRAMS
from integrations.programs.requirements import RequirementKind
from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.services import requirements
from integrations.submissions.services.transitions import perform_transition
from portal.core.errors import ActionRefused
from portal.jobs.execution import run_due_jobs, run_job
from portal.jobs.models import Job, ResourceLimit
from tests.conftest import NOW, create_integration
from tests.fakes.github.server import Repo
from tests.fakes.registry import Provider
from tests.verification.checks.stubs import remove_checks
from verification.checks.execution import list_required_check_keys
from verification.checks.models import CheckResult, CheckRun
from verification.checks.services import runs
from verification.checks.services.runner import list_checked_requirements
from verification.sources import factory
from verification.sources.models import GitHubRateLimit

pytestmark = pytest.mark.any_database

NAME = "acme/terraform-provider-rocket"
MINUTE = timedelta(minutes=1)
JOBS = Job.objects.filter(kind="checks.run")


@pytest.fixture(autouse=True)
def clock(time_machine):
    time_machine.move_to(NOW, tick=False)
    return time_machine


def run_due_checks():
    """Run the due check runs. Return how many."""
    return run_due_jobs("checks", timezone.now()).get("checks.run", 0)


@pytest.fixture
def provider(acme, alice):
    """Return Acme's new integration, whose creation requested a check run."""
    return create_integration(acme, alice, "terraform-provider", repository_id=None, repository_owner_id=None)


@pytest.fixture
def unreachable_sources(settings):
    settings.GITHUB_API_URL = settings.REGISTRY_URL = "http://127.0.0.1:1"


def test_new_integration_requests_a_run(provider):
    run = CheckRun.objects.get()
    assert (run.integration, run.requested_by, run.next_attempt_at, run.finished_at) == (provider, None, NOW, None)


@pytest.mark.every_database
def test_program_without_checks_requests_no_run(monkeypatch, acme, alice):
    monkeypatch.setitem(PROGRAMS, "nomad", remove_checks(PROGRAMS["nomad"]))
    rocket = create_integration(acme, alice)
    assert runs.request_check_run(rocket, alice, NOW) is None
    assert not CheckRun.objects.exists()


@pytest.mark.every_database
def test_second_request_updates_the_open_run(provider, alice):
    runs.request_check_run(provider, alice, NOW + MINUTE)
    run = CheckRun.objects.get()
    assert (run.requested_by, run.requested_at, run.next_attempt_at) == (alice, NOW + MINUTE, NOW)


@pytest.mark.every_database
def test_request_opens_a_new_run_if_the_open_one_has_just_ended(provider, alice):
    """The open run, which is opened concurrently and prevents a new one, ends before the request reads it."""
    CheckRun.objects.update(finished_at=NOW)
    steps = ["opened", "refused", "ended"]

    def interfere(execute, sql, params, many, context):
        if steps[:1] == ["opened"] and sql.startswith("INSERT"):
            steps.remove("opened")
            CheckRun.objects.create(integration=provider, requested_at=NOW)
        elif steps == ["ended"] and sql.startswith("SELECT"):
            steps.clear()
            CheckRun.objects.update(finished_at=NOW)
        try:
            return execute(sql, params, many, context)
        except IntegrityError:
            steps.remove("refused")
            raise

    with connection.execute_wrapper(interfere):
        runs.plan_check_run(provider, NOW, NOW + MINUTE, "Nightly run")
    assert (steps, CheckRun.objects.open().get().reason) == ([], "Nightly run")


@pytest.mark.every_database
def test_error_of_another_constraint_is_raised(provider):
    CheckRun.objects.update(finished_at=NOW)
    with pytest.raises(IntegrityError), transaction.atomic():
        runs.plan_check_run(provider, None, NOW + MINUTE, "Nightly run")


@pytest.mark.every_database
@pytest.mark.github
def test_due_run_stores_results_and_ends(provider, github, registry):
    github.seed(Repo(NAME))
    registry.publish(Provider("acme/rocket"))
    assert run_due_checks() == 1
    assert CheckResult.objects.get(key="repository.public").outcome == "pass"
    assert not CheckResult.objects.filter(outcome="error").exists()
    assert CheckRun.objects.get().finished_at == NOW
    assert run_due_checks() == 0


@pytest.mark.every_database
def test_outage_is_retried_with_growing_delays(provider, unreachable_sources, clock):
    delays = []
    for _ in range(6):
        assert run_due_checks() == 1
        next_attempt_at = CheckRun.objects.get().next_attempt_at
        delays.append(next_attempt_at - timezone.now())
        clock.move_to(next_attempt_at, tick=False)
    assert delays == [timedelta(minutes=m) for m in (10, 30, 120, 360, 1440, 1440)]
    assert RequirementFulfillment.objects.get(requirement_id="TP-LIC").retry_at == timezone.now()


def test_reason_that_several_checks_share_is_written_once(provider, unreachable_sources):
    run_due_checks()
    fulfillment = RequirementFulfillment.objects.get(requirement_id="TP-SRC")
    assert (len(fulfillment.detail), fulfillment.summary) == (
        4,
        "We couldn't complete this check: Can't read the repository acme/terraform-provider-rocket: "
        "GitHub isn't reachable.",
    )


def test_request_after_an_outage_resets_the_attempts(provider, unreachable_sources, alice, clock):
    for _ in range(2):
        run_due_checks()
        clock.move_to(CheckRun.objects.get().next_attempt_at, tick=False)
    runs.request_check_run(provider, alice, timezone.now())
    run_due_checks()
    assert CheckRun.objects.get().next_attempt_at - timezone.now() == timedelta(minutes=10)


@pytest.mark.github
def test_retry_after_an_outage_ends_the_run(provider, github, registry, clock):
    github.seed(Repo(NAME))
    registry.publish(Provider("acme/rocket"))
    github.fail("/repos/", 503, times=1)
    run_due_checks()
    clock.shift(9 * 60)
    assert run_due_checks() == 0
    clock.shift(60)
    assert run_due_checks() == 1
    assert RequirementFulfillment.objects.get(requirement_id="TP-LIC").status == "pass"
    assert not CheckRun.objects.open().exists()


@pytest.mark.every_database
def test_run_that_is_requested_again_while_it_executes_stays_open(provider, alice, monkeypatch):
    def request_again(*_args, **_kwargs):
        runs.request_check_run(provider, alice, NOW + MINUTE)
        monkeypatch.undo()

    monkeypatch.setattr(runs, "run_integration_checks", request_again)
    assert run_job(JOBS.get().pk)
    run = CheckRun.objects.get()
    assert (run.finished_at, run.requested_by, run.next_attempt_at) == (None, alice, NOW + MINUTE)


def test_withdrawn_integration_is_not_checked(provider, alice):
    perform_transition(provider, "withdraw", actor=alice, note="No longer.", now=NOW)
    assert run_due_checks() == 1
    assert not CheckResult.objects.exists()
    assert CheckRun.objects.get().finished_at == NOW


@pytest.mark.every_database
def test_job_of_a_deleted_run_does_nothing(provider):
    CheckRun.objects.all().delete()
    assert run_due_checks() == 1
    assert not CheckResult.objects.exists()


@pytest.mark.parametrize("name", ["alice", "bob", "rita", "sam"])
def test_partner_and_program_can_request_a_run(provider, request, name):
    assert runs.request_check_run_as_user(provider, request.getfixturevalue(name), NOW) == CheckRun.objects.get()


def test_another_partner_cannot_request_a_run(provider, charlie):
    with pytest.raises(ActionRefused):
        runs.request_check_run_as_user(provider, charlie, NOW)


@pytest.mark.every_database
def test_withdrawn_integration_refuses_a_request(provider, alice):
    perform_transition(provider, "withdraw", actor=alice, note="No longer.", now=NOW)
    with pytest.raises(ActionRefused, match="has ended"):
        runs.request_check_run_as_user(Integration.objects.get(pk=provider.pk), alice, NOW)


def test_run_reports_each_finished_check(provider, unreachable_sources):
    keys = list(list_required_check_keys(list_checked_requirements(provider)))
    reports = []

    def record_progress(**_):
        reports.append(CheckRun.objects.get().finished_checks)

    post_save.connect(record_progress, sender=CheckResult)
    try:
        run_due_checks()
    finally:
        post_save.disconnect(record_progress, sender=CheckResult)
    assert reports == [keys[:count] for count in range(len(keys))]
    assert CheckRun.objects.get().finished_checks == []  # because the run waits for its next attempt


def test_request_stores_its_reason(provider):
    CheckRun.objects.update(finished_at=NOW)
    run = runs.request_check_run(provider, now=NOW + MINUTE, reason="A release was published")
    assert (run.requested_at, run.reason, run.requested_by) == (NOW + MINUTE, "A release was published", None)


def test_answer_to_a_form_requests_a_run(provider, alice):
    CheckRun.objects.update(finished_at=NOW)
    form = next(r for r in provider.edition.list_requirements() if r.kind == RequirementKind.FORM)
    requirements.submit_answer(provider, form.id, {}, actor=alice, now=NOW + MINUTE)
    run = CheckRun.objects.open().get()
    assert (run.requested_at, run.reason) == (NOW + MINUTE, f"New answers in “{form.title}”")


def test_answer_that_no_check_reads_requests_no_run(provider, alice):
    CheckRun.objects.update(finished_at=NOW)
    other = next(r for r in provider.edition.list_requirements() if r.kind == RequirementKind.AGREEMENT)
    requirements.submit_answer(provider, other.id, {}, actor=alice, now=NOW + MINUTE)
    assert not CheckRun.objects.open().exists()


@pytest.mark.every_database
def test_rate_limit_of_github_delays_background_runs(provider, acme, alice, unreachable_sources, clock):
    name, limit, _ = factory.get_credential()
    others = [
        create_integration(acme, alice, "terraform-provider", repository=f"acme/other-{number}") for number in range(2)
    ]
    CheckRun.objects.update(finished_at=NOW)
    JOBS.delete()
    GitHubRateLimit.objects.create(name=name, limit=limit, request_count=limit, window_started_at=NOW)
    for row in (provider, *others):
        runs.request_background_check_run(row, NOW, "A release was published")
    assert [run_due_checks(), run_due_checks()] == [1, 0]
    assert ResourceLimit.objects.get().blocked_until == NOW + 60 * MINUTE
    runs.request_check_run(others[1], alice, NOW)  # runs at once, because a user waits for it
    assert run_due_checks() == 1
    clock.shift(timedelta(hours=1))
    assert run_due_checks() == 3


@pytest.mark.every_database
@pytest.mark.github
def test_integration_whose_repository_has_a_new_owner_is_put_on_hold(integration_at, github, registry):
    github.seed(Repo(NAME))
    registry.publish(Provider("acme/rocket"))
    repository = factory.build_github_client().get_repository(NAME)
    row = integration_at(
        "support", "terraform-provider", repository_id=repository.id, repository_owner_id=repository.owner_id
    )
    run_due_checks()
    assert Integration.objects.get(pk=row.pk).on_hold_for == ""
    github.set_extra(NAME, owner={"id": repository.owner_id + 1, "login": "globex", "type": "Organization"})
    runs.request_check_run(row, now=NOW)
    run_due_checks()
    integration = Integration.objects.get(pk=row.pk)
    assert (integration.on_hold_for, integration.listing_status) == ("program", "listed")
    assert "A reviewer" in integration.hold_reason
    assert integration.events.get(event_type="integration.put_on_hold").actor_id is None
