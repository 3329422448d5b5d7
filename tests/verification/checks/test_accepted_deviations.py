"""Tests of accepted deviations."""

from dataclasses import replace
from datetime import timedelta

import pytest
from bs4 import BeautifulSoup

from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform_transition
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.conftest import NOW
from tests.verification.checks.fake_sources import REPOSITORY, SUBJECT, FakeSources
from tests.verification.checks.stubs import Stubs
from verification.checks.models import CheckResult, CheckRun
from verification.checks.runner import build_integration_subject, run_integration_checks
from verification.checks.services.accepted_deviations import accept_deviation
from verification.checks.types import CHECKS
from verification.outcomes import Outcome

pytestmark = pytest.mark.any_database

DAY = timedelta(days=1)
KEY = "repository.owner"
MOVED_SOURCES = FakeSources(replace(REPOSITORY, owner_id=9, full_name="globex/terraform-provider-rocket"))


@pytest.fixture
def moved_provider(at, monkeypatch):
    """Return Acme's listed provider, whose repository has another owner since the last run."""
    row = at("support", program="terraform-provider")
    stubs = Stubs()
    for key in set(CHECKS) - {KEY}:
        monkeypatch.setitem(CHECKS, key, stubs.check(key))
    run_integration_checks(row, now=NOW + DAY, sources=MOVED_SOURCES)
    return Integration.objects.get(pk=row.pk)


def newest(row):
    return CheckResult.objects.filter(integration=row).newest().get(key=KEY)


def button(answer):
    page = BeautifulSoup(answer.content, "html.parser")
    return [form for form in page.select("form.check-accept") if form["action"].endswith(f"/accept/{KEY}/")]


def test_new_owner_is_accepted_with_one_button_and_recorded(moved_provider, rita, sign_in):
    reader = sign_in(rita)
    form = button(reader.get(f"/checks/{moved_provider.uuid}/"))[0]
    value = form.select_one("input[name=value]")["value"]
    reader.post(form["action"], {"value": value})
    event = AuditEvent.objects.get(event_type="check.accepted")
    assert (event.actor_id, event.data["value"], event.data["check"]) == (rita.pk, "9", KEY)
    assert CheckRun.objects.open().get().requested_by == rita
    run_integration_checks(moved_provider, now=NOW + 2 * DAY, sources=MOVED_SOURCES)
    assert (newest(moved_provider).outcome, newest(moved_provider).summary) == (
        "pass",
        "globex owns the repository. The program accepted this owner.",
    )
    assert not button(reader.get(f"/checks/{moved_provider.uuid}/"))


def test_partner_learns_of_it_and_the_hold_for_it_ends(moved_provider, rita, alice):
    assert moved_provider.on_hold_for == "program"
    accept_deviation(moved_provider, KEY, "9", rita, NOW + 2 * DAY)
    assert Integration.objects.get(pk=moved_provider.pk).on_hold_for == ""
    mails = EmailMessage.objects.filter(created_at=NOW + 2 * DAY, to=alice.email).order_by("pk")
    assert [mail.subject for mail in mails] == ["Deviation accepted: Rocket (new owner)", "Hold removed: Rocket"]


def test_another_hold_stays_when_an_owner_is_accepted(moved_provider, rita):
    perform_transition(moved_provider, "resume", actor=rita, now=NOW + DAY)
    row = Integration.objects.get(pk=moved_provider.pk)
    perform_transition(row, "put_on_hold", actor=rita, note="The upstream project waits.", now=NOW + DAY)
    accept_deviation(row, KEY, "9", rita, NOW + 2 * DAY)
    assert Integration.objects.get(pk=moved_provider.pk).on_hold_for == "third_party"


def test_another_owner_than_the_accepted_one_is_reported_again(moved_provider, rita):
    accept_deviation(moved_provider, KEY, "9", rita, NOW + DAY)
    run_integration_checks(moved_provider, now=NOW + 2 * DAY, sources=FakeSources(replace(REPOSITORY, owner_id=10)))
    assert newest(moved_provider).outcome == "fail"
    assert CHECKS[KEY].run(build_integration_subject(moved_provider), FakeSources(REPOSITORY)).outcome == Outcome.PASS


def test_what_is_no_longer_found_cannot_be_accepted(moved_provider, rita):
    with pytest.raises(ActionRefused, match="deviation has changed"):
        accept_deviation(moved_provider, KEY, "10", rita, NOW + DAY)
    run_integration_checks(moved_provider, now=NOW + 2 * DAY, sources=FakeSources(REPOSITORY))
    with pytest.raises(ActionRefused, match="deviation has changed"):
        accept_deviation(moved_provider, KEY, "9", rita, NOW + 2 * DAY)


def test_partner_accepts_nothing_of_its_own(moved_provider, alice, sign_in):
    assert not button(sign_in(alice).get(f"/checks/{moved_provider.uuid}/"))
    assert sign_in(alice).post(f"/checks/{moved_provider.uuid}/accept/{KEY}/", {"value": "9"}).status_code == 403
    assert not AuditEvent.objects.filter(event_type="check.accepted").exists()


@pytest.mark.parametrize("key", ["repository.public", "none"])
def test_what_no_check_offers_is_not_there(moved_provider, rita, sign_in, key):
    assert sign_in(rita).post(f"/checks/{moved_provider.uuid}/accept/{key}/", {"value": "9"}).status_code == 404


def test_owner_without_an_acceptance():
    result = CHECKS[KEY].run(SUBJECT, MOVED_SOURCES)
    assert (result.outcome, ("new owner", "9") in result.inspected_revisions) == (Outcome.FAIL, True)
