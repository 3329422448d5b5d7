"""Tests of forgotten and changed passwords."""

from typing import Any

import pytest

from portal.notifications.models import EmailMessage
from tests.conftest import PASSWORD
from tests.integrations.page_text import find_text
from tests.portal.accounts.sign_in import SignIn, find_forbidden_words, get_link

pytestmark = pytest.mark.any_database


def test_forgotten_password_is_replaced_through_the_email(client: Any, alice: Any) -> None:
    client.post("/accounts/password/reset/", {"email": alice.email})
    mail = EmailMessage.objects.get()
    assert (mail.name, mail.to) == ("reset_password", alice.email)
    page = client.get(get_link(mail), follow=True)
    client.post(page.request["PATH_INFO"], {"password1": "another long one", "password2": "another long one"})
    alice.refresh_from_db()
    assert alice.check_password("another long one")
    assert EmailMessage.objects.latest("pk").subject == "Your password was reset through an emailed link"


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/accounts/password/reset/", {"email": "alice@acme.example"}),
        ("/accounts/password/reset/", {"email": "nobody@acme.example"}),
        ("/accounts/signup/", {"name": "Eve", "email": "eve@acme.example", "password1": "a rather long one"}),
        ("/accounts/signup/", {"name": "Eve", "email": "alice@acme.example", "password1": "a rather long one"}),
    ],
    ids=["reset", "unknown", "confirmation", "known"],
)
def test_links_in_emails_lead_to_the_portal_whatever_the_host_of_the_request(
    client: Any, alice: Any, settings: Any, path: str, fields: dict[str, str]
) -> None:
    """Otherwise, anyone could have a link with a valid token sent that leads to another port or host."""
    client.post(path, fields, headers={"Host": "testserver:4444"})
    email = EmailMessage.objects.get()
    assert "testserver" not in email.text + email.html
    assert f"{settings.SITE_URL}/accounts/" in email.text


def test_program_staff_cannot_read_a_reset_link(client: Any, alice: Any, sam: Any, rita: Any, settings: Any) -> None:
    settings.EMAIL_LOG_PUBLIC = False
    client.post("/accounts/password/reset/", {"email": alice.email})
    mail = EmailMessage.objects.get()
    secret = get_link(mail)
    for user in (sam, rita, alice):
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        assert client.get(f"/emails/{mail.uuid}/").status_code == 404
        for path in ("/emails/", "/notifications/", f"/admin/notifications/emailmessage/{mail.pk}/change/"):
            assert secret not in client.get(path).content.decode()


def test_used_reset_link_is_refused_with_an_explanation(client: Any, alice: Any) -> None:
    client.post("/accounts/password/reset/", {"email": alice.email})
    address = get_link(EmailMessage.objects.get())
    alice.set_password("changed meanwhile")
    alice.save()
    page = client.get(address, follow=True)
    assert "This link has expired or was already used." in find_text(page)
    assert find_forbidden_words(page.content.decode()) == []


def test_reset_of_an_unknown_address_gets_the_same_answer_and_another_email(client: Any, alice: Any) -> None:
    response = client.post("/accounts/password/reset/", {"email": alice.email})
    unknown = client.post("/accounts/password/reset/", {"email": "nobody@acme.example"})
    assert (response.status_code, response["Location"]) == (unknown.status_code, unknown["Location"])
    assert EmailMessage.objects.latest("pk").name == "unknown_account"


def test_password_change_is_emailed_to_the_user(sign_in: SignIn, alice: Any) -> None:
    new = {"oldpassword": PASSWORD, "password1": "another long one", "password2": "another long one"}
    sign_in(alice).post("/accounts/password/change/", new)
    mail = EmailMessage.objects.get()
    assert (mail.to, mail.subject) == (alice.email, "Your password was changed")
