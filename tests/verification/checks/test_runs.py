from datetime import timedelta

import pytest

from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import RequirementKind
from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.services import requirements as answers
from integrations.submissions.services.transitions import perform_transition
from portal.core.errors import ActionRefused
from tests.conftest import NOW, begin
from tests.fakes.github.server import Repo
from tests.fakes.registry import Provider
from tests.verification.checks.stubs import without_checks
from verification.checks.models import CheckResult, CheckRun
from verification.checks.runner import RunSummary
from verification.checks.services import runs
from verification.outcomes import Outcome
from verification.sources import factory

NAME = "acme/terraform-provider-rocket"
MINUTE = timedelta(minutes=1)


@pytest.fixture
def provider(acme, alice):
    """Acme's integration in the Terraform provider program; creating it has asked for the checks."""
    return begin(acme, alice, "terraform-provider", repository_id=None, repository_owner_id=None)


@pytest.fixture
def nobody_answers(settings):
    settings.GITHUB_API_URL = settings.REGISTRY_URL = "http://127.0.0.1:1"


def test_new_integration_asks_for_its_checks(provider):
    job = CheckRun.objects.get()
    assert (job.integration, job.requested_by, job.due_at, job.finished_at) == (provider, None, NOW, None)


def test_program_without_checks_asks_for_nothing(monkeypatch, acme, alice):
    monkeypatch.setitem(PROGRAMS, "nomad", without_checks(PROGRAMS["nomad"]))
    rocket = begin(acme, alice)
    assert runs.request_check_run(rocket, alice, NOW) is None
    assert not CheckRun.objects.exists()


def test_asking_twice_is_one_run(provider, alice):
    runs.request_check_run(provider, alice, NOW + MINUTE)
    job = CheckRun.objects.get()
    assert (job.requested_by, job.due_at) == (alice, NOW + MINUTE)


@pytest.mark.github
def test_due_run_looks_and_ends(provider, github, registry):
    github.seed(Repo(NAME))
    registry.publish(Provider("acme/rocket"))
    assert runs.run_due(NOW) == 1
    assert CheckResult.objects.get(key="repository.public").outcome == "pass"
    assert not CheckResult.objects.filter(outcome="error").exists()
    assert CheckRun.objects.get().finished_at == NOW
    assert runs.run_due(NOW + MINUTE) == 0


def test_run_is_not_taken_before_it_is_due(provider):
    assert runs.run_due(NOW - MINUTE) == 0


def test_run_in_other_hands_is_left_until_its_claim_ends(provider, nobody_answers):
    CheckRun.objects.update(claimed_until=NOW + runs.CLAIM_DURATION)
    assert runs.run_due(NOW + MINUTE) == 0
    assert runs.run_due(NOW + runs.CLAIM_DURATION) == 1


def test_outage_is_tried_again_with_growing_pauses(provider, nobody_answers):
    pauses, now = [], NOW
    for _ in range(4):
        assert runs.run_due(now) == 1
        due_at = CheckRun.objects.get().due_at
        pauses.append(due_at - now)
        now = due_at
    assert pauses == [timedelta(minutes=m) for m in (10, 30, 120, 360)]
    assert RequirementFulfillment.objects.get(requirement_id="TP-LIC").retry_at == now


@pytest.mark.github
def test_outage_heals_by_itself(provider, github, registry):
    github.seed(Repo(NAME))
    registry.publish(Provider("acme/rocket"))
    github.fail("/repos/", 503, times=1)
    runs.run_due(NOW)
    assert runs.run_due(NOW + timedelta(minutes=9)) == 0
    assert runs.run_due(NOW + timedelta(minutes=10)) == 1
    assert RequirementFulfillment.objects.get(requirement_id="TP-LIC").status == "pass"
    assert not CheckRun.objects.open().exists()


def test_run_asked_for_again_while_it_is_at_work_stays_due(provider, alice, nobody_answers):
    job = CheckRun.objects.get()
    CheckRun.objects.filter(pk=job.pk).update(claimed_until=NOW + runs.CLAIM_DURATION)
    runs.request_check_run(provider, alice, NOW + MINUTE)
    runs._close_run(job, RunSummary(Outcome.PASS), NOW + MINUTE)
    again = CheckRun.objects.get()
    assert (again.finished_at, again.claimed_until, again.due_at) == (None, None, NOW + MINUTE)


def test_integration_that_has_ended_is_not_looked_at(provider, alice):
    perform_transition(provider, "withdraw", actor=alice, note="No longer.", now=NOW)
    assert runs.run_due(NOW) == 1
    assert not CheckResult.objects.exists()
    assert CheckRun.objects.get().finished_at == NOW


def test_deleted_run_is_not_taken(db):
    assert runs.run_one(99, NOW) is False


@pytest.mark.parametrize("who", ["alice", "bob", "rita", "sam"])
def test_people_of_partner_and_program_may_ask(provider, request, who):
    assert runs.request_check_run_as_user(provider, request.getfixturevalue(who), NOW) == CheckRun.objects.get()


def test_others_may_not_ask(provider, charlie):
    with pytest.raises(ActionRefused):
        runs.request_check_run_as_user(provider, charlie, NOW)


def test_ended_integration_cannot_be_asked_for(provider, alice):
    perform_transition(provider, "withdraw", actor=alice, note="No longer.", now=NOW)
    with pytest.raises(ActionRefused, match="has ended"):
        runs.request_check_run_as_user(Integration.objects.get(pk=provider.pk), alice, NOW)


def test_run_whose_worker_died_is_taken_up_again_later_each_time(provider, monkeypatch):
    class Died(BaseException):
        """As a kill would: nothing of the run's own handling is reached."""

    def dies(*_args, **_kwargs):
        raise Died

    monkeypatch.setattr(runs, "run_integration_checks", dies)
    now, pauses = NOW, []
    for _ in range(3):
        with pytest.raises(Died):
            runs.run_one(CheckRun.objects.get().pk, now)
        due_at = CheckRun.objects.get().due_at
        assert runs.run_due(due_at - MINUTE) == 0
        pauses.append(due_at - now)
        now = due_at
    assert pauses == [timedelta(minutes=m) for m in (10, 30, 120)]


def test_run_reports_each_check_that_it_finished(provider, nobody_answers):
    job = runs._claim(CheckRun.objects.get().pk, NOW)
    assert job.is_under_way(NOW + MINUTE)
    runs._record_progress(job, NOW + MINUTE, "repository.public")
    runs._record_progress(job, NOW + 2 * MINUTE, "repository.name")
    check_run = CheckRun.objects.get()
    assert (check_run.done, check_run.claimed_until) == (
        ["repository.public", "repository.name"],
        NOW + 2 * MINUTE + runs.CLAIM_DURATION,
    )


def test_round_of_runs_ends_when_its_time_is_over(provider, nobody_answers):
    assert runs.run_due(NOW, seconds=-1) == 0


def test_webhook_asks_at_once_and_says_why(provider):
    CheckRun.objects.update(finished_at=NOW)
    run = runs.request_check_run(provider, now=NOW + MINUTE, reason="A release was published")
    assert (run.due_at, run.reason, run.requested_by) == (NOW + MINUTE, "A release was published", None)


def test_answer_to_a_form_is_looked_at(provider, alice):
    CheckRun.objects.update(finished_at=NOW)
    form = next(r for r in provider.edition.requirements() if r.kind == RequirementKind.FORM)
    answers.submit_answer(provider, form.id, {}, actor=alice, now=NOW + MINUTE)
    run = CheckRun.objects.open().get()
    assert (run.due_at, run.reason) == (NOW + MINUTE, f"Answered: {form.title}")


def test_answer_that_no_check_reads_asks_for_nothing(provider, alice):
    CheckRun.objects.update(finished_at=NOW)
    other = next(
        r for r in provider.edition.requirements() if r.kind == RequirementKind.ATTESTATION and r.who == "partner"
    )
    answers.submit_answer(provider, other.id, {}, actor=alice, now=NOW + MINUTE)
    assert not CheckRun.objects.open().exists()


@pytest.mark.github
def test_repository_that_moved_to_another_owner_is_held_for_a_person(at, github, registry):
    github.seed(Repo(NAME))
    registry.publish(Provider("acme/rocket"))
    repository = factory.build_github_client().repository(NAME)
    row = at("support", "terraform-provider", repository_id=repository.id, repository_owner_id=repository.owner_id)
    job = CheckRun.objects.open().get()
    runs.run_one(job.pk, NOW)
    assert Integration.objects.get(pk=row.pk).on_hold_for == ""
    github.set_extra(NAME, owner={"id": repository.owner_id + 1, "login": "globex", "type": "Organization"})
    runs.run_one(runs.request_check_run(row, now=NOW + MINUTE).pk, NOW + MINUTE)
    integration = Integration.objects.get(pk=row.pk)
    assert (integration.on_hold_for, integration.listing_status) == ("program", "listed")
    assert "a person" in integration.hold_reason
    assert integration.events.get(event_type="put_on_hold").actor_id is None
