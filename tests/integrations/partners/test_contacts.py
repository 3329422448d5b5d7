"""Tests of the confirmation of a company's contacts."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from integrations.partners.models import Membership, Partner
from integrations.partners.services.contacts import request_confirmations
from integrations.submissions.models import Integration, RequirementFulfillment
from portal.notifications.models import EmailMessage
from tests.integrations.page_text import get_text

pytestmark = pytest.mark.any_database
YEAR = timedelta(days=365)
CONFIRM_URL = "/company/acme/contacts/"


@pytest.fixture
def supported_integration(integration_at: Any, acme: Partner, now: datetime) -> Integration:
    """A supported integration of Acme, which was created a year ago."""
    Partner.objects.filter(pk=acme.pk).update(created_at=now - YEAR)
    row: Integration = integration_at("support")
    answer = RequirementFulfillment.objects.filter(integration=row).order_by("pk")[:1]
    RequirementFulfillment.objects.filter(pk__in=answer.values("pk")).update(data={"escalation": "oncall@acme.example"})
    return row


def list_requests() -> list[str]:
    return list(EmailMessage.objects.filter(name="contacts_requested").order_by("pk").values_list("to", flat=True))


@pytest.mark.every_database
def test_owners_are_asked_each_month_until_one_confirms(
    supported_integration: Integration, alice: Any, sign_in: Any, now: datetime, time_machine: Any
) -> None:
    days = (0, 1, 29, 30)
    assert [request_confirmations(now + timedelta(days=day)) for day in days] == [1, 0, 0, 1]
    assert list_requests() == ["alice@acme.example"] * 2
    time_machine.move_to(now + timedelta(days=40), tick=False)
    client = sign_in(alice)
    contacts = get_text(client.get("/company/acme/"), "#contacts")
    assert contacts.endswith("oncall@acme.example: Rocket Not confirmed Confirm contacts")
    response = client.post(CONFIRM_URL, follow=True)
    assert "You confirmed the contacts of Acme." in get_text(response)
    event = supported_integration.partner.events.get(event_type="partner.contacts_confirmed")
    assert (event.actor, event.at) == ("Alice Archer", now + timedelta(days=40))
    assert [request_confirmations(now + timedelta(days=day)) for day in (90, 40 + 364, 40 + 365)] == [0, 0, 1]


def test_setting_changes_the_time(supported_integration: Integration, now: datetime, settings: Any) -> None:
    settings.CONTACT_CONFIRMATION_DAYS = 366
    assert [request_confirmations(now + timedelta(days=day)) for day in (0, 1)] == [0, 1]


def test_company_without_supported_integration_or_owner_is_not_asked(
    integration_at: Any, supported_integration: Integration, globex: Partner, charlie: Any, acme: Partner, now: datetime
) -> None:
    Partner.objects.filter(pk=globex.pk).update(created_at=now - YEAR)
    Membership.objects.filter(partner=acme).update(ended_at=now)
    assert request_confirmations(now) == 0


def test_only_owners_confirm(supported_integration: Integration, bob: Any, charlie: Any, sign_in: Any) -> None:
    assert sign_in(bob).post(CONFIRM_URL).status_code == 403
    assert sign_in(charlie).post(CONFIRM_URL).status_code == 404
    assert "Confirm contacts" not in get_text(sign_in(bob).get("/company/acme/"), "#contacts")
    assert Partner.objects.get(slug="acme").contacts_confirmed_at is None


def test_staff_see_and_filter_unconfirmed_contacts(
    supported_integration: Integration, alice: Any, rita: Any, sign_in: Any, now: datetime, time_machine: Any
) -> None:
    time_machine.move_to(now, tick=False)
    staff = sign_in(rita)
    assert "Contacts Not confirmed" in get_text(staff.get("/companies/acme/"))
    assert "Acme" in get_text(staff.get("/companies/?contacts=unconfirmed"), "table")
    sign_in(alice).post(CONFIRM_URL)
    staff = sign_in(rita)
    assert "Contacts Last confirmed" in get_text(staff.get("/companies/acme/"))
    assert "No matching partners" in get_text(staff.get("/companies/?contacts=unconfirmed"))


def test_company_without_supported_integrations_has_no_contacts(
    integration_at: Any, alice: Any, acme: Partner, sign_in: Any
) -> None:
    integration_at("develop")
    assert 'id="contacts"' not in sign_in(alice).get("/company/acme/").text
