"""Tests that the email log hides emails whose links work without a password."""

import re
from pathlib import Path
from typing import Any

import pytest

import portal.notifications
from portal.accounts import invitations
from portal.accounts.models import User
from portal.notifications.models import EmailMessage
from portal.notifications.selectors import SECRET_TEMPLATES
from tests.conftest import NOW
from tests.portal.accounts.sign_in import get_link
from tests.portal.api.client import add_second_factor, create_api_client

SOURCES = Path(portal.notifications.__path__[0]) / "templates/notifications/email"
LINKED_VALUE = re.compile(r"\(<\{\{ ([\w.]+) \}\}>\)")
# Pages that require a sign-in, or are the same for everyone.
OPEN_PAGES = {"page", "requirement_page", "issues_page", "introduction_page", "row.page", "issue.url", "part.href"}
OPEN_LINKS = {
    "account_exists": {"password_reset_url"},  # page that asks for an email address
    "unknown_account": {"signup_url"},
    "report": {"url", "csv", "pdf"},  # pages of decisions, and files of a report that program staff can read
}


def invite(sam: User) -> EmailMessage:
    invitations.send_invitation("nora@program.example", ["reviewer"], actor=sam, now=NOW)
    return EmailMessage.objects.get(name="staff_invitation")


def test_page_and_api_refuse_an_invitation_of_staff(sam: User, rita: User, sign_in: Any, settings: Any) -> None:
    settings.EMAIL_LOG_PUBLIC = False
    email = invite(sam)
    assert sign_in(rita).get(f"/emails/{email.uuid}/").status_code == 404
    assert create_api_client(add_second_factor(rita)).get(f"/emails/{email.uuid}").status_code == 404


@pytest.mark.parametrize("address", ["/emails/", "/exports/emails.csv"])
def test_lists_have_no_link_of_an_invitation(sam: User, rita: User, sign_in: Any, address: str) -> None:
    secret = get_link(invite(sam))
    response = sign_in(rita).get(address)
    content = (b"".join(response) if response.streaming else response.content).decode()
    is_listed = "nora@program.example" in content.replace("<wbr>", "")
    assert (response.status_code, is_listed, secret in content) == (200, True, False)


def test_templates_with_a_personal_link_are_secret() -> None:
    secret = set()
    for source in SOURCES.glob("*.md"):
        values = set(LINKED_VALUE.findall(source.read_text())) - OPEN_PAGES - OPEN_LINKS.get(source.stem, set())
        secret |= {source.stem} if values else set()
    assert secret == SECRET_TEMPLATES


def test_empty_log_explains_itself_and_filters_without_a_match_can_be_cleared(rita: User, sign_in: Any) -> None:
    client = sign_in(rita)
    EmailMessage.objects.all().delete()
    assert "All emails of the portal appear here" in client.get("/emails/").content.decode()
    page = client.get("/emails/", {"q": "nobody@acme.example"}).content.decode()
    assert ("No matching emails" in page, "No emails yet" in page) == (True, False)
