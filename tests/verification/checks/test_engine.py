"""Tests of check results over time: age, outages, missing objects, moves and conflicts."""

from dataclasses import replace
from datetime import timedelta

import pytest

from integrations.submissions.models import Finding, Integration, RequirementFulfillment
from integrations.submissions.services import waivers
from integrations.submissions.services.transitions import perform_transition
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from portal.jobs import leases
from portal.notifications.models import EmailMessage
from tests.conftest import NOW, begin, meet
from tests.verification.checks.stubs import Stubs
from tests.verification.checks.test_network_cut import READ_NOTHING
from verification.checks import runner
from verification.checks.execution import list_required_check_keys
from verification.checks.models import CheckResult, Observation
from verification.checks.rules import link_reachability, release
from verification.checks.runner import list_checked_requirements, run_integration_checks
from verification.checks.services import observations
from verification.checks.types import CHECKS
from verification.outcomes import Evidence, Outcome, Result, build_conflict_result
from verification.sources import Sources
from verification.sources.errors import LegallyWithheldError, SourceNotFoundError, SourceUnavailableError
from verification.sources.http.client import PAGE

pytestmark = pytest.mark.any_database

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
KEY = "repository.public"


@pytest.fixture
def stubs(monkeypatch):
    stubs = Stubs()
    for key in list(CHECKS):
        monkeypatch.setitem(CHECKS, key, stubs.check(key))
    return stubs


@pytest.fixture
def provider(acme, alice):
    return begin(acme, alice, "terraform-provider")


@pytest.fixture
def listed_provider(at, stubs):
    """Acme's listed provider, looked at once and found in order."""
    row = at("support", program="terraform-provider")
    run_integration_checks(row, now=NOW + HOUR, sources=object())
    return Integration.objects.get(pk=row.pk)


def look(row, now):
    return run_integration_checks(Integration.objects.get(pk=row.pk), now=now, sources=object())


def state(row, key=KEY):
    mine = next(r for r in list_checked_requirements(row) if key in r.checks)
    return RequirementFulfillment.objects.get(integration=row, requirement_id=mine.id)


def newest(row, key=KEY):
    return CheckResult.objects.filter(integration=row).newest().get(key=key)


# -- nothing passes that was not seen ------------------------------------------------------------------------


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
    """A worker is stopped only after the longest task that there can be: its last run's last check reads a release."""
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


# -- what is known -------------------------------------------------------------------------------------------


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


# -- a first 404 destroys nothing ----------------------------------------------------------------------------


def build_not_found_error():
    return SourceNotFoundError("GitHub doesn't show the repository. It doesn't exist or isn't public.")


def test_first_not_found_of_a_listed_one_is_a_warning(listed_provider, stubs):
    stubs.said[KEY] = build_not_found_error()
    look(listed_provider, NOW + 2 * HOUR)
    assert state(listed_provider).status == "warn"
    assert newest(listed_provider).summary.startswith("We haven't been able to see it since Tue, Apr 14, 11:00 AM UTC.")
    assert not Finding.objects.exists()


def test_second_not_found_a_day_later_counts(listed_provider, stubs):
    stubs.said[KEY] = build_not_found_error()
    for hours, status in ((2, "warn"), (25, "warn"), (26, "fail")):
        look(listed_provider, NOW + hours * HOUR)
        assert state(listed_provider).status == status
    assert Finding.objects.get().requirement_id == state(listed_provider).requirement_id


def test_seen_again_begins_again(listed_provider, stubs):
    for hours in (2, 30):
        stubs.said[KEY] = build_not_found_error()
        look(listed_provider, NOW + hours * HOUR)
        stubs.said.clear()
        look(listed_provider, NOW + (hours + 1) * HOUR)
    assert not Finding.objects.exists()
    assert (
        Observation.objects.get(integration=listed_provider, key=observations.LAST_SEEN_PREFIX + KEY).missing_since
        is None
    )


def test_outage_between_two_not_founds_says_nothing(listed_provider, stubs):
    stubs.said[KEY] = build_not_found_error()
    look(listed_provider, NOW + 2 * HOUR)
    stubs.said[KEY] = SourceUnavailableError("Down.")
    look(listed_provider, NOW + 40 * HOUR)
    assert state(listed_provider).status == "warn"


def test_first_not_found_before_the_release_is_neither_a_pass_nor_a_fail(provider, stubs):
    look(provider, NOW)
    stubs.said[KEY] = build_not_found_error()
    for hours, status in ((1, "not_run"), (24, "not_run"), (25, "fail")):
        look(provider, NOW + hours * HOUR)
        assert (state(provider).status, state(provider).is_met(NOW + hours * HOUR)) == (status, False)


def test_what_the_law_withholds_is_a_persons_and_holds_a_listed_one(listed_provider, stubs):
    stubs.said[KEY] = LegallyWithheldError("GitHub withholds the repository for legal reasons (451).")
    for days in (1, 2):
        look(listed_provider, NOW + days * DAY)
    row = Integration.objects.get(pk=listed_provider.pk)
    assert (
        newest(listed_provider).summary
        == "A reviewer decides: GitHub withholds the repository for legal reasons (451)."
    )
    assert (row.on_hold_for, row.hold_reason) == ("program", "GitHub withholds the repository for legal reasons (451).")
    assert not Finding.objects.exists()


def test_not_found_of_one_that_was_never_seen_fails(provider, stubs):
    stubs.said[KEY] = build_not_found_error()
    look(provider, NOW)
    assert state(provider).status == "fail"


# -- a turn after the release --------------------------------------------------------------------------------


def mails(name):
    return sorted(EmailMessage.objects.filter(name=name).values_list("to", flat=True))


def test_failure_of_a_listed_one_opens_a_finding_and_reports_both_sides_once(listed_provider, stubs, alice):
    stubs.say(KEY, Outcome.FAIL, "It is archived.")
    for days in (1, 2, 3):
        look(listed_provider, NOW + days * DAY)
    finding = Finding.objects.get()
    assert (finding.state, finding.raised_by, finding.text) == ("open", None, "It is archived.")
    assert finding.due_at == NOW + DAY + timedelta(days=14)
    assert len(mails("check_failed")) == len(set(mails("check_failed"))) == 2
    assert alice.email in mails("check_failed")
    assert AuditEvent.objects.filter(event_type="check.failed").count() == 1


def test_what_passes_again_settles_the_finding_and_is_reported_once(listed_provider, stubs):
    stubs.say(KEY, Outcome.FAIL)
    look(listed_provider, NOW + DAY)
    stubs.said.clear()
    for days in (2, 3):
        look(listed_provider, NOW + days * DAY)
    finding = Finding.objects.get()
    assert (finding.state, finding.verified_by, finding.verified_at) == ("verified", None, NOW + 2 * DAY)
    assert len(mails("check_passed")) == 2
    stubs.say(KEY, Outcome.FAIL)
    look(listed_provider, NOW + 4 * DAY)
    assert [f.number for f in Finding.objects.order_by("number")] == [1, 2]


def test_failure_before_the_release_is_no_finding(provider, stubs):
    look(provider, NOW)
    stubs.say(KEY, Outcome.FAIL)
    look(provider, NOW + DAY)
    assert not Finding.objects.exists()


def test_waived_failure_opens_no_finding_until_the_waiver_ends(listed_provider, stubs, rita):
    stubs.say(KEY, Outcome.FAIL)
    mine = state(listed_provider).requirement_id
    waivers.waive_requirement(
        listed_provider, mine, reason="They move house.", expires_at=NOW + 3 * DAY, actor=rita, now=NOW + 2 * HOUR
    )
    look(listed_provider, NOW + DAY)
    assert not Finding.objects.exists()
    look(listed_provider, NOW + 4 * DAY)
    assert Finding.objects.count() == 1


def test_failure_of_a_hint_or_of_another_tier_is_no_finding(listed_provider, stubs):
    edition = listed_provider.edition
    others = [r for tier in edition.tiers if tier.key != listed_provider.tier for r in tier.requirements]
    hints = [r for r in edition.requirements() if r.optional]
    keys = {key for r in (*others, *hints) for key in r.checks}
    keys -= {key for r in edition.requirements() if not r.optional for key in r.checks}
    assert keys
    for key in keys:
        stubs.say(key, Outcome.FAIL)
    look(listed_provider, NOW + DAY)
    assert not Finding.objects.exists()


# -- what a person decides -----------------------------------------------------------------------------------


def test_repository_under_another_owner_freezes_a_listed_one_once(listed_provider, stubs, rita):
    stubs.say(KEY, Outcome.FAIL, freeze_reason="The repository belongs to globex now.")
    look(listed_provider, NOW + DAY)
    row = Integration.objects.get(pk=listed_provider.pk)
    assert (row.on_hold_for, row.hold_reason) == ("program", "The repository belongs to globex now.")
    perform_transition(row, "resume", actor=rita, now=NOW + DAY + HOUR)
    look(listed_provider, NOW + 2 * DAY)
    assert Integration.objects.get(pk=listed_provider.pk).on_hold_for == ""
    assert AuditEvent.objects.filter(event_type="integration.put_on_hold").get().actor_id is None


def test_repository_under_another_owner_before_the_release_is_no_hold(provider, stubs):
    stubs.say(KEY, Outcome.FAIL, freeze_reason="The repository belongs to globex now.")
    look(provider, NOW)
    assert Integration.objects.get(pk=provider.pk).on_hold_for == ""


def test_contradiction_is_shown_with_both_sources_and_blocks_until_waived(at, stubs, rita, now):
    row = at("review", program="terraform-provider")
    claims = (
        Evidence("GitHub", "v1.2.0", "https://github.com/acme/rocket", at=NOW),
        Evidence("the registry", "v1.1.0", "https://registry.example/acme/rocket", at=NOW - HOUR),
    )
    meet(row, rita, NOW)
    stubs.said[KEY] = build_conflict_result("the newest version", *claims)
    look(row, NOW)
    check_result = newest(row)
    assert check_result.summary == (
        "Two sources contradict each other about the newest version: GitHub says v1.2.0; the registry says v1.1.0."
        " A reviewer decides."
    )
    assert [item["at"] for item in check_result.evidence] == [NOW.isoformat(), (NOW - HOUR).isoformat()]
    with pytest.raises(ActionRefused, match="Open requirements"):
        perform_transition(row, "approve", actor=rita, now=NOW)
    mine = state(row).requirement_id
    waivers.waive_requirement(
        row, mine, reason="The registry is behind.", expires_at=NOW + 30 * DAY, actor=rita, now=NOW
    )
    perform_transition(row, "approve", actor=rita, now=NOW)
    assert Integration.objects.get(pk=row.pk).stage == "release"


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
