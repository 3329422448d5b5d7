"""Tests of check results over time: age, outages, and what the next run knows."""

from dataclasses import replace

import pytest

from integrations.submissions.models import Finding, Integration
from integrations.submissions.services.transitions import perform_transition
from portal.core.errors import ActionRefused
from portal.jobs import leases
from tests.conftest import NOW
from tests.verification.checks.check_runs import DAY, HOUR, KEY, look, newest, state
from tests.verification.checks.test_network_cut import READ_NOTHING
from verification.checks import runner
from verification.checks.execution import list_required_check_keys
from verification.checks.models import CheckResult, Observation
from verification.checks.rules import link_reachability, release
from verification.checks.runner import list_checked_requirements, run_integration_checks
from verification.checks.services import observations
from verification.checks.types import CHECKS
from verification.outcomes import Outcome, Result
from verification.sources import Sources
from verification.sources.errors import SourceUnavailableError
from verification.sources.http.client import PAGE

pytestmark = pytest.mark.any_database


def test_with_the_network_cut_no_check_passes(provider, settings, monkeypatch):
    settings.GITHUB_API_URL = settings.REGISTRY_URL = "http://127.0.0.1:1"
    settings.ALLOW_LOOPBACK_HTTP = True
    run_integration_checks(provider, now=NOW, sources=Sources())
    outcome_by_key = dict(CheckResult.objects.filter(integration=provider).values_list("key", "outcome"))
    assert set(outcome_by_key) == set(list_required_check_keys(list_checked_requirements(provider)))
    assert not {key for key, outcome in outcome_by_key.items() if outcome in ("pass", "warn")}
    assert {key for key, outcome in outcome_by_key.items() if outcome == "fail"} <= READ_NOTHING


def test_one_check_that_raises_leaves_all_others_their_say(provider, stubs):
    stubs.said[KEY] = ZeroDivisionError("of our own making")
    run_integration_checks(provider, now=NOW, sources=object())
    outcome_by_key = dict(CheckResult.objects.filter(integration=provider).values_list("key", "outcome"))
    assert outcome_by_key == {
        key: "error" if key == KEY else "pass" for key in list_required_check_keys(list_checked_requirements(provider))
    }


def test_checks_whose_turn_does_not_come_in_time_are_tried_again(provider, stubs, monkeypatch):
    look(provider, NOW)
    monkeypatch.setattr(runner, "TIME_LIMIT_SECONDS", -1.0)
    ran = look(provider, NOW + HOUR)
    assert (ran.outcome, ran.retry_at) == (Outcome.ERROR, NOW + HOUR + runner.RETRY_DELAYS[0])
    assert (newest(provider).summary, state(provider).status) == (runner.DEFERRED_RESULT.summary, "pass")


def test_limits_of_a_worker_a_run_and_a_release_agree(settings):
    """A worker is stopped only after the longest possible task, whose last check reads a release."""
    longest = runner.TIME_LIMIT_SECONDS + max(
        release.TIMEOUT_SECONDS, link_reachability.TIME_LIMIT_SECONDS + PAGE.seconds
    )
    assert longest < settings.CELERY_TASK_SOFT_TIME_LIMIT < settings.CELERY_TASK_TIME_LIMIT
    assert longest < leases.MAX_RUN_SECONDS


def test_outage_changes_nothing_that_is_known(listed_provider, stubs):
    before = {s.requirement_id: (s.status, s.submitted_at) for s in listed_provider.fulfillments.all()}
    stubs.every = SourceUnavailableError("Down.", retry_at=NOW + 3 * HOUR)
    ran = look(listed_provider, NOW + 2 * HOUR)
    assert {s.requirement_id: (s.status, s.submitted_at) for s in listed_provider.fulfillments.all()} == before
    assert (ran.outcome, ran.retry_at) == (Outcome.ERROR, NOW + 3 * HOUR)
    assert not Finding.objects.exists()


def test_results_grow_old_and_no_longer_count(at, stubs, alice):
    row = at("review", program="terraform-provider")
    run_integration_checks(row, now=NOW, sources=object())
    requirement_state, fresh = state(row), CHECKS[KEY].max_age
    assert (requirement_state.is_met(NOW + fresh - HOUR), requirement_state.get_display_status(NOW + fresh - HOUR)) == (
        True,
        "pass",
    )
    assert (requirement_state.is_met(NOW + fresh), requirement_state.get_display_status(NOW + fresh)) == (
        False,
        "expired",
    )
    assert Integration.objects.get(pk=row.pk).next_refresh_at == NOW + fresh


def test_old_results_block_the_approval(at, stubs, rita):
    row = at("review", program="terraform-provider")
    run_integration_checks(row, now=NOW, sources=object())
    with pytest.raises(ActionRefused, match="Open requirements"):
        perform_transition(row, "approve", actor=rita, now=NOW + CHECKS[KEY].max_age)


def test_same_answer_is_confirmed_and_not_written_again(provider, stubs):
    look(provider, NOW)
    look(provider, NOW + DAY)
    check_result = CheckResult.objects.get(integration=provider, key=KEY)
    assert (check_result.at, check_result.confirmed_at, check_result.last_seen) == (NOW, NOW + DAY, NOW + DAY)


def test_new_version_of_a_check_writes_a_new_answer(provider, stubs, monkeypatch):
    look(provider, NOW)
    monkeypatch.setitem(CHECKS, KEY, replace(stubs.check(KEY), version=9))
    look(provider, NOW + HOUR)
    assert newest(provider).version == 9
    assert CheckResult.objects.filter(integration=provider, key=KEY).count() == 2


def test_advice_of_the_case_goes_before_the_checks_own(provider, stubs):
    stubs.say(KEY, Outcome.FAIL, advice="Make it public on its settings page.")
    look(provider, NOW)
    assert newest(provider).advice == "Make it public on its settings page."
    detail = {item["key"]: item["advice"] for item in state(provider).detail}
    assert detail[KEY] == "Make it public on its settings page."


def test_what_a_check_remembers_the_next_run_knows(provider, stubs):
    stubs.say(KEY, Outcome.PASS, observations={"owner": 47, "digests": {"v1": "ab"}})
    look(provider, NOW)
    stubs.say(KEY, Outcome.FAIL, observations={"owner": 48})
    look(provider, NOW + DAY)
    look(provider, NOW + 2 * DAY)
    assert stubs.subjects[-1].known == {"owner": 48, "digests": {"v1": "ab"}}
    row = Observation.objects.get(key="owner")
    assert (row.source, row.since, row.confirmed_at) == (KEY, NOW + DAY, NOW + 2 * DAY)
    assert row.age(NOW + 3 * DAY) == DAY.total_seconds()


@pytest.mark.parametrize("outcome", [Outcome.ERROR, Outcome.NOT_RUN])
def test_nothing_is_remembered_of_what_was_not_seen(provider, stubs, outcome):
    stubs.say(KEY, outcome, observations={"owner": 47})
    look(provider, NOW)
    assert observations.get_known_values(provider) == {}


def test_subject_holds_what_the_checks_need(listed_provider, stubs):
    look(listed_provider, NOW + DAY)
    subject = stubs.subjects[-1]
    assert (subject.tier, subject.listing_status, subject.now) == ("verified", "listed", NOW + DAY)
    assert subject.homepage == "https://acme.example/rocket"


def test_result_that_is_not_plain_is_our_fault_and_no_other_checks(provider, stubs):
    stubs.said[KEY] = Result(Outcome.PASS, "In order.", observations={"owner": object()})
    run_integration_checks(provider, now=NOW, sources=object())
    assert newest(provider).outcome == "error"
    assert (
        CheckResult.objects.filter(outcome="pass").count()
        == len(list_required_check_keys(list_checked_requirements(provider))) - 1
    )


def test_characters_that_no_database_takes_do_not_reach_it(provider, stubs):
    stubs.say(KEY, Outcome.PASS, "a\x00b\ud800", observations={"name": ["c\x00\udfff"]}, advice="\x00")
    run_integration_checks(provider, now=NOW, sources=object())
    assert (newest(provider).summary, observations.get_known_values(provider)) == ("ab?", {"name": ["c?"]})
