"""Can a person of the program accept for good what a check speaks against, recorded, and nobody else?"""

from dataclasses import replace
from datetime import timedelta

import pytest
from bs4 import BeautifulSoup

from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform
from portal.audit.models import Event
from portal.core.errors import NotAllowed
from portal.notifications.models import Email
from tests.conftest import NOW
from tests.verification.checks.stubs import Stubs
from tests.verification.checks.told import REPOSITORY, SUBJECT, Told
from verification.checks.models import CheckResult, CheckRun
from verification.checks.runner import run, subject_of
from verification.checks.services.accepted_deviations import accept
from verification.checks.types import CHECKS
from verification.outcomes import Outcome

DAY = timedelta(days=1)
KEY = "repository.owner"
MOVED = Told(replace(REPOSITORY, owner_id=9, full_name="globex/terraform-provider-rocket"))


@pytest.fixture
def moved(at, monkeypatch):
    """Acme's listed provider, whose repository the last run found in other hands."""
    row = at("support", program="terraform-provider")
    stubs = Stubs()
    for key in set(CHECKS) - {KEY}:
        monkeypatch.setitem(CHECKS, key, stubs.check(key))
    run(row, now=NOW + DAY, sources=MOVED)
    return Integration.objects.get(pk=row.pk)


def newest(row):
    return CheckResult.objects.filter(integration=row).newest().get(key=KEY)


def button(answer):
    page = BeautifulSoup(answer.content, "html5lib")
    return [form for form in page.select("form.check-accept") if form["action"].endswith(f"/accept/{KEY}/")]


def test_new_owner_is_accepted_with_one_button_and_recorded(moved, rita, sign_in):
    reader = sign_in(rita)
    form = button(reader.get(f"/checks/{moved.uuid}/"))[0]
    value = form.select_one("input[name=value]")["value"]
    reader.post(form["action"], {"value": value})
    event = Event.objects.get(verb="accepted")
    assert (event.actor_id, event.data["value"], event.data["check"]) == (rita.pk, "9", KEY)
    assert CheckRun.objects.open().get().requested_by == rita
    run(moved, now=NOW + 2 * DAY, sources=MOVED)
    assert (newest(moved).outcome, newest(moved).summary) == ("pass", "globex owns it, as the program has accepted.")
    assert not button(reader.get(f"/checks/{moved.uuid}/"))


def test_the_company_hears_of_it_and_the_hold_for_it_ends(moved, rita, alice):
    assert moved.hold == "program"
    accept(moved, KEY, "9", rita, NOW + 2 * DAY)
    assert Integration.objects.get(pk=moved.pk).hold == ""
    mails = Email.objects.filter(created_at=NOW + 2 * DAY, to=alice.email).order_by("pk")
    assert [mail.subject for mail in mails] == ["Accepted: new owner of Rocket", "Off hold: Rocket"]


def test_another_hold_stays_when_an_owner_is_accepted(moved, rita):
    perform(moved, "resume", by=rita, now=NOW + DAY)
    row = Integration.objects.get(pk=moved.pk)
    perform(row, "put_on_hold", by=rita, note="The upstream project waits.", now=NOW + DAY)
    accept(row, KEY, "9", rita, NOW + 2 * DAY)
    assert Integration.objects.get(pk=moved.pk).hold == "third_party"


def test_another_owner_than_the_accepted_one_is_told_again(moved, rita):
    accept(moved, KEY, "9", rita, NOW + DAY)
    run(moved, now=NOW + 2 * DAY, sources=Told(replace(REPOSITORY, owner_id=10)))
    assert newest(moved).outcome == "fail"
    assert CHECKS[KEY].run(subject_of(moved), Told(REPOSITORY)).outcome == Outcome.PASS


def test_what_is_no_longer_found_cannot_be_accepted(moved, rita):
    with pytest.raises(NotAllowed, match="something else to accept"):
        accept(moved, KEY, "10", rita, NOW + DAY)
    run(moved, now=NOW + 2 * DAY, sources=Told(REPOSITORY))
    with pytest.raises(NotAllowed, match="something else to accept"):
        accept(moved, KEY, "9", rita, NOW + 2 * DAY)


def test_company_accepts_nothing_of_its_own(moved, alice, sign_in):
    assert not button(sign_in(alice).get(f"/checks/{moved.uuid}/"))
    assert sign_in(alice).post(f"/checks/{moved.uuid}/accept/{KEY}/", {"value": "9"}).status_code == 403
    assert not Event.objects.filter(verb="accepted").exists()


@pytest.mark.parametrize("key", ["repository.public", "none"])
def test_what_no_check_offers_is_not_there(moved, rita, sign_in, key):
    assert sign_in(rita).post(f"/checks/{moved.uuid}/accept/{key}/", {"value": "9"}).status_code == 404


def test_owner_without_an_acceptance():
    found = CHECKS[KEY].run(SUBJECT, MOVED)
    assert (found.outcome, ("new owner", "9") in found.looked_at) == (Outcome.FAIL, True)
