"""Tests of emails that reviewers edit before they decide."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import settings

from integrations.submissions.models import Integration
from integrations.submissions.services import findings
from portal.accounts.models import User
from portal.notifications.models import EmailMessage
from tests.integrations.database_rows import reload_row
from tests.integrations.page_text import get_text, parse
from tests.integrations.reviews.transition_page import build_url, submit_transition

pytestmark = pytest.mark.any_database
SignIn = Any


@pytest.fixture(autouse=True)
def partner_recipients(alice: User, bob: User) -> None:
    """Both receive the emails to the partner."""


def read_editor(response: Any) -> dict[str, str]:
    """Return the fields of the email as the browser sends them, with the hidden copies of the template's text."""
    page = parse(response)
    fields = page.select("[name^=email-], [name^=initial-email-]")
    return {field["name"]: field.get("value", field.text.removeprefix("\n")) for field in fields}


def list_emails(event_type: str) -> list[EmailMessage]:
    return list(EmailMessage.objects.filter(event__event_type=event_type).order_by("pk"))


@pytest.mark.parametrize("step", ["approve", "decline", "put_on_hold", "request_changes"])
def test_editor_shows_subject_and_markdown_of_the_template(
    ready_integration: Integration, rita: User, sign_in: SignIn, frozen_now: datetime, step: str
) -> None:
    if step == "request_changes":
        findings.raise_finding(ready_integration, "NO-3", "Add tests.", actor=rita, now=frozen_now)
    label = {"approve": "Approved", "decline": "Declined", "put_on_hold": "On hold"}.get(step, "Changes requested")
    response = sign_in(rita).get(build_url(ready_integration, step))
    editor = read_editor(response)
    assert editor["email-subject"] == f"{label}: Rocket"
    assert f"](<{settings.SITE_URL}/integrations/{ready_integration.uuid}/" in editor["email-body"]
    assert (editor["initial-email-subject"], editor["initial-email-body"]) == (
        editor["email-subject"],
        editor["email-body"],
    )
    assert "To: alice@acme.example, bob@acme.example" in get_text(response)


def test_unedited_email_uses_the_template_with_the_note(
    ready_integration: Integration, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    client = sign_in(rita)
    editor = read_editor(client.get(build_url(ready_integration, "approve")))
    submit_transition(
        client,
        ready_integration,
        "approve",
        note="Well done.",
        **{**editor, "email-body": editor["email-body"].replace("\n", "\r\n")},
    )
    event = ready_integration.events.get(event_type="integration.approved")
    assert "email" not in event.data
    assert ["> Well done." in email.text for email in list_emails("integration.approved")] == [True, True]


def test_edited_email_refreshes_only_its_preview(
    ready_integration: Integration, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    client = sign_in(rita)
    page = client.get(build_url(ready_integration, "approve"))
    assert get_text(page, "details:has(#email-preview) > summary") == "Email preview"
    data = read_editor(page) | {"email-body": "Great.", "preview": "1", "version": ready_integration.version}
    response = client.post(build_url(ready_integration, "approve"), data, headers={"HX-Request": "true"})
    assert (response.status_code, response["HX-Retarget"]) == (200, "#email-preview")
    assert ("Great." in response.text, "email-body" in response.text) == (True, False)


def test_edited_email_is_stored_with_the_event_and_sent_to_the_partner(
    ready_integration: Integration, alice: User, bob: User, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    client = sign_in(rita)
    editor = read_editor(client.get(build_url(ready_integration, "approve")))
    body = "**Great** work.\n\n[View next steps](<https://portal.example/x>)\n\n<script>alert(1)</script>"
    submit_transition(
        client, ready_integration, "approve", **editor | {"email-subject": "You are in", "email-body": body}
    )
    event = ready_integration.events.get(event_type="integration.approved")
    assert event.data["email"] == {"subject": "You are in", "body": body}
    emails = list_emails("integration.approved")
    assert [(email.to, email.subject, email.state) for email in emails] == [
        (alice.email, "You are in", "held"),
        (bob.email, "You are in", "held"),
    ]
    assert emails[0].text.startswith("**Great** work.\n\nView next steps: https://portal.example/x\n\n<script>")
    assert "owner or editor of Acme" in emails[0].text
    html = parse_html(emails[0].html)
    assert html.select_one("p.action").text == "Great work."
    assert html.select_one("a.button")["href"] == "https://portal.example/x"
    assert html.select("script") == []
    partner = sign_in(alice)
    assert "You are in" not in partner.get("/notifications/").text  # the decision can still be undone
    EmailMessage.objects.update(state="sent", visible_at=frozen_now)
    assert "You are in" in partner.get("/notifications/").text


def parse_html(html: str) -> Any:
    return parse(type("Response", (), {"content": html.encode()}))


def test_undo_cancels_the_edited_email(
    ready_integration: Integration, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    client = sign_in(rita)
    editor = read_editor(client.get(build_url(ready_integration, "approve")))
    submit_transition(client, ready_integration, "approve", **editor | {"email-subject": "You are in"})
    assert list_emails("integration.approved")[0].held_until == frozen_now + timedelta(minutes=10)
    submit_transition(client, ready_integration, "undo_decision")
    assert [email.state for email in list_emails("integration.approved")] == ["canceled", "canceled"]


def test_note_replaces_the_placeholder_of_the_template(
    ready_integration: Integration, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    client = sign_in(rita)
    editor = read_editor(client.get(build_url(ready_integration, "decline")))
    editor["email-body"] += "\n\nThank you for your work."
    submit_transition(client, ready_integration, "decline", note="Not for us.\nSorry.", **editor)
    email = list_emails("integration.declined")[0]
    assert "Reason:\n\n> Not for us.\n> Sorry.\n" in email.text
    assert "Thank you for your work." in email.text
    assert "(Your note appears here.)" not in email.text + email.html


def test_preview_keeps_an_edited_email_until_the_template_is_restored(
    ready_integration: Integration, rita: User, sign_in: SignIn, frozen_now: datetime
) -> None:
    client = sign_in(rita)
    edited = read_editor(client.get(build_url(ready_integration, "approve"))) | {"email-body": "Short and clear."}
    values = {"version": ready_integration.version, "note": "Well done.", **edited}
    kept = client.post(build_url(ready_integration, "approve"), values | {"preview": "1"})
    assert read_editor(kept) == edited
    assert [pre.text.split("\n\n")[0] for pre in parse(kept).select(".mail pre")] == ["Short and clear."] * 2
    restored = read_editor(client.post(build_url(ready_integration, "approve"), values | {"preview": "restore"}))
    assert "> Well done." in restored["email-body"]
    assert restored["email-body"] == restored["initial-email-body"]
    assert reload_row(ready_integration).stage == "review"


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("email-subject", "", "Enter a value."),
        ("email-subject", "Two\nlines", "Enter the text on one line."),
        ("email-body", " ", "Enter a value."),
    ],
)
def test_email_without_text_is_refused(
    ready_integration: Integration,
    rita: User,
    sign_in: SignIn,
    frozen_now: datetime,
    field: str,
    value: str,
    message: str,
) -> None:
    client = sign_in(rita)
    editor = read_editor(client.get(build_url(ready_integration, "approve")))
    response = submit_transition(client, ready_integration, "approve", **editor | {field: value})
    assert (response.status_code, reload_row(ready_integration).stage) == (422, "review")
    assert message in get_text(response)
