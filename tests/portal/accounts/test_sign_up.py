"""Tests of sign-up and the confirmation of email addresses."""

from typing import Any

import pytest
from bs4 import BeautifulSoup

from portal.accounts.models import User
from portal.notifications.models import EmailMessage
from tests.conftest import create_user
from tests.integrations.page_text import find_text, get_field_error
from tests.portal.accounts.sign_in import SIGN_UP_DATA, get_link

pytestmark = pytest.mark.any_database


def test_new_user_confirms_and_is_redirected_to_the_partner_page(client: Any, db: None) -> None:
    signup_response = client.post("/accounts/signup/", SIGN_UP_DATA, follow=True)
    assert "We sent you a confirmation link." in find_text(signup_response)
    mail = EmailMessage.objects.get()
    assert (mail.name, mail.to, mail.person) == ("confirm_address", "dora@acme.example", None)
    assert "Confirm email address" in find_text(client.get(get_link(mail)))
    response = client.post(get_link(mail), follow=True)
    assert response.redirect_chain[-1] == ("/company/new/", 302)
    user = User.objects.get()
    assert (user.name, user.email) == ("Dora Dean", "dora@acme.example")


def test_opening_the_link_confirms_nothing(client: Any, db: None) -> None:
    client.post("/accounts/signup/", SIGN_UP_DATA)
    client.get(get_link(EmailMessage.objects.get()))
    assert not User.objects.get().emailaddress_set.get().verified


def test_sign_in_without_confirmation_is_refused_and_resends_the_email(client: Any, db: None, settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"confirm_email": None}
    client.post("/accounts/signup/", SIGN_UP_DATA)
    client.cookies.clear()
    client.post("/accounts/login/", {"login": SIGN_UP_DATA["email"], "password": SIGN_UP_DATA["password1"]})
    assert client.get("/profile/").status_code == 302
    assert list(EmailMessage.objects.values_list("name", flat=True)) == ["confirm_address", "confirm_address"]


def test_signing_up_with_a_known_address_looks_the_same(client: Any, alice: Any) -> None:
    fresh = client.post("/accounts/signup/", SIGN_UP_DATA)
    client.cookies.clear()
    response = client.post("/accounts/signup/", SIGN_UP_DATA | {"email": alice.email})
    assert (fresh.status_code, fresh["Location"]) == (response.status_code, response["Location"])
    assert list(EmailMessage.objects.order_by("pk").values_list("name", "to")) == [
        ("confirm_address", "dora@acme.example"),
        ("account_exists", alice.email),
    ]
    assert User.objects.count() == 2


@pytest.mark.parametrize(
    ("form_data", "field", "message"),
    [
        ({"name": ""}, "name", "Enter your name."),
        ({"email": ""}, "email", "Enter an email address."),
        ({"password1": ""}, "password1", "Enter a password."),
        ({"name": "<b>Dora</b>"}, "name", "Enter plain text without HTML."),
        ({"name": "Do\x07ra"}, "name", "Character 3 is invisible (U+0007). Delete it, or type the text again."),
        ({"email": "dora"}, "email", "Enter a valid email address, such as name@example.com."),
        ({"password1": "short"}, "password1", None),
        ({"password1": "dora@acme.example"}, "password1", None),
    ],
)
def test_invalid_sign_up_is_refused_with_field_error(
    client: Any, db: None, form_data: dict[str, str], field: str, message: str | None
) -> None:
    page = client.post("/accounts/signup/", SIGN_UP_DATA | form_data)
    field_error = get_field_error(page, field)
    assert field_error == message if message else field_error
    assert User.objects.count() == 0
    element = BeautifulSoup(page.content, "html.parser").select_one("#id_email")
    assert element is not None
    assert element.get("value", "") == (SIGN_UP_DATA | form_data)["email"]


def test_invited_person_signs_up_and_sees_the_invitation(client: Any, acme: Any, alice: Any, now: Any) -> None:
    client.post("/accounts/signup/?next=/invitations/abc/", SIGN_UP_DATA | {"next": "/invitations/abc/"})
    response = client.post(get_link(EmailMessage.objects.get()))
    assert response["Location"] == "/invitations/abc/"


def test_sign_up_stores_the_zone(client: Any, db: None) -> None:
    client.post("/accounts/signup/", SIGN_UP_DATA | {"browser_zone": "Asia/Tokyo"})
    assert User.objects.get().zone == "Asia/Tokyo"


def test_email_is_unique_in_any_case(client: Any, db: None) -> None:
    create_user("dora@acme.example", "Dora")
    client.post("/accounts/signup/", SIGN_UP_DATA | {"email": "DORA@ACME.example"})
    assert User.objects.count() == 1
