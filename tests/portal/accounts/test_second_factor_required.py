"""Tests of the second factor that reviewers and staff need before their first privileged page."""

from typing import Any
from urllib.parse import quote

import pytest
from allauth.mfa.totp.internal.auth import TOTP
from django.db import transaction

from portal.notifications import email as mail
from portal.notifications.models import EmailMessage
from tests.integrations.page_text import find_text
from tests.portal.accounts.sign_in import SignIn, generate_code

pytestmark = pytest.mark.any_database

SECRET = "JBSWY3DPEHPK3PXP"
SETUP_PAGE = "/profile/second-factor/"


@pytest.fixture(autouse=True)
def second_factor_required(settings: Any) -> None:
    settings.STAFF_SECOND_FACTOR = "required"


@pytest.mark.parametrize(
    "path", ["/", "/queue/", "/admin/", "/profile/", "/profile/tokens/", "/companies/", "/reports/", "/emails/"]
)
@pytest.mark.parametrize("who", ["rita", "sam"])
def test_program_staff_without_factor_are_redirected_to_setup(
    sign_in: SignIn, request: pytest.FixtureRequest, who: str, path: str
) -> None:
    client = sign_in(request.getfixturevalue(who))
    answer = client.get(path)
    assert (answer.status_code, answer.get("Location")) == (302, f"{SETUP_PAGE}?next={quote(path, safe='')}")


@pytest.mark.parametrize("path", ["/directory/", "/help/", "/programs/"])
def test_public_page_without_factor_shows_what_a_visitor_sees(sign_in: SignIn, rita: Any, path: str) -> None:
    client = sign_in(rita)
    assert client.get(path).context["user"].is_authenticated is False
    TOTP.activate(rita, SECRET)
    assert client.get(path).context["user"].is_authenticated is True


def test_emails_of_program_staff_need_the_factor(sign_in: SignIn, rita: Any, settings: Any) -> None:
    settings.EMAIL_LOG_PUBLIC = False
    with transaction.atomic():
        mail.queue("confirm_address", "key", "someone@acme.example", {"activate_url": "https://portal.example/"})
    address = f"/emails/{EmailMessage.objects.get().uuid}/"
    assert sign_in(rita).get(address)["Location"] == f"{SETUP_PAGE}?next={quote(address, safe='')}"


def test_post_without_factor_changes_nothing(sign_in: SignIn, rita: Any) -> None:
    answer = sign_in(rita).post("/profile/", {"name": "Renamed", "zone": ""})
    rita.refresh_from_db()
    assert (answer["Location"], rita.name) == (SETUP_PAGE, "Rita Reyes")


def test_superuser_without_other_roles_needs_the_factor(sign_in: SignIn, alice: Any) -> None:
    alice.is_superuser = True
    alice.save()
    assert sign_in(alice).get("/profile/")["Location"] == f"{SETUP_PAGE}?next=%2Fprofile%2F"


@pytest.mark.parametrize("who", ["alice", "rita"])
def test_optional_factor_opens_every_page(
    sign_in: SignIn, request: pytest.FixtureRequest, settings: Any, who: str
) -> None:
    settings.STAFF_SECOND_FACTOR = "offered"
    assert sign_in(request.getfixturevalue(who)).get("/profile/").status_code == 200


def test_partner_can_set_up_the_factor_but_does_not_need_it(sign_in: SignIn, alice: Any) -> None:
    client = sign_in(alice)
    assert client.get("/profile/").status_code == 200
    assert "Set up" in find_text(client.get("/accounts/2fa/"))


def test_deep_link_returns_after_setup(sign_in: SignIn, rita: Any) -> None:
    client = sign_in(rita)
    page = client.get("/queue/?stage=review", follow=True)
    assert "Set up authenticator app" in find_text(page)
    TOTP.activate(rita, SECRET)
    assert client.get(SETUP_PAGE)["Location"] == "/queue/?stage=review"
    assert client.get(SETUP_PAGE)["Location"] == "/"


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_deep_link_never_leads_to_another_site(sign_in: SignIn, rita: Any, target: str) -> None:
    client = sign_in(rita)
    client.get(SETUP_PAGE, {"next": target})
    TOTP.activate(rita, SECRET)
    assert client.get(SETUP_PAGE)["Location"] == "/"


@pytest.mark.parametrize("path", ["/accounts/2fa/", "/accounts/logout/", "/accounts/password/change/", "/directory/"])
def test_setup_and_public_pages_stay_open(sign_in: SignIn, rita: Any, path: str) -> None:
    assert sign_in(rita).get(path).status_code == 200


def test_session_from_before_the_factor_ends(client: Any, rita: Any, django_capture_on_commit_callbacks: Any) -> None:
    """A session opened with a password only does not become privileged when a factor is set up elsewhere."""
    elsewhere = type(client)()
    for each in (client, elsewhere):
        each.post("/accounts/login/", {"login": rita.email, "password": "correct horse battery"})
    client.get("/accounts/reauthenticate/")
    client.post("/accounts/reauthenticate/", {"password": "correct horse battery"})
    secret = client.get("/accounts/2fa/totp/activate/").context["form"].secret
    with django_capture_on_commit_callbacks(execute=True):
        client.post("/accounts/2fa/totp/activate/", {"code": generate_code(secret)})
    assert (client.get("/profile/").status_code, elsewhere.get("/profile/").status_code) == (200, 302)
    assert elsewhere.get("/profile/")["Location"] == "/accounts/login/?next=/profile/"
