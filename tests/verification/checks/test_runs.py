from datetime import timedelta

import pytest
from django.db.models.signals import post_save
from django.utils import timezone

from integrations.programs.registry import PROGRAMS
from integrations.programs.requirements import RequirementKind
from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.services import requirements as answers
from integrations.submissions.services.transitions import perform_transition
from portal.core.errors import ActionRefused
from portal.jobs.execution import run_due_jobs, run_job
from portal.jobs.models import Job, ResourceLimit
from tests.conftest import NOW, begin
from tests.fakes.github.server import Repo
from tests.fakes.registry import Provider
from tests.verification.checks.stubs import without_checks
from verification.checks.execution import list_required_check_keys
from verification.checks.models import CheckResult, CheckRun
from verification.checks.runner import RunSummary, list_checked_requirements
from verification.checks.services import runs
from verification.outcomes import Outcome
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


def run_due():
    """Run the due check runs. Return how many."""
    return run_due_jobs("checks", timezone.now()).get("checks.run", 0)


@pytest.fixture
def provider(acme, alice):
    """Acme's integration in the Terraform provider program; creating it requested the checks."""
    return begin(acme, alice, "terraform-provider", repository_id=None, repository_owner_id=None)


@pytest.fixture
def nobody_answers(settings):
    settings.GITHUB_API_URL = settings.REGISTRY_URL = "http://127.0.0.1:1"


def test_new_integration_asks_for_its_checks(provider):
    run = CheckRun.objects.get()
    assert (run.integration, run.requested_by, run.next_attempt_at, run.finished_at) == (provider, None, NOW, None)


@pytest.mark.every_database
def test_program_without_checks_asks_for_nothing(monkeypatch, acme, alice):
    monkeypatch.setitem(PROGRAMS, "nomad", without_checks(PROGRAMS["nomad"]))
    rocket = begin(acme, alice)
    assert runs.request_check_run(rocket, alice, NOW) is None
    assert not CheckRun.objects.exists()


@pytest.mark.every_database
def test_asking_twice_is_one_run(provider, alice):
    runs.request_check_run(provider, alice, NOW + MINUTE)
    run = CheckRun.objects.get()
    assert (run.requested_by, run.requested_at, run.next_attempt_at) == (alice, NOW + MINUTE, NOW)


@pytest.mark.every_database
@pytest.mark.github
def test_due_run_looks_and_ends(provider, github, registry):
    github.seed(Repo(NAME))
    registry.publish(Provider("acme/rocket"))
    assert run_due() == 1
    assert CheckResult.objects.get(key="repository.public").outcome == "pass"
    assert not CheckResult.objects.filter(outcome="error").exists()
    assert CheckRun.objects.get().finished_at == NOW
    assert run_due() == 0


@pytest.mark.every_database
def test_outage_is_tried_again_with_growing_pauses(provider, nobody_answers, clock):
    pauses = []
    for _ in range(6):
        assert run_due() == 1
        next_attempt_at = CheckRun.objects.get().next_attempt_at
        pauses.append(next_attempt_at - timezone.now())
        clock.move_to(next_attempt_at, tick=False)
    assert pauses == [timedelta(minutes=m) for m in (10, 30, 120, 360, 1440, 1440)]
    assert RequirementFulfillment.objects.get(requirement_id="TP-LIC").retry_at == timezone.now()


def test_same_reason_of_several_checks_is_written_once(provider, nobody_answers):
    run_due()
    requirement = RequirementFulfillment.objects.get(requirement_id="TP-SRC")
    assert (len(requirement.detail), requirement.summary) == (
        4,
        "We couldn't complete this check: Can't read the repository acme/terraform-provider-rocket: "
        "GitHub isn't reachable.",
    )


def test_request_after_an_outage_counts_the_attempts_anew(provider, nobody_answers, alice, clock):
    for _ in range(2):
        run_due()
        clock.move_to(CheckRun.objects.get().next_attempt_at, tick=False)
    runs.request_check_run(provider, alice, timezone.now())
    run_due()
    assert CheckRun.objects.get().next_attempt_at - timezone.now() == timedelta(minutes=10)


@pytest.mark.github
def test_outage_heals_by_itself(provider, github, registry, clock):
    github.seed(Repo(NAME))
    registry.publish(Provider("acme/rocket"))
    github.fail("/repos/", 503, times=1)
    run_due()
    clock.shift(9 * 60)
    assert run_due() == 0
    clock.shift(60)
    assert run_due() == 1
    assert RequirementFulfillment.objects.get(requirement_id="TP-LIC").status == "pass"
    assert not CheckRun.objects.open().exists()


@pytest.mark.every_database
def test_run_asked_for_again_while_it_is_at_work_stays_due(provider, alice, monkeypatch):
    def request_again(*_args, **_kwargs):
        runs.request_check_run(provider, alice, NOW + MINUTE)
        monkeypatch.undo()
        return RunSummary(Outcome.PASS)

    monkeypatch.setattr(runs, "run_integration_checks", request_again)
    assert run_job(JOBS.get().pk)
    again = CheckRun.objects.get()
    assert (again.finished_at, again.requested_by, again.next_attempt_at) == (None, alice, NOW + MINUTE)


def test_integration_that_has_ended_is_not_looked_at(provider, alice):
    perform_transition(provider, "withdraw", actor=alice, note="No longer.", now=NOW)
    assert run_due() == 1
    assert not CheckResult.objects.exists()
    assert CheckRun.objects.get().finished_at == NOW


@pytest.mark.every_database
def test_run_that_was_deleted_leaves_a_job_that_does_nothing(provider):
    CheckRun.objects.all().delete()
    assert run_due() == 1
    assert not CheckResult.objects.exists()


@pytest.mark.parametrize("who", ["alice", "bob", "rita", "sam"])
def test_people_of_partner_and_program_may_ask(provider, request, who):
    assert runs.request_check_run_as_user(provider, request.getfixturevalue(who), NOW) == CheckRun.objects.get()


def test_others_may_not_ask(provider, charlie):
    with pytest.raises(ActionRefused):
        runs.request_check_run_as_user(provider, charlie, NOW)


@pytest.mark.every_database
def test_ended_integration_cannot_be_asked_for(provider, alice):
    perform_transition(provider, "withdraw", actor=alice, note="No longer.", now=NOW)
    with pytest.raises(ActionRefused, match="has ended"):
        runs.request_check_run_as_user(Integration.objects.get(pk=provider.pk), alice, NOW)


def test_run_reports_each_check_that_it_finished(provider, nobody_answers):
    keys = list(list_required_check_keys(list_checked_requirements(provider)))
    reports = []

    def note_progress(**_):
        reports.append(CheckRun.objects.get().finished_checks)

    post_save.connect(note_progress, sender=CheckResult)
    try:
        run_due()
    finally:
        post_save.disconnect(note_progress, sender=CheckResult)
    assert reports == [keys[:count] for count in range(len(keys))]
    assert CheckRun.objects.get().finished_checks == []  # it waits for the next attempt


def test_webhook_requests_a_run_with_its_reason(provider):
    CheckRun.objects.update(finished_at=NOW)
    run = runs.request_check_run(provider, now=NOW + MINUTE, reason="A release was published")
    assert (run.requested_at, run.reason, run.requested_by) == (NOW + MINUTE, "A release was published", None)


def test_answer_to_a_form_is_looked_at(provider, alice):
    CheckRun.objects.update(finished_at=NOW)
    form = next(r for r in provider.edition.requirements() if r.kind == RequirementKind.FORM)
    answers.submit_answer(provider, form.id, {}, actor=alice, now=NOW + MINUTE)
    run = CheckRun.objects.open().get()
    assert (run.requested_at, run.reason) == (NOW + MINUTE, f"Answered: {form.title}")


def test_answer_that_no_check_reads_asks_for_nothing(provider, alice):
    CheckRun.objects.update(finished_at=NOW)
    other = next(r for r in provider.edition.requirements() if r.kind == RequirementKind.AGREEMENT)
    answers.submit_answer(provider, other.id, {}, actor=alice, now=NOW + MINUTE)
    assert not CheckRun.objects.open().exists()


@pytest.mark.every_database
def test_limit_of_github_holds_up_runs_that_nobody_waits_for(provider, acme, alice, nobody_answers, clock):
    name, limit, _ = factory.get_credential()
    others = [begin(acme, alice, "terraform-provider", repository=f"acme/other-{number}") for number in range(2)]
    CheckRun.objects.update(finished_at=NOW)
    JOBS.delete()
    GitHubRateLimit.objects.create(name=name, limit=limit, spent=limit, hour_from=NOW)
    for row in (provider, *others):
        runs.request_background_check_run(row, NOW, "A release was published")
    assert [run_due(), run_due()] == [1, 0]
    assert ResourceLimit.objects.get().blocked_until == NOW + 60 * MINUTE
    runs.request_check_run(others[1], alice, NOW)  # a person waits for checks that don't need GitHub
    assert run_due() == 1
    clock.shift(timedelta(hours=1))
    assert run_due() == 3


@pytest.mark.every_database
@pytest.mark.github
def test_repository_that_moved_to_another_owner_is_held_for_a_person(at, github, registry):
    github.seed(Repo(NAME))
    registry.publish(Provider("acme/rocket"))
    repository = factory.build_github_client().repository(NAME)
    row = at("support", "terraform-provider", repository_id=repository.id, repository_owner_id=repository.owner_id)
    run_due()
    assert Integration.objects.get(pk=row.pk).on_hold_for == ""
    github.set_extra(NAME, owner={"id": repository.owner_id + 1, "login": "globex", "type": "Organization"})
    runs.request_check_run(row, now=NOW)
    run_due()
    integration = Integration.objects.get(pk=row.pk)
    assert (integration.on_hold_for, integration.listing_status) == ("program", "listed")
    assert "A reviewer" in integration.hold_reason
    assert integration.events.get(event_type="integration.put_on_hold").actor_id is None
