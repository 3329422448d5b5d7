"""Tests of accepted deviations."""

from dataclasses import replace

import pytest
from bs4 import BeautifulSoup

from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform_transition
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.conftest import NOW
from tests.portal import pseudo_language
from tests.verification.checks.check_runs import DAY, get_newest_result
from tests.verification.checks.fake_sources import REPOSITORY, SUBJECT, FakeSources
from tests.verification.checks.stubs import Stubs
from verification.checks.models import CheckRun
from verification.checks.services.accepted_deviations import accept_deviation
from verification.checks.services.runner import build_integration_subject, run_integration_checks
from verification.checks.types import CHECKS
from verification.outcomes import Outcome

pytestmark = pytest.mark.any_database

KEY = "repository.owner"
MOVED_SOURCES = FakeSources(replace(REPOSITORY, owner_id=9, full_name="globex/terraform-provider-rocket"))


@pytest.fixture
def moved_provider(integration_at, monkeypatch):
    """Return Acme's listed provider, whose repository has had another owner since the last run."""
    row = integration_at("support", program="terraform-provider")
    stubs = Stubs()
    for key in set(CHECKS) - {KEY}:
        monkeypatch.setitem(CHECKS, key, stubs.build_check(key))
    run_integration_checks(row, now=NOW + DAY, sources=MOVED_SOURCES)
    return Integration.objects.get(pk=row.pk)


def find_forms(response):
    page = BeautifulSoup(response.content, "html.parser")
    return [form for form in page.select("form.check-accept") if form["action"].endswith(f"/accept/{KEY}/")]


def test_reviewer_accepts_a_new_owner_with_one_button(moved_provider, rita, sign_in):
    client = sign_in(rita)
    form = find_forms(client.get(f"/checks/{moved_provider.uuid}/"))[0]
    value = form.select_one("input[name=value]")["value"]
    client.post(form["action"], {"value": value})
    event = AuditEvent.objects.get(event_type="check.accepted")
    assert (event.actor_id, event.data["value"], event.data["check"]) == (rita.pk, "9", KEY)
    assert CheckRun.objects.open().get().requested_by == rita
    run_integration_checks(moved_provider, now=NOW + 2 * DAY, sources=MOVED_SOURCES)
    result = get_newest_result(moved_provider, KEY)
    assert (result.outcome, result.summary) == ("pass", "globex owns the repository. The program accepted this owner.")
    assert not find_forms(client.get(f"/checks/{moved_provider.uuid}/"))


def test_acceptance_notifies_the_partner_and_removes_the_hold(moved_provider, rita, alice):
    assert moved_provider.on_hold_for == "program"
    accept_deviation(moved_provider, KEY, "9", rita, NOW + 2 * DAY)
    assert Integration.objects.get(pk=moved_provider.pk).on_hold_for == ""
    emails = EmailMessage.objects.filter(created_at=NOW + 2 * DAY, to=alice.email).order_by("pk")
    assert [email.subject for email in emails] == ["Deviation accepted: Rocket (new owner)", "Hold removed: Rocket"]


def test_reason_of_the_run_is_stored_in_the_default_language(moved_provider, rita):
    with pseudo_language.activate_pseudo_language():
        accept_deviation(moved_provider, KEY, "9", rita, NOW + 2 * DAY)
    assert CheckRun.objects.open().get().reason == "Accepted new owner"


def test_transferred_repository_is_suspended_immediately_only_until_it_returns(moved_provider, rita):
    run_integration_checks(moved_provider, now=NOW + 2 * DAY, sources=FakeSources(REPOSITORY))
    row = Integration.objects.get(pk=moved_provider.pk)
    assert row.on_hold_for == "program"
    with pytest.raises(ActionRefused, match="no change of the repository owner"):
        perform_transition(row, "suspend_immediately", actor=rita, note="Moved.", now=NOW + 2 * DAY)
    run_integration_checks(row, now=NOW + 3 * DAY, sources=MOVED_SOURCES)
    perform_transition(row, "suspend_immediately", actor=rita, note="Moved.", now=NOW + 3 * DAY)
    assert Integration.objects.get(pk=row.pk).listing_status == "suspended"


def test_acceptance_keeps_another_hold(moved_provider, rita):
    perform_transition(moved_provider, "resume", actor=rita, now=NOW + DAY)
    row = Integration.objects.get(pk=moved_provider.pk)
    perform_transition(row, "put_on_hold", actor=rita, note="The upstream project waits.", now=NOW + DAY)
    accept_deviation(row, KEY, "9", rita, NOW + 2 * DAY)
    assert Integration.objects.get(pk=moved_provider.pk).on_hold_for == "third_party"


def test_owner_other_than_the_accepted_one_fails(moved_provider, rita):
    accept_deviation(moved_provider, KEY, "9", rita, NOW + DAY)
    run_integration_checks(moved_provider, now=NOW + 2 * DAY, sources=FakeSources(replace(REPOSITORY, owner_id=10)))
    assert get_newest_result(moved_provider, KEY).outcome == "fail"
    assert CHECKS[KEY].run(build_integration_subject(moved_provider), FakeSources(REPOSITORY)).outcome == Outcome.PASS


def test_deviation_that_has_changed_cannot_be_accepted(moved_provider, rita):
    with pytest.raises(ActionRefused, match="deviation has changed"):
        accept_deviation(moved_provider, KEY, "10", rita, NOW + DAY)
    run_integration_checks(moved_provider, now=NOW + 2 * DAY, sources=FakeSources(REPOSITORY))
    with pytest.raises(ActionRefused, match="deviation has changed"):
        accept_deviation(moved_provider, KEY, "9", rita, NOW + 2 * DAY)


def test_partner_cannot_accept_a_deviation(moved_provider, alice, sign_in):
    assert not find_forms(sign_in(alice).get(f"/checks/{moved_provider.uuid}/"))
    assert sign_in(alice).post(f"/checks/{moved_provider.uuid}/accept/{KEY}/", {"value": "9"}).status_code == 403
    assert not AuditEvent.objects.filter(event_type="check.accepted").exists()


@pytest.mark.parametrize("key", ["repository.public", "none"])
def test_check_without_a_deviation_is_not_found(moved_provider, rita, sign_in, key):
    assert sign_in(rita).post(f"/checks/{moved_provider.uuid}/accept/{key}/", {"value": "9"}).status_code == 404


def test_new_owner_fails_with_the_value_to_accept():
    result = CHECKS[KEY].run(SUBJECT, MOVED_SOURCES)
    assert (result.outcome, ("new owner", "9") in result.inspected_revisions) == (Outcome.FAIL, True)
