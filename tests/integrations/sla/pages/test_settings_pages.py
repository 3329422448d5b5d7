"""Tests that calendars and label policies apply from their first day."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from integrations.partners.models import PartnerCalendar
from integrations.sla.models import LabelPolicy, SlaClock, SupportIssue
from portal.audit.models import AuditEvent
from portal.audit.services import record_event
from portal.notifications.models import EmailMessage
from tests.integrations.page_text import get_field_error, parse
from tests.integrations.sla.pages.issues import create_issue
from tests.portal.api.client import create_api_client

pytestmark = pytest.mark.any_database

SignIn = Callable[[Any], Any]
GERMAN = {
    "zone": "Europe/Berlin",
    "workdays": [0, 1, 2, 3, 4],
    "country": "DE",
    "subdivision": "BY",
    "extra_days": "2026-12-24 Office closed",
}


def test_calendar_is_previewed_before_it_is_saved(sign_in: SignIn, alice: Any, issues: dict[str, SupportIssue]) -> None:
    client = sign_in(alice)
    url = "/company/acme/calendar/"
    page = client.post(url, GERMAN)
    assert (page.status_code, PartnerCalendar.objects.count()) == (200, 0)
    assert page.context["preview"].open_clocks == 5
    day, name = page.context["preview"].new_days_off[0]
    assert re.search(rf"<time datetime=\"{day}\"[^>]*>[^<]+</time> \({re.escape(name)}\)", page.content.decode())
    due = dict(SlaClock.objects.values_list("pk", "due_at"))
    assert client.post(url, GERMAN | {"confirm": "1"}).status_code == 302
    edition = PartnerCalendar.objects.get()
    assert (edition.zone, edition.extra_days) == ("Europe/Berlin", {"2026-12-24": "Office closed"})
    assert edition.holidays[f"{timezone.now().year}-01-06"]
    assert dict(SlaClock.objects.values_list("pk", "due_at")) == due
    client.post(url, GERMAN | {"confirm": "1"})
    assert (
        PartnerCalendar.objects.count(),
        AuditEvent.objects.filter(event_type="partner.calendar_changed").count(),
    ) == (1, 1)


def test_calendar_of_another_company_is_as_unknown_as_that_of_none(acme: Any, charlie: Any) -> None:
    client = create_api_client(charlie)
    responses = [client.get(f"/api/v1/partners/{slug}/calendar") for slug in (acme.slug, "unknown")]
    assert [(response.status_code, response.json()["detail"]) for response in responses] == [
        (404, "Company not found. It doesn't exist, or you don't have access.")
    ] * 2


@pytest.mark.parametrize("saved_before", ["preview", "confirmation"])
def test_calendar_that_a_colleague_saved_in_between_is_not_overwritten(
    sign_in: SignIn, alice: Any, bob: Any, issues: dict[str, SupportIssue], saved_before: str
) -> None:
    client = sign_in(alice)
    url = "/company/acme/calendar/"
    page = client.get(url)
    if saved_before == "confirmation":
        page = client.post(url, GERMAN | {"seen_id": get_seen_id(page)})
    assert sign_in(bob).post(url, GERMAN | {"workdays": [0, 1, 2, 3, 6], "confirm": "1"}).status_code == 302
    input_data = GERMAN | ({"confirm": "1"} if saved_before == "confirmation" else {})
    page = client.post(url, input_data | {"seen_id": get_seen_id(page)})
    assert (page.status_code, PartnerCalendar.objects.get().created_by) == (409, bob)
    assert "changed this calendar. Compare your changes" in page.text
    assert page.context["form"]["extra_days"].value() == GERMAN["extra_days"]
    assert client.post(url, GERMAN | {"seen_id": get_seen_id(page), "confirm": "1"}).status_code == 302
    assert [each.workdays for each in PartnerCalendar.objects.all()] == [[0, 1, 2, 3, 6], [0, 1, 2, 3, 4]]


def get_seen_id(page: Any) -> str:
    """Return the edition that the page showed."""
    return str(parse(page).select_one("input[name=seen_id]")["value"])


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"workdays": [0, 1]}, "workdays"),
        ({"zone": "Mars/Olympus"}, "zone"),
        ({"subdivision": "XX"}, "subdivision"),
        ({"extra_days": "Christmas"}, "extra_days"),
        ({"country": "", "subdivision": "BY"}, "subdivision"),
        ({"extra_days": "\n".join(f"2026-03-{day:02}" for day in range(1, 20))}, "extra_days"),
    ],
)
def test_invalid_calendar_is_shown_as_field_error(
    sign_in: SignIn, alice: Any, change: dict[str, Any], field: str
) -> None:
    page = sign_in(alice).post("/company/acme/calendar/", GERMAN | change | {"confirm": "1"})
    assert (page.status_code, list(page.context["form"].errors)) == (422, [field])
    assert not PartnerCalendar.objects.exists()


def test_label_policy_applies_to_issues_opened_after_its_acceptance(
    sign_in: SignIn, alice: Any, rita: Any, issues: dict[str, SupportIssue]
) -> None:
    row = issues["running"].integration
    url = f"/integrations/{row.uuid}/label-policy/"
    response = sign_in(alice).post(url, {"critical": "Sev-One\nsev-one", "pause": "", "team": "dana"})
    assert response.status_code == 302
    policy = LabelPolicy.objects.get()
    assert (policy.critical_labels, policy.team, policy.state) == (["sev-one"], [601], "proposed")
    now = timezone.now()
    assert create_issue(row, "Before", now, labels=("sev-one",), now=now + timedelta(hours=1)).severity == "other"
    answer = {"policy": policy.pk, "answer": "accept"}
    assert sign_in(rita).post(url + "decision/", answer).status_code == 302
    later = timezone.now()
    assert create_issue(row, "After", later, labels=("sev-one",), now=later + timedelta(hours=1)).severity == "critical"
    page = sign_in(rita).get(url).content.decode()
    assert ("sev-one" in page, "dana" in page) == (True, True)


def test_declining_needs_a_reason_and_the_newest_proposal_replaces_the_previous_one(
    sign_in: SignIn, alice: Any, rita: Any, issues: dict[str, SupportIssue]
) -> None:
    url = f"/integrations/{issues['running'].integration.uuid}/label-policy/"
    for label in ("one", "two"):
        sign_in(alice).post(url, {"critical": label})
    first, second = LabelPolicy.objects.order_by("pk")
    assert (first.state, second.state) == ("declined", "proposed")
    client = sign_in(rita)
    response = client.post(url + "decision/", {"policy": second.pk, "answer": "decline"})
    assert get_field_error(response, "note") == "Enter a reason. The partner can see it."
    assert LabelPolicy.objects.get(pk=second.pk).state == "proposed"
    response = client.post(
        url + "decision/", {"policy": second.pk, "answer": "decline", "note": "x" * 501}, follow=True
    )
    assert "at most 500 characters" in get_field_error(response, "note")
    assert parse(response).select("#id_note")[0].text.strip() == "x" * 501
    client.post(url + "decision/", {"policy": second.pk, "answer": "decline", "note": "Too few."})
    assert [event.note for event in AuditEvent.objects.filter(event_type="label_policy.declined")] == ["Too few."]


def test_bots_and_second_accounts_are_compared_and_apply_after_acceptance(
    sign_in: SignIn, alice: Any, rita: Any, issues: dict[str, SupportIssue]
) -> None:
    row = issues["running"].integration
    url = f"/integrations/{row.uuid}/label-policy/"
    form_data = {"critical": "p0", "bots": "uma", "second_accounts": "dana = @uma"}
    assert sign_in(alice).post(url, form_data).status_code == 302
    policy = LabelPolicy.objects.get()
    assert (policy.bots, policy.second_accounts, policy.critical_labels) == ([501], {"601": 501}, ["p0"])
    client = sign_in(rita)
    sections = parse(client.get(url)).select("section.beside")
    changes = {
        section.h3.contents[0].strip(): [mark.get_text() for mark in section.select("ins, del")]
        for section in sections
        if section.select_one("h3 .badge")
    }
    assert list(changes) == ["Critical", "Pause", "Bot accounts", "Second accounts"]
    assert (changes["Bot accounts"], changes["Second accounts"]) == (["added: uma"], ["added: dana = uma"])
    client.post(url + "decision/", {"policy": policy.pk, "answer": "accept"})
    now = timezone.now()
    assert not SlaClock.objects.filter(
        issue=create_issue(row, "By a machine", now, now=now), is_committed=True
    ).exists()
    policies_by_title = {title: of for title, of, _ in client.get(url).context["earlier"][0][1]}
    assert (policies_by_title["Bot accounts"], policies_by_title["Second accounts"]) == (("uma",), ("dana = uma",))
    form = sign_in(alice).get(url).context["form"]
    assert (form["bots"].value(), form["second_accounts"].value()) == ("uma", "dana = uma")


@pytest.mark.parametrize(
    ("form_data", "field"),
    [
        ({"second_accounts": "dana"}, "second_accounts"),
        ({"second_accounts": "dana = dana"}, "second_accounts"),
        ({"bots": "no login here"}, "bots"),
        ({"team": "dana", "bots": "dana"}, "bots"),
    ],
)
def test_invalid_accounts_are_shown_as_field_error(
    sign_in: SignIn, alice: Any, issues: dict[str, SupportIssue], form_data: dict[str, str], field: str
) -> None:
    url = f"/integrations/{issues['running'].integration.uuid}/label-policy/"
    page = sign_in(alice).post(url, {"critical": "p0"} | form_data)
    assert (page.status_code, list(page.context["form"].errors)) == (422, [field])
    assert not LabelPolicy.objects.exists()


def test_both_sides_except_the_author_are_notified_of_a_changed_calendar(
    sign_in: SignIn, alice: Any, bob: Any, issues: dict[str, SupportIssue]
) -> None:
    sign_in(alice).post("/company/acme/calendar/", GERMAN | {"confirm": "1"})
    emails = EmailMessage.objects.filter(name="calendar_changed").order_by("pk")
    assert [email.to for email in emails] == [bob.email, issues["running"].integration.edition.mailbox]
    for email in emails:
        assert email.subject == "Calendar changed: Acme"
        assert "Europe/Berlin" in email.text
        assert "/company/acme/calendar/" in email.text
    assert "Check that the new business days are correct" in emails[1].text


def test_program_staff_who_belong_to_the_company_are_told_as_its_members(acme: Any, alice: Any) -> None:
    alice.is_reviewer = True
    alice.save()
    record_event(acme, "partner.calendar_changed", actor=None, now=timezone.now())
    assert "you are an owner or editor of Acme" in EmailMessage.objects.get(name="calendar_changed", person=alice).text


def test_both_sides_are_notified_of_a_change_by_the_portal(
    acme: Any, alice: Any, bob: Any, issues: dict[str, SupportIssue]
) -> None:
    record_event(acme, "partner.calendar_changed", actor=None, now=timezone.now(), note="Berlin")
    emails = EmailMessage.objects.filter(name="calendar_changed").order_by("pk")
    mailbox = issues["running"].integration.edition.mailbox
    assert [email.to for email in emails] == [alice.email, bob.email, mailbox]
