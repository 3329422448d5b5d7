"""Tests of sign-in: password, GitHub, and second factor."""

from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP
from allauth.socialaccount.models import SocialLogin

from portal.accounts.adapters import SocialAccountAdapter
from portal.accounts.models import User
from tests.conftest import PASSWORD
from tests.integrations.page_text import find_text, get_field_error
from tests.portal.accounts.sign_in import GITHUB_APP, generate_code

pytestmark = pytest.mark.any_database


def test_next_url_never_leads_to_another_site(client: Any, alice: Any) -> None:
    response = client.post(
        "/accounts/login/", {"login": alice.email, "password": PASSWORD, "next": "https://evil.example/"}
    )
    assert response["Location"] == "/"


def test_wrong_password_is_reported_without_saying_which_is_wrong(client: Any, alice: Any) -> None:
    pages = [
        client.post("/accounts/login/", {"login": login, "password": "wrong"})
        for login in (alice.email, "nobody@acme.example")
    ]
    error_flags = ["The email address or password is incorrect." in find_text(page) for page in pages]
    assert error_flags == [True, True]


def test_failed_sign_ins_are_rate_limited(client: Any, alice: Any) -> None:
    for _ in range(5):
        client.post("/accounts/login/", {"login": alice.email, "password": "wrong"})
    page = client.post("/accounts/login/", {"login": alice.email, "password": PASSWORD})
    assert "Too many attempts. Try again in a few minutes." in find_text(page)
    assert client.get("/profile/").status_code == 302


def test_limit_of_failed_sign_ins_ignores_the_host_of_the_request(client: Any, alice: Any) -> None:
    """The Host header can name any port, so that each attempt could have a limit of its own."""
    wrong = {"login": alice.email, "password": "wrong"}
    for port in range(8001, 8006):
        client.post("/accounts/login/", wrong, headers={"Host": f"testserver:{port}"})
    page = client.post("/accounts/login/", wrong, headers={"Host": "testserver:8006"})
    assert "Too many attempts. Try again in a few minutes." in find_text(page)


def test_deactivated_person_cannot_sign_in(client: Any, alice: Any) -> None:
    alice.is_active = False
    alice.save()
    client.post("/accounts/login/", {"login": alice.email, "password": PASSWORD}, follow=True)
    assert client.get("/profile/").status_code == 302


def test_github_button_is_shown_only_if_an_application_is_configured(client: Any, db: None, settings: Any) -> None:
    assert "GitHub" not in find_text(client.get("/accounts/login/"))
    settings.SOCIALACCOUNT_PROVIDERS = {"github": {"APPS": [GITHUB_APP]}}
    assert "Sign in with GitHub" in find_text(client.get("/accounts/login/"))
    assert "Sign up with GitHub" in find_text(client.get("/accounts/signup/"))


def test_unconfirmed_address_of_github_stays_unconfirmed(rf: Any, db: None, settings: Any) -> None:
    settings.SOCIALACCOUNT_PROVIDERS = {"github": settings.SOCIALACCOUNT_PROVIDERS["github"] | {"APPS": [GITHUB_APP]}}
    request = rf.get("/")
    provider = SocialAccountAdapter(request).get_provider(request, "github")
    emails = [{"email": "alice@acme.example", "primary": True, "verified": False}]
    profile = {"id": 47, "login": "mallory", "email": "alice@acme.example", "emails": emails}
    login = provider.sociallogin_from_response(request, profile)
    assert [(a.email, a.verified) for a in login.email_addresses] == [("alice@acme.example", False)]


@pytest.mark.parametrize(
    ("name", "expected"), [("Dora  Dean", "Dora Dean"), ("<b>Dora</b>", "dora"), (None, "dora"), ("Do\u202era", "dora")]
)
def test_name_of_github_is_used_or_replaced_by_the_login(
    rf: Any, db: None, settings: Any, name: str | None, expected: str
) -> None:
    settings.SOCIALACCOUNT_PROVIDERS = {"github": {"APPS": [GITHUB_APP]}}
    request = rf.get("/")
    provider = SocialAccountAdapter(request).get_provider(request, "github")
    login = provider.sociallogin_from_response(request, {"id": 47, "login": "dora", "name": name})
    assert login.user.name == expected


def test_user_name_that_the_forms_refuse_is_not_used(rf: Any) -> None:
    data = {"name": "<b>Dora</b>", "username": "do\x00ra", "email": "dora@acme.example"}
    login = SocialLogin(user=User())
    assert SocialAccountAdapter(rf.get("/")).populate_user(rf.get("/"), login, data).name == ""


def test_github_url_without_an_application_is_not_found(client: Any, db: None) -> None:
    assert client.get("/accounts/github/login/").status_code == 404
    assert client.post("/accounts/github/login/").status_code == 404
    assert client.get("/accounts/github/login/callback/").status_code == 404


@pytest.fixture
def second_factor_secret(alice: Any) -> str:
    """Alice with a second factor: its secret."""
    secret = "JBSWY3DPEHPK3PXP"
    TOTP.activate(alice, secret)
    return secret


def test_sign_in_requires_the_second_factor(client: Any, alice: Any, second_factor_secret: str) -> None:
    page = client.post("/accounts/login/", {"login": alice.email, "password": PASSWORD}, follow=True)
    assert "Enter the code" in find_text(page)
    assert client.get("/profile/").status_code == 302
    wrong = client.post("/accounts/2fa/authenticate/", {"code": "000000"})
    assert get_field_error(wrong, "code") == "Incorrect code. Enter the current code from your authenticator app."
    client.post("/accounts/2fa/authenticate/", {"code": generate_code(second_factor_secret)})
    assert client.get("/profile/").status_code == 200


def test_admin_pages_require_the_second_factor(client: Any, sam: Any) -> None:
    TOTP.activate(sam, "JBSWY3DPEHPK3PXP")
    response = client.get("/admin/", follow=True)
    assert response.redirect_chain[-1][0].startswith("/accounts/login/")
    client.post("/accounts/login/?next=/admin/", {"login": sam.email, "password": PASSWORD})
    assert client.get("/admin/").status_code == 302
    client.post("/accounts/2fa/authenticate/", {"code": generate_code("JBSWY3DPEHPK3PXP")})
    assert client.get("/admin/").status_code == 200


@pytest.mark.parametrize(
    ("browser_zone", "is_zone_chosen", "zone"),
    [
        ("Asia/Tokyo", False, "Asia/Tokyo"),
        ("Mars/Olympus", False, "UTC"),
        ("", False, "UTC"),
        ("Asia/Tokyo", True, "UTC"),
    ],
)
def test_sign_in_stores_the_zone_of_users_who_never_chose_one(
    client: Any, alice: Any, browser_zone: str, is_zone_chosen: bool, zone: str
) -> None:
    User.objects.update(zone_chosen=is_zone_chosen)
    client.post("/accounts/login/", {"login": alice.email, "password": PASSWORD, "browser_zone": browser_zone})
    alice.refresh_from_db()
    assert (alice.zone, alice.zone_chosen) == (zone, is_zone_chosen)
