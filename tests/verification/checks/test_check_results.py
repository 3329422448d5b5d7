"""Tests of check results over time: expiry, outages, and observations for the next run."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from integrations.submissions.models import Finding, Integration
from integrations.submissions.services.creation import change_description
from integrations.submissions.services.transitions import perform_transition
from portal.core.errors import ActionRefused
from portal.jobs import leases
from tests.conftest import NOW, create_integration
from tests.verification.checks.check_runs import (
    CHECKS_WITHOUT_REQUESTS,
    DAY,
    HOUR,
    KEY,
    SOURCES,
    get_fulfillment,
    get_newest_result,
    run_checks,
)
from tests.verification.checks.fake_sources import FakeSources
from verification.checks.execution import list_required_check_keys
from verification.checks.models import CheckResult, Observation
from verification.checks.rules import link_reachability, release
from verification.checks.services import observations, runner
from verification.checks.services.runner import list_checked_requirements, run_integration_checks
from verification.checks.types import CHECKS
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources
from verification.sources.errors import SourceNotFoundError, SourceUnavailableError
from verification.sources.http.client import PAGE

pytestmark = pytest.mark.any_database


def test_no_check_passes_without_network(provider, settings):
    settings.GITHUB_API_URL = settings.REGISTRY_URL = "http://127.0.0.1:1"
    settings.ALLOW_LOOPBACK_HTTP = True
    run_integration_checks(provider, now=NOW, sources=Sources())
    outcome_by_key = dict(CheckResult.objects.filter(integration=provider).values_list("key", "outcome"))
    assert set(outcome_by_key) == set(list_required_check_keys(list_checked_requirements(provider)))
    assert not {key for key, outcome in outcome_by_key.items() if outcome in ("pass", "warn")}
    assert {key for key, outcome in outcome_by_key.items() if outcome == "fail"} <= CHECKS_WITHOUT_REQUESTS


def test_exception_in_one_check_does_not_affect_the_others(provider, stubs):
    stubs.answers[KEY] = ZeroDivisionError()
    run_integration_checks(provider, now=NOW, sources=object())
    outcome_by_key = dict(CheckResult.objects.filter(integration=provider).values_list("key", "outcome"))
    assert outcome_by_key == {
        key: "error" if key == KEY else "pass" for key in list_required_check_keys(list_checked_requirements(provider))
    }


def test_checks_after_the_time_limit_are_retried(provider, stubs, monkeypatch):
    run_checks(provider, NOW)
    monkeypatch.setattr(runner, "TIME_LIMIT_SECONDS", -1.0)
    assert run_checks(provider, NOW + HOUR) == NOW + HOUR + runner.RETRY_DELAYS[0]
    newest = get_newest_result(provider)
    assert (newest.outcome, newest.is_deferred) == (Outcome.ERROR, True)
    assert get_fulfillment(provider).status == "pass"


def test_deferred_checks_are_first_in_the_next_run(provider, stubs, monkeypatch):
    last_requirement = list_checked_requirements(provider)[-1]
    with monkeypatch.context() as patch:
        patch.setattr(runner, "TIME_LIMIT_SECONDS", -1.0)
        run_integration_checks(provider, {last_requirement.id}, now=NOW, sources=object())
    # The same sentence from an outage, or another one in a later release, changes nothing.
    monkeypatch.setattr(runner, "DEFERRED_RESULT", replace(runner.DEFERRED_RESULT, summary="Postponed."))
    keys = []
    run_integration_checks(provider, now=NOW + HOUR, sources=object(), report_progress=keys.append)
    assert keys[: len(last_requirement.checks)] == list(last_requirement.checks)
    assert sorted(keys) == sorted(list_required_check_keys(list_checked_requirements(provider)))


@pytest.fixture
def slow_checks(stubs, monkeypatch):
    """Let each check take 100 seconds, so that a run has time for two of them."""
    monkeypatch.setattr(runner, "time", SimpleNamespace(monotonic=lambda: 100.0 * len(stubs.subjects)))
    return stubs


def run_slow_checks(row, now, requested_at=NOW, sources=SOURCES):
    return run_integration_checks(row, {"TP-SRC"}, now=now, requested_at=requested_at, sources=sources)


def test_results_of_several_attempts_count_together(provider, slow_checks):
    slow_checks.set_result(KEY, Outcome.WARN, evidence=(Evidence("Owner", "acme", at=NOW),), advice="Look.")
    assert run_slow_checks(provider, NOW) == NOW + runner.RETRY_DELAYS[0]
    assert get_fulfillment(provider).status == "error"
    assert run_slow_checks(provider, NOW + HOUR) is None
    fulfillment = get_fulfillment(provider)
    assert (fulfillment.status, fulfillment.valid_until) == ("warn", NOW + CHECKS[KEY].max_age)
    detail = next(item for item in fulfillment.detail if item["key"] == KEY)
    evidence = {"label": "Owner", "value": "acme", "url": "", "at": NOW.isoformat()}
    assert (detail["outcome"], detail["advice"], detail["evidence"]) == ("warn", "Look.", [evidence])


def test_result_of_an_earlier_attempt_still_asks_for_access(listed_provider, slow_checks):
    hidden = FakeSources(repository_answer=None)
    slow_checks.answers[KEY] = SourceNotFoundError("GitHub has no repository acme/terraform-provider-rocket.")
    for hours in (30, 31):
        run_slow_checks(listed_provider, NOW + hours * HOUR, requested_at=NOW + 30 * HOUR, sources=hidden)
    detail = next(item for item in get_fulfillment(listed_provider).detail if item["key"] == KEY)
    assert get_newest_result(listed_provider).last_seen == NOW + 30 * HOUR
    assert (detail["outcome"], detail["needs_access"]) == ("warn", True)


def test_same_result_that_asks_for_access_is_stored(listed_provider, stubs):
    stubs.answers[KEY] = SourceNotFoundError("GitHub has no repository acme/terraform-provider-rocket.")
    for hours, sources in ((30, SOURCES), (31, FakeSources(repository_answer=None))):
        run_integration_checks(listed_provider, {"TP-SRC"}, now=NOW + hours * HOUR, sources=sources)
    assert get_newest_result(listed_provider).needs_access is True


@pytest.mark.parametrize("requested_at", [NOW + HOUR, None])
def test_result_from_before_the_request_does_not_count(provider, slow_checks, requested_at):
    run_slow_checks(provider, NOW)
    run_slow_checks(provider, NOW + HOUR, requested_at)
    assert get_fulfillment(provider).status == "error"


def test_stale_result_of_an_earlier_attempt_does_not_count(provider, slow_checks):
    run_slow_checks(provider, NOW)
    run_slow_checks(provider, NOW + CHECKS[KEY].max_age)
    assert get_fulfillment(provider).status == "error"


def test_hold_of_an_earlier_attempt_is_not_repeated(listed_provider, slow_checks, rita):
    """A result that counts again says nothing about why the first one put the integration on hold."""
    slow_checks.set_result(KEY, Outcome.FAIL, freeze_reason="Another repository.")
    run_slow_checks(listed_provider, NOW + 2 * HOUR)
    row = Integration.objects.get(pk=listed_provider.pk)
    assert row.hold_reason == "Another repository."
    perform_transition(row, "resume", actor=rita, now=NOW + 3 * HOUR)
    for hours in (4, 5):
        run_slow_checks(row, NOW + hours * HOUR)
    assert Integration.objects.get(pk=row.pk).on_hold_for == ""


def test_longest_run_ends_before_the_limits_of_its_worker(settings):
    """The last check of the longest run reads a release or checks links."""
    longest = runner.TIME_LIMIT_SECONDS + max(
        release.TIMEOUT_SECONDS, link_reachability.TIME_LIMIT_SECONDS + PAGE.seconds
    )
    assert longest < settings.CELERY_TASK_SOFT_TIME_LIMIT < settings.CELERY_TASK_TIME_LIMIT
    assert longest < leases.MAX_RUN_SECONDS


def test_outage_keeps_earlier_results(listed_provider, stubs):
    before = {s.requirement_id: (s.status, s.submitted_at) for s in listed_provider.fulfillments.all()}
    stubs.default_answer = SourceUnavailableError("Down.", retry_at=NOW + 3 * HOUR)
    retry_at = run_checks(listed_provider, NOW + 2 * HOUR)
    assert {s.requirement_id: (s.status, s.submitted_at) for s in listed_provider.fulfillments.all()} == before
    assert (get_newest_result(listed_provider).outcome, retry_at) == (Outcome.ERROR, NOW + 3 * HOUR)
    assert not Finding.objects.exists()


def test_old_result_expires(integration_at, stubs, alice):
    row = integration_at("review", program="terraform-provider")
    run_integration_checks(row, now=NOW, sources=object())
    fulfillment = get_fulfillment(row)
    expires_at = NOW + CHECKS[KEY].max_age
    assert fulfillment.is_met(expires_at - HOUR)
    assert fulfillment.get_display_status(expires_at - HOUR) == "pass"
    assert not fulfillment.is_met(expires_at)
    assert fulfillment.get_display_status(expires_at) == "expired"
    assert Integration.objects.get(pk=row.pk).next_refresh_at == expires_at


def test_expired_result_blocks_the_approval(integration_at, stubs, rita):
    row = integration_at("review", program="terraform-provider")
    run_integration_checks(row, now=NOW, sources=object())
    with pytest.raises(ActionRefused, match="Open requirements"):
        perform_transition(row, "approve", actor=rita, now=NOW + CHECKS[KEY].max_age)


def test_unchanged_result_is_confirmed_instead_of_stored_again(provider, stubs):
    run_checks(provider, NOW)
    run_checks(provider, NOW + DAY)
    check_result = CheckResult.objects.get(integration=provider, key=KEY)
    assert (check_result.at, check_result.confirmed_at, check_result.last_seen) == (NOW, NOW + DAY, NOW + DAY)


def test_new_version_of_a_check_stores_a_new_result(provider, stubs, monkeypatch):
    run_checks(provider, NOW)
    monkeypatch.setitem(CHECKS, KEY, replace(stubs.build_check(KEY), version=9))
    run_checks(provider, NOW + HOUR)
    assert get_newest_result(provider).version == 9
    assert CheckResult.objects.filter(integration=provider, key=KEY).count() == 2


def test_advice_of_a_result_replaces_that_of_the_check(provider, stubs):
    stubs.set_result(KEY, Outcome.FAIL, advice="Make it public on its settings page.")
    run_checks(provider, NOW)
    assert get_newest_result(provider).advice == "Make it public on its settings page."
    detail = {item["key"]: item["advice"] for item in get_fulfillment(provider).detail}
    assert detail[KEY] == "Make it public on its settings page."


@pytest.mark.parametrize(
    ("outcome", "advice"),
    [
        (Outcome.PASS, ""),
        (Outcome.ERROR, ""),
        (Outcome.WARN, "Fix the cause."),
        (Outcome.FAIL, "Fix the cause."),
        (Outcome.NOT_RUN, "Fix the cause."),
    ],
)
def test_only_results_that_the_partner_can_change_have_advice(provider, stubs, outcome, advice):
    stubs.set_result(KEY, outcome, advice="Fix the cause.")
    run_checks(provider, NOW)
    assert {item["key"]: item["advice"] for item in get_fulfillment(provider).detail}[KEY] == advice


def test_observations_are_passed_to_the_next_run(provider, stubs):
    stubs.set_result(KEY, Outcome.PASS, observations={"owner": 47, "digests": {"v1": "ab"}})
    run_checks(provider, NOW)
    stubs.set_result(KEY, Outcome.FAIL, observations={"owner": 48})
    run_checks(provider, NOW + DAY)
    run_checks(provider, NOW + 2 * DAY)
    assert stubs.subjects[-1].known == {"owner": 48, "digests": {"v1": "ab"}}
    row = Observation.objects.get(key="owner")
    assert (row.source, row.since, row.confirmed_at) == (KEY, NOW + DAY, NOW + 2 * DAY)


@pytest.mark.parametrize("outcome", [Outcome.ERROR, Outcome.NOT_RUN])
def test_incomplete_check_stores_what_it_has_read(provider, stubs, outcome):
    stubs.set_result(KEY, outcome, observations={"owner": 47})
    run_checks(provider, NOW)
    assert observations.get_known_values(provider) == {"owner": 47}
    assert not Observation.objects.filter(key=f"{observations.LAST_SEEN_PREFIX}{KEY}").exists()


def test_result_that_another_category_does_not_need_is_discarded(acme, alice, stubs):
    row = create_integration(acme, alice, category="storage")
    run_checks(row, NOW)
    assert row.fulfillments.get(requirement_id="NO-LIC").status == "pass"
    change_description(row, {"category": "monitoring"}, actor=alice, now=NOW + HOUR)
    run_checks(row, NOW + DAY)
    fulfillment = row.fulfillments.get(requirement_id="NO-LIC")
    assert (fulfillment.status, fulfillment.valid_until) == ("open", None)


def test_subject_has_the_tier_the_listing_status_and_the_homepage(listed_provider, stubs):
    run_checks(listed_provider, NOW + DAY)
    subject = stubs.subjects[-1]
    assert (subject.tier, subject.listing_status, subject.now) == ("verified", "listed", NOW + DAY)
    assert subject.homepage == "https://acme.example/rocket"


def test_result_that_cannot_be_stored_is_an_error_of_its_check_alone(provider, stubs):
    stubs.answers[KEY] = Result(Outcome.PASS, "In order.", observations={"owner": object()})
    run_integration_checks(provider, now=NOW, sources=object())
    assert get_newest_result(provider).outcome == "error"
    check_count = len(list_required_check_keys(list_checked_requirements(provider)))
    assert CheckResult.objects.filter(outcome="pass").count() == check_count - 1


def test_characters_that_a_database_refuses_are_removed(provider, stubs):
    stubs.set_result(KEY, Outcome.PASS, "a\x00b\ud800", observations={"name": ["c\x00\udfff"]}, advice="\x00")
    run_integration_checks(provider, now=NOW, sources=object())
    assert (get_newest_result(provider).summary, observations.get_known_values(provider)) == ("ab?", {"name": ["c?"]})


def test_characters_that_a_database_refuses_are_removed_from_urls_and_sources(provider, stubs):
    stubs.set_result(
        KEY, Outcome.ERROR, source="GitHub\x00", evidence=(Evidence("Code", "main.go", "https://acme.example/\x00a"),)
    )
    run_integration_checks(provider, now=NOW, sources=object())
    detail = next(item for item in get_fulfillment(provider).detail if item["key"] == KEY)
    assert (detail["unreachable"], detail["evidence"][0]["url"]) == ("GitHub", "https://acme.example/a")
