"""Tests of the transition page before the transition is performed."""

from datetime import datetime
from typing import Any

import pytest

from integrations.submissions.models import Integration
from integrations.submissions.services import findings
from portal.accounts.models import User
from portal.audit.models import AuditEvent
from portal.notifications import preferences
from portal.notifications.categories import DeliveryMode
from portal.notifications.models import EmailMessage
from tests.conftest import fulfill_requirements
from tests.integrations.database_rows import reload_row
from tests.integrations.page_text import get_text, parse
from tests.integrations.reviews.transition_page import build_url, submit_transition

pytestmark = pytest.mark.any_database
SignIn = Any


def test_preview_equals_the_emails_that_are_sent(
    ready_integration: Integration, alice: User, bob: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    client = sign_in(rita)
    body = {"version": ready_integration.version, "note": "Well done.", "preview": "1"}
    response = client.post(build_url(ready_integration, "approve"), body)
    previewed_emails = [
        (mail.select_one("strong").text, mail.select_one("pre").text) for mail in parse(response).select(".mail")
    ]
    assert reload_row(ready_integration).stage == "review"
    assert EmailMessage.objects.filter(event__event_type="integration.approved").count() == 0
    submit_transition(client, ready_integration, "approve", note="Well done.")
    emails = EmailMessage.objects.filter(event__event_type="integration.approved").order_by("pk")
    assert [(to, text.strip()) for to, text in previewed_emails] == [(mail.to, mail.text.strip()) for mail in emails]
    assert [to for to, _ in previewed_emails] == ["alice@acme.example", "bob@acme.example"]


def test_preview_changes_nothing(ready_integration: Integration, rita: User, sign_in: SignIn) -> None:
    before = (ready_integration.version, AuditEvent.objects.count(), EmailMessage.objects.count())
    response = sign_in(rita).get(build_url(ready_integration, "approve"))
    assert response.status_code == 200
    assert "in 10 minutes. You can undo the decision until then" in get_text(response, ".mail")
    assert (reload_row(ready_integration).version, AuditEvent.objects.count(), EmailMessage.objects.count()) == before


def test_preview_has_a_placeholder_for_the_reason(ready_integration: Integration, rita: User, sign_in: SignIn) -> None:
    response = sign_in(rita).get(build_url(ready_integration, "decline"))
    assert "(Your note appears here.)" in get_text(response, ".mail")
    assert "Reason for the partner" in get_text(response)


def test_transition_without_email_shows_notice(
    rocket: Integration, alice: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    fulfill_requirements(rocket, None, frozen_now)
    response = sign_in(alice).get(build_url(rocket, "complete_step"))
    assert response.status_code == 200
    assert "This action doesn't send an email." in get_text(response)


def test_blockers_are_shown_and_button_is_disabled(
    integration_at: Any, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    row = integration_at("review")
    findings.raise_finding(row, row.edition.list_requirements()[0].id, "Sign it.", actor=rita, now=frozen_now)
    response = sign_in(rita).get(build_url(row, "approve"))
    assert response.status_code == 200
    assert "Not available yet" in get_text(response)
    assert "Verify all findings first." in get_text(response)
    assert parse(response).select("#main form button[type=submit]") == []


def test_fragment_shows_the_entered_note(ready_integration: Integration, rita: User, sign_in: SignIn) -> None:
    body = {"version": ready_integration.version, "note": "Because of the key.", "preview": "1"}
    response = sign_in(rita).post(build_url(ready_integration, "decline"), body, headers={"HX-Request": "true"})
    assert "<html" not in response.content.decode()
    assert "Because of the key." in parse(response).select_one("pre").text


@pytest.mark.parametrize(
    ("mode", "caption"),
    [
        (DeliveryMode.IMMEDIATE, "We send this email to bob@acme.example in 10 minutes."),
        (DeliveryMode.DAILY, "bob@acme.example receives this in a digest."),
        (DeliveryMode.PORTAL, "bob@acme.example reads this in the portal and gets no email."),
        (DeliveryMode.OFF, "bob@acme.example turned off notifications of this kind."),
    ],
)
def test_preview_says_how_its_recipient_is_notified(
    integration_at: Any, alice: User, bob: User, sign_in: SignIn, mode: DeliveryMode, caption: str
) -> None:
    preferences.save_preferences(bob, {"progress": mode})
    page = sign_in(alice).get(build_url(integration_at("support"), "archive"))
    first = parse(page).select("figure.mail figcaption")[0]
    assert " ".join(first.get_text(" ", strip=True).split()).startswith(caption)


def test_html_of_the_email_is_shown_as_text(ready_integration: Integration, rita: User, sign_in: SignIn) -> None:
    body = {"version": ready_integration.version, "note": "<script>alert(1)</script>", "preview": "1"}
    html = sign_in(rita).post(build_url(ready_integration, "decline"), body).content.decode()
    assert "<script>alert(1)" not in html
    assert "&lt;!DOCTYPE html&gt;" in html
