"""Tests of sign-up, confirmation, passwords, and the second factor."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value, yield_hotp_counters_from_time
from bs4 import BeautifulSoup

from portal.accounts.adapters import SocialAccountAdapter
from portal.accounts.models import User
from portal.notifications.models import EmailMessage
from tests.conftest import PASSWORD, person
from tests.integrations.partners.test_onboarding import error_at, text_of

pytestmark = pytest.mark.any_database

SignIn = Callable[[Any], Any]
APP = {"client_id": "portal", "secret": "of the portal"}
NEW = {"name": "Dora Dean", "email": "dora@acme.example", "password1": "a long one to remember"}


def link(mail: EmailMessage) -> str:
    """The path of the link in a mail."""
    match = re.search(r"https?://[^/\s]+(/[^\s>]+)", mail.text)
    assert match is not None
    return match[1]


def code_of(secret: str) -> str:
    return format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time())))


def forbidden(html: str) -> list[str]:
    """Words that are never said."""
    return re.findall(r"\b(invalid|illegal|error 500)\b", html, re.IGNORECASE)


# -- sign up --------------------------------------------------------------------------------------------------


def test_person_signs_up_confirms_and_is_led_to_their_partner(client: Any, db: None) -> None:
    signup_response = client.post("/accounts/signup/", NEW, follow=True)
    assert "We sent you a confirmation link." in text_of(signup_response)
    mail = EmailMessage.objects.get()
    assert (mail.name, mail.to, mail.person) == ("confirm_address", "dora@acme.example", None)
    assert "Confirm email address" in text_of(client.get(link(mail)))
    response = client.post(link(mail), follow=True)
    assert response.redirect_chain[-1] == ("/company/new/", 302)
    user = User.objects.get()
    assert (user.name, user.email) == ("Dora Dean", "dora@acme.example")


def test_looking_at_the_link_confirms_nothing(client: Any, db: None) -> None:
    client.post("/accounts/signup/", NEW)
    client.get(link(EmailMessage.objects.get()))
    assert not User.objects.get().emailaddress_set.get().verified


def test_without_confirmation_no_one_gets_in_and_the_email_goes_again(client: Any, db: None, settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"confirm_email": None}
    client.post("/accounts/signup/", NEW)
    client.cookies.clear()
    client.post("/accounts/login/", {"login": NEW["email"], "password": NEW["password1"]})
    assert client.get("/profile/").status_code == 302
    assert list(EmailMessage.objects.values_list("name", flat=True)) == ["confirm_address", "confirm_address"]


def test_signing_up_with_a_known_address_looks_the_same(client: Any, alice: Any) -> None:
    fresh = client.post("/accounts/signup/", NEW)
    client.cookies.clear()
    response = client.post("/accounts/signup/", NEW | {"email": alice.email})
    assert (fresh.status_code, fresh["Location"]) == (response.status_code, response["Location"])
    assert list(EmailMessage.objects.order_by("pk").values_list("name", "to")) == [
        ("confirm_address", "dora@acme.example"),
        ("account_exists", alice.email),
    ]
    assert User.objects.count() == 2


@pytest.mark.parametrize(
    ("form_data", "field", "sentence"),
    [
        ({"name": ""}, "name", "This field is required."),
        ({"name": "<b>Dora</b>"}, "name", "Enter plain text without HTML."),
        ({"name": "Do\x07ra"}, "name", "Character 3 is invisible (U+0007). Delete it, or type the text again."),
        ({"email": "dora"}, "email", "Enter a valid email address, such as name@example.com."),
        ({"password1": "short"}, "password1", None),
        ({"password1": "dora@acme.example"}, "password1", None),
    ],
)
def test_sign_invalid_up_is_refused_with_field_error(
    client: Any, db: None, form_data: dict[str, str], field: str, sentence: str | None
) -> None:
    page = client.post("/accounts/signup/", NEW | form_data)
    field_error = error_at(page, field)
    assert field_error == sentence if sentence else field_error
    assert User.objects.count() == 0
    element = BeautifulSoup(page.content, "html5lib").select_one("#id_email")
    assert element is not None
    assert element["value"] == (NEW | form_data)["email"]


def test_invited_person_signs_up_and_lands_at_the_invitation(client: Any, acme: Any, alice: Any, now: Any) -> None:
    client.post("/accounts/signup/?next=/invitations/abc/", NEW | {"next": "/invitations/abc/"})
    response = client.post(link(EmailMessage.objects.get()))
    assert response["Location"] == "/invitations/abc/"


def test_way_back_never_leads_to_another_site(client: Any, alice: Any) -> None:
    response = client.post(
        "/accounts/login/",
        {"login": alice.email, "password": PASSWORD, "next": "https://evil.example/"},
    )
    assert response["Location"] == "/"


# -- sign in --------------------------------------------------------------------------------------------------


def test_wrong_password_is_reported_without_saying_which_is_wrong(client: Any, alice: Any) -> None:
    pages = [
        client.post("/accounts/login/", {"login": login, "password": "wrong"})
        for login in (alice.email, "nobody@acme.example")
    ]
    error_flags = ["The email address or password is incorrect." in text_of(page) for page in pages]
    assert error_flags == [True, True]


def test_guessing_is_slowed(client: Any, alice: Any) -> None:
    for _ in range(5):
        client.post("/accounts/login/", {"login": alice.email, "password": "wrong"})
    page = client.post("/accounts/login/", {"login": alice.email, "password": PASSWORD})
    assert "Too many attempts. Try again in a few minutes." in text_of(page)
    assert client.get("/profile/").status_code == 302


def test_deactivated_person_does_not_get_in(client: Any, alice: Any) -> None:
    alice.is_active = False
    alice.save()
    client.post("/accounts/login/", {"login": alice.email, "password": PASSWORD}, follow=True)
    assert client.get("/profile/").status_code == 302


def test_github_button_is_there_only_where_an_application_is_set_up(client: Any, db: None, settings: Any) -> None:
    assert "GitHub" not in text_of(client.get("/accounts/login/"))
    settings.SOCIALACCOUNT_PROVIDERS = {"github": {"APPS": [APP]}}
    assert "Sign in with GitHub" in text_of(client.get("/accounts/login/"))
    assert "Sign up with GitHub" in text_of(client.get("/accounts/signup/"))


def test_address_that_github_has_not_confirmed_is_not_confirmed_here(rf: Any, db: None, settings: Any) -> None:
    settings.SOCIALACCOUNT_PROVIDERS = {"github": settings.SOCIALACCOUNT_PROVIDERS["github"] | {"APPS": [APP]}}
    request = rf.get("/")
    provider = SocialAccountAdapter(request).get_provider(request, "github")
    emails = [{"email": "alice@acme.example", "primary": True, "verified": False}]
    profile = {"id": 47, "login": "mallory", "email": "alice@acme.example", "emails": emails}
    login = provider.sociallogin_from_response(request, profile)
    assert [(a.email, a.verified) for a in login.email_addresses] == [("alice@acme.example", False)]


@pytest.mark.parametrize(
    ("name", "expected"), [("Dora  Dean", "Dora Dean"), ("<b>Dora</b>", "dora"), (None, "dora"), ("Do\u202era", "dora")]
)
def test_name_that_github_says_is_plain_or_the_login_stands_for_it(
    rf: Any, db: None, settings: Any, name: str | None, expected: str
) -> None:
    settings.SOCIALACCOUNT_PROVIDERS = {"github": {"APPS": [APP]}}
    request = rf.get("/")
    provider = SocialAccountAdapter(request).get_provider(request, "github")
    login = provider.sociallogin_from_response(request, {"id": 47, "login": "dora", "name": name})
    assert login.user.name == expected


def test_without_an_application_the_address_of_github_is_no_crash(client: Any, db: None) -> None:
    assert client.get("/accounts/github/login/").status_code == 404
    assert client.post("/accounts/github/login/").status_code == 404
    assert client.get("/accounts/github/login/callback/").status_code == 404


# -- passwords ------------------------------------------------------------------------------------------------


def test_forgotten_password_is_replaced_through_the_email(client: Any, alice: Any) -> None:
    client.post("/accounts/password/reset/", {"email": alice.email})
    mail = EmailMessage.objects.get()
    assert (mail.name, mail.to) == ("reset_password", alice.email)
    page = client.get(link(mail), follow=True)
    client.post(page.request["PATH_INFO"], {"password1": "another long one", "password2": "another long one"})
    alice.refresh_from_db()
    assert alice.check_password("another long one")
    assert EmailMessage.objects.latest("pk").subject == "Your password was reset through an emailed link"


def test_no_one_of_the_program_reads_the_key_to_an_account(
    client: Any, alice: Any, sam: Any, rita: Any, settings: Any
) -> None:
    settings.EMAIL_LOG_PUBLIC = False
    client.post("/accounts/password/reset/", {"email": alice.email})
    mail = EmailMessage.objects.get()
    secret = link(mail)
    for user in (sam, rita, alice):
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        assert client.get(f"/emails/{mail.uuid}/").status_code == 404
        for path in ("/emails/", "/notifications/", f"/admin/notifications/emailmessage/{mail.pk}/change/"):
            assert secret not in client.get(path).content.decode()


def test_reset_link_works_once_and_says_so(client: Any, alice: Any) -> None:
    client.post("/accounts/password/reset/", {"email": alice.email})
    address = link(EmailMessage.objects.get())
    alice.set_password("changed meanwhile")
    alice.save()
    page = client.get(address, follow=True)
    assert "This link has expired or was already used." in text_of(page)
    assert forbidden(page.content.decode()) == []


def test_reset_for_no_one_looks_the_same_and_the_email_says_it(client: Any, alice: Any) -> None:
    response = client.post("/accounts/password/reset/", {"email": alice.email})
    unknown = client.post("/accounts/password/reset/", {"email": "nobody@acme.example"})
    assert (response.status_code, response["Location"]) == (unknown.status_code, unknown["Location"])
    assert EmailMessage.objects.latest("pk").name == "unknown_account"


def test_changed_password_is_reported_to_its_owner(sign_in: SignIn, alice: Any) -> None:
    new = {"oldpassword": PASSWORD, "password1": "another long one", "password2": "another long one"}
    sign_in(alice).post("/accounts/password/change/", new)
    mail = EmailMessage.objects.get()
    assert (mail.to, mail.subject) == (alice.email, "Your password was changed")


# -- second factor --------------------------------------------------------------------------------------------


@pytest.fixture
def second_factor_secret(alice: Any) -> str:
    """Alice with a second factor: its secret."""
    secret = "JBSWY3DPEHPK3PXP"
    TOTP.activate(alice, secret)
    return secret


def test_second_factor_is_asked_at_sign_in(client: Any, alice: Any, second_factor_secret: str) -> None:
    page = client.post("/accounts/login/", {"login": alice.email, "password": PASSWORD}, follow=True)
    assert "Enter the code" in text_of(page)
    assert client.get("/profile/").status_code == 302
    wrong = client.post("/accounts/2fa/authenticate/", {"code": "000000"})
    assert error_at(wrong, "code") == "Incorrect code. Enter the current code from your authenticator app."
    client.post("/accounts/2fa/authenticate/", {"code": code_of(second_factor_secret)})
    assert client.get("/profile/").status_code == 200


def test_admin_pages_ask_for_the_second_factor_as_all_pages_do(client: Any, sam: Any) -> None:
    TOTP.activate(sam, "JBSWY3DPEHPK3PXP")
    response = client.get("/admin/", follow=True)
    assert response.redirect_chain[-1][0].startswith("/accounts/login/")
    client.post("/accounts/login/?next=/admin/", {"login": sam.email, "password": PASSWORD})
    assert client.get("/admin/").status_code == 302
    client.post("/accounts/2fa/authenticate/", {"code": code_of("JBSWY3DPEHPK3PXP")})
    assert client.get("/admin/").status_code == 200


# -- every page -----------------------------------------------------------------------------------------------

PAGES = (
    "/accounts/email/",
    "/accounts/password/change/",
    "/accounts/logout/",
    "/accounts/2fa/",
    "/accounts/3rdparty/",
    "/profile/",
    "/accounts/reauthenticate/",
)


@pytest.mark.parametrize("path", PAGES)
def test_every_page_about_the_account_is_in_our_frame_and_words(sign_in: SignIn, alice: Any, path: str) -> None:
    response = sign_in(alice).get(path)
    assert response.status_code == 200
    html = response.content.decode()
    assert "Partner portal</title>" in html
    assert forbidden(html) == []
    assert not re.search(r'\sstyle="|\son[a-z]+="', html)


# -- profile --------------------------------------------------------------------------------------------------


def test_profile_is_saved_and_times_follow_the_zone(sign_in: SignIn, alice: Any) -> None:
    page = sign_in(alice).post("/profile/", {"name": "Alice A.", "zone": "Europe/Berlin"}, follow=True)
    assert "Profile saved." in text_of(page)
    alice.refresh_from_db()
    assert (alice.name, alice.zone, alice.zone_chosen) == ("Alice A.", "Europe/Berlin", True)


def test_profile_without_a_choice_follows_the_browser(sign_in: SignIn, alice: Any) -> None:
    assert 'data-zone="browser"' in sign_in(alice).get("/profile/").content.decode()
    sign_in(alice).post("/profile/", {"name": "Alice", "zone": "Asia/Tokyo"})
    assert "data-zone" not in sign_in(alice).get("/profile/").content.decode()
    sign_in(alice).post("/profile/", {"name": "Alice", "zone": ""})
    page = sign_in(alice).get("/profile/").content.decode()
    assert 'data-zone="browser"' in page
    assert "Automatic, from the browser (emails: Asia/Tokyo)" in page


@pytest.mark.parametrize(
    ("browser_zone", "is_zone_chosen", "zone"),
    [
        ("Asia/Tokyo", False, "Asia/Tokyo"),
        ("Mars/Olympus", False, "UTC"),
        ("", False, "UTC"),
        ("Asia/Tokyo", True, "UTC"),
    ],
)
def test_sign_in_reports_the_zone_of_who_never_chose_one(
    client: Any, alice: Any, browser_zone: str, is_zone_chosen: bool, zone: str
) -> None:
    User.objects.update(zone_chosen=is_zone_chosen)
    client.post("/accounts/login/", {"login": alice.email, "password": PASSWORD, "browser_zone": browser_zone})
    alice.refresh_from_db()
    assert (alice.zone, alice.zone_chosen) == (zone, is_zone_chosen)


def test_sign_up_reports_the_zone(client: Any, db: None) -> None:
    client.post("/accounts/signup/", NEW | {"browser_zone": "Asia/Tokyo"})
    assert User.objects.get().zone == "Asia/Tokyo"


@pytest.mark.parametrize(
    "form_data", [{"name": ""}, {"name": "<i>A</i>"}, {"name": "x" * 121}, {"zone": "Mars/Olympus"}, {"zone": "../etc"}]
)
def test_invalid_profile_is_refused(sign_in: SignIn, alice: Any, form_data: dict[str, str]) -> None:
    page = sign_in(alice).post("/profile/", {"name": "Alice", "zone": "UTC"} | form_data)
    assert page.status_code == 422
    assert error_at(page, next(iter(form_data))) != ""
    alice.refresh_from_db()
    assert (alice.name, alice.zone) == ("Alice Archer", "UTC")


def test_refused_name_does_not_show_in_the_frame(sign_in: SignIn, alice: Any) -> None:
    page = sign_in(alice).post("/profile/", {"name": "<i>Mallory</i>", "zone": "UTC"})
    assert "Mallory" not in text_of(page, "header.top")


# -- admin ----------------------------------------------------------------------------------------------------


def test_staff_appoint_an_owner_in_the_admin_pages(sign_in: SignIn, acme: Any, alice: Any, bob: Any, sam: Any) -> None:
    alice.is_active = False
    alice.save()
    client = sign_in(sam)
    page = BeautifulSoup(client.get(f"/admin/partners/partner/{acme.pk}/change/").content, "html5lib")
    fields = {
        i["name"]: i.get("value", "") for i in page.select("#partner_form input[name]") if i.get("type") != "submit"
    }
    client.post(f"/admin/partners/partner/{acme.pk}/change/", fields | {"appoint": bob.pk, "alliances_manager": ""})
    assert acme.memberships.get(user=bob).role == "owner"
    assert acme.events.get().event_type == "member.owner_appointed"
    assert EmailMessage.objects.get().to == bob.email


def test_staff_cannot_make_a_second_partner_that_looks_the_same(sign_in: SignIn, acme: Any, sam: Any) -> None:
    fields = {"name": "АСМЕ", "slug": "other", "memberships-TOTAL_FORMS": 0, "memberships-INITIAL_FORMS": 0}
    page = sign_in(sam).post("/admin/partners/partner/add/", fields)
    assert "The name is too similar to the partner Acme." in page.content.decode()


@pytest.mark.parametrize("path", ["accounts/user/", "partners/partner/", "partners/partner/add/"])
def test_admin_pages_open_for_staff_alone(sign_in: SignIn, sam: Any, rita: Any, path: str) -> None:
    assert sign_in(sam).get(f"/admin/{path}").status_code == 200
    assert sign_in(rita).get(f"/admin/{path}").status_code == 302


def test_admin_page_of_a_person_opens(sign_in: SignIn, sam: Any, alice: Any) -> None:
    assert sign_in(sam).get(f"/admin/accounts/user/{alice.pk}/change/").status_code == 200


def test_person_is_unique_whatever_the_case(client: Any, db: None) -> None:
    person("dora@acme.example", "Dora")
    client.post("/accounts/signup/", NEW | {"email": "DORA@ACME.example"})
    assert User.objects.count() == 1
