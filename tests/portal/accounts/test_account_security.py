"""Tests of sessions and tokens after a changed credential, and of the security log and its emails."""

from datetime import timedelta
from typing import Any

import pytest
from allauth.account.signals import password_changed
from allauth.mfa.totp.internal.auth import TOTP
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from portal.accounts.access import revoke_access
from portal.accounts.cleanup import delete_expired
from portal.accounts.models import SecurityEvent
from portal.accounts.security_log import TEXTS, record_security_event
from portal.api.services import tokens
from portal.inbox import calendar_feed
from portal.notifications.models import EmailMessage
from portal.webhooks import services as webhooks
from tests.conftest import PASSWORD
from tests.integrations.page_text import find_text
from tests.portal.accounts.sign_in import SignIn, generate_code, get_link
from tests.portal.webhooks.test_pages import FORM_DATA as WEBHOOK

pytestmark = pytest.mark.any_database

NEW_PASSWORD = "another long one"
PASSWORD_CHANGE = {"oldpassword": PASSWORD, "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}


def sign_in_as(user: Any, agent: str = "Firefox") -> Client:
    """Return a browser that signed in through the page."""
    client = Client(headers={"User-Agent": agent})
    client.post("/accounts/login/", {"login": user.email, "password": PASSWORD})
    return client


def list_event_kinds(user: Any) -> list[str]:
    return list(SecurityEvent.objects.filter(user=user).order_by("pk").values_list("kind", flat=True))


def create_token(user: Any, partner: Any = None) -> Any:
    return tokens.create_token("ci", ["integrations:read"], 30, actor=user, now=timezone.now(), partner=partner)[0]


def is_open(client: Client) -> bool:
    return client.get("/profile/").status_code == 200


def test_password_change_ends_other_sessions_and_revokes_credentials(alice: Any, acme: Any) -> None:
    here = sign_in_as(alice)
    elsewhere = sign_in_as(alice)
    own = create_token(alice)
    of_company = create_token(alice, acme)
    address = calendar_feed.create_feed(alice, timezone.now()).rpartition("/")[2].removesuffix(".ics")
    here.post("/accounts/password/change/", PASSWORD_CHANGE)
    assert (is_open(here), is_open(elsewhere)) == (True, False)
    own.refresh_from_db()
    of_company.refresh_from_db()
    assert (own.revoked_at is None, of_company.revoked_at is None) == (False, True)
    assert calendar_feed.find_reader(address) is None
    assert UserSession.objects.filter(user=alice, session_key=here.session.session_key).count() == 1


def test_password_reset_ends_every_session(alice: Any) -> None:
    elsewhere = sign_in_as(alice)
    visitor = Client()
    visitor.post("/accounts/password/reset/", {"email": alice.email})
    page = visitor.get(get_link(EmailMessage.objects.get(name="reset_password")), follow=True)
    visitor.post(page.request["PATH_INFO"], {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD})
    assert (is_open(elsewhere), Session.objects.filter(session_key=elsewhere.cookies["sessionid"].value).count()) == (
        False,
        0,
    )
    assert list_event_kinds(alice)[-1] == "password_reset"


def test_permanent_revocation_ends_sessions_tokens_and_feeds(alice: Any, acme: Any) -> None:
    client = sign_in_as(alice)
    of_company = create_token(alice, acme)
    revoke_access(alice, is_deactivation=True)
    of_company.refresh_from_db()
    assert (is_open(client), of_company.revoked_at is None) == (False, False)
    assert UserSession.objects.count() == 0


@pytest.fixture
def old_session(alice: Any) -> Client:
    """Alice's session, an hour after her sign-in."""
    client = sign_in_as(alice)
    session = client.session
    for record in session["account_authentication_methods"]:
        record["at"] -= 3600
    session.save()
    return client


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/accounts/email/", {"action_add": "1", "email": "second@acme.example"}),
        ("/accounts/email/", {"action_remove": "1", "email": "alice@acme.example"}),
        ("/accounts/2fa/totp/activate/", {"code": "000000"}),
        ("/accounts/2fa/webauthn/add/", {"name": "Key", "credential": "{}"}),
        ("/profile/tokens/", {"name": "ci", "scopes": ["integrations:read"], "days": "30"}),
        ("/webhooks/new/acme/", WEBHOOK),
        ("/notifications/calendar/", {}),
    ],
)
def test_old_session_reauthenticates_before_a_sensitive_change(
    old_session: Client, path: str, fields: dict[str, Any]
) -> None:
    answer = old_session.post(path, fields)
    assert (answer.status_code, answer["Location"]) == (
        302,
        f"/accounts/reauthenticate/?next={path.replace('/', '%2F')}",
    )


def test_old_session_reauthenticates_before_changing_where_a_webhook_sends(
    old_session: Client, acme: Any, alice: Any
) -> None:
    endpoint, _ = webhooks.create_endpoint(acme, WEBHOOK, actor=alice, now=timezone.now())
    path = f"/webhooks/{endpoint.uuid}/change/"
    elsewhere = "https://hooks.evil.com/in"
    renamed = old_session.post(path, WEBHOOK | {"url": "", "name": "Renamed"})
    moved = old_session.post(path, WEBHOOK | {"url": elsewhere})
    assert [answer["Location"].partition("?")[0] for answer in (renamed, moved)] == [
        f"/webhooks/{endpoint.uuid}/",
        "/accounts/reauthenticate/",
    ]
    endpoint.refresh_from_db()
    assert (endpoint.name, endpoint.decrypt("url").value) == ("Renamed", WEBHOOK["url"])
    old_session.post("/accounts/reauthenticate/", {"password": PASSWORD})
    old_session.post(path, WEBHOOK | {"url": elsewhere})
    endpoint.refresh_from_db()
    assert endpoint.decrypt("url").value == elsewhere


@pytest.mark.parametrize("path", ["/accounts/2fa/totp/activate/", "/accounts/2fa/webauthn/add/"])
def test_password_is_asked_once_for_a_second_factor(alice: Any, old_session: Client, path: str) -> None:
    assert old_session.get(path)["Location"].startswith("/accounts/reauthenticate/")
    client = Client()
    assert client.post("/accounts/login/", {"login": alice.email, "password": PASSWORD}).status_code == 302
    assert client.get(path).status_code == 200


def test_old_session_reauthenticates_before_revoking_a_token(old_session: Client, alice: Any) -> None:
    token = create_token(alice)
    answer = old_session.post(f"/tokens/{token.uuid}/revoke/")
    assert answer["Location"].startswith("/accounts/reauthenticate/")
    old_session.post(answer["Location"], {"password": PASSWORD, "next": f"/tokens/{token.uuid}/revoke/"})
    token.refresh_from_db()
    assert token.revoked_at is not None


def test_password_change_asks_for_the_current_password(old_session: Client, alice: Any) -> None:
    old_session.post("/accounts/password/change/", PASSWORD_CHANGE | {"oldpassword": "wrong"})
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)


def test_sign_ins_and_failures_are_logged_with_their_client(alice: Any) -> None:
    sign_in_as(alice, "Firefox 130").post("/accounts/logout/")
    Client(headers={"User-Agent": "curl"}).post("/accounts/login/", {"login": alice.email, "password": "wrong"})
    rows = SecurityEvent.objects.filter(user=alice).order_by("pk").values_list("kind", "ip", "user_agent")
    assert list(rows) == [
        ("signed_in", "127.0.0.1", "Firefox 130"),
        ("signed_out", "127.0.0.1", "Firefox 130"),
        ("sign_in_failed", "127.0.0.1", "curl"),
    ]


def test_failed_sign_in_with_another_address_is_logged(alice: Any, bob: Any) -> None:
    bob.emailaddress_set.create(email="alice@private.example", verified=False)
    alice.emailaddress_set.create(email="alice@private.example", verified=True)
    Client().post("/accounts/login/", {"login": "Alice@private.example", "password": "wrong"})
    assert (list_event_kinds(alice), list_event_kinds(bob)) == (["sign_in_failed"], [])


def test_failed_sign_in_with_an_unverified_additional_address_is_not_shown(bob: Any) -> None:
    bob.emailaddress_set.create(email="stranger@corp.example", verified=False)
    Client().post("/accounts/login/", {"login": "stranger@corp.example", "password": "wrong"})
    events = SecurityEvent.objects.filter(kind="sign_in_failed").values_list("user", "address")
    assert list(events) == [(None, "stranger@corp.example")]


def test_wrong_second_factor_is_logged(alice: Any) -> None:
    TOTP.activate(alice, "JBSWY3DPEHPK3PXP")
    sign_in_as(alice).post("/accounts/2fa/authenticate/", {"code": "000000"})
    assert list_event_kinds(alice) == ["second_factor_failed"]


def test_each_sensitive_change_is_logged_and_emailed(alice: Any, django_capture_on_commit_callbacks: Any) -> None:
    client = sign_in_as(alice)
    sign_in_as(alice)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    client.post("/accounts/email/", {"action_add": "1", "email": "second@acme.example"})
    client.post("/accounts/email/", {"action_remove": "1", "email": "second@acme.example"})
    secret = client.get("/accounts/2fa/totp/activate/").context["form"].secret
    with django_capture_on_commit_callbacks(execute=True):
        client.post("/accounts/2fa/totp/activate/", {"code": generate_code(secret)})
    client.post("/profile/tokens/", {"name": "ci", "scopes": ["integrations:read"], "days": "30"})
    client.post("/accounts/password/change/", PASSWORD_CHANGE)
    assert list_event_kinds(alice) == [
        "signed_in",
        "signed_in",
        "email_added",
        "email_removed",
        "second_factor_added",
        "recovery_codes_created",
        "token_created",
        "password_changed",
        "tokens_revoked",
    ]
    emails = EmailMessage.objects.filter(to=alice.email).order_by("pk").values_list("subject", flat=True)
    assert list(emails) == [
        "An email address was added",
        "Email address removed",
        "Authenticator app added",
        "New API token: ci",
        "Your password was changed",
        "Your API tokens were revoked",
    ]


def test_email_about_a_change_names_its_client(alice: Any) -> None:
    sign_in_as(alice, "Firefox 130").post("/accounts/password/change/", PASSWORD_CHANGE)
    text = EmailMessage.objects.get(name="account_changed").text
    assert ("From: 127.0.0.1" in text, "Browser: Firefox 130" in text) == (True, True)


def test_security_log_shows_only_own_entries(sign_in: SignIn, alice: Any, bob: Any) -> None:
    record_security_event(alice, "signed_in", detail="of Alice")
    record_security_event(bob, "password_changed", detail="of Bob")
    page = find_text(sign_in(alice).get("/profile/security/"))
    assert ("of Alice" in page, "of Bob" in page) == (True, False)


def test_security_log_has_a_description_of_every_kind(sign_in: SignIn, alice: Any) -> None:
    for kind in TEXTS.events:
        record_security_event(alice, kind)
    page = find_text(sign_in(alice).get("/profile/security/"))
    assert [kind.label for kind in TEXTS.events.values() if kind.label not in page] == []


def test_sign_out_everywhere_else_leaves_this_session(alice: Any) -> None:
    here = sign_in_as(alice)
    elsewhere = sign_in_as(alice)
    assert find_text(here.get("/accounts/sessions/")).count("127.0.0.1") == 2
    page = here.post("/accounts/sessions/", follow=True)
    assert "Your other sessions were signed out." in find_text(page)
    assert (is_open(here), is_open(elsewhere)) == (True, False)
    assert list_event_kinds(alice)[-1] == "sessions_ended"


def test_expired_sessions_and_old_entries_are_deleted(alice: Any) -> None:
    sign_in_as(alice)
    old = record_security_event(alice, "signed_in", now=timezone.now() - timedelta(days=401))
    Session.objects.update(expire_date=timezone.now() - timedelta(days=1))
    assert delete_expired(timezone.now()) == 3
    assert (Session.objects.count(), UserSession.objects.count()) == (0, 0)
    assert not SecurityEvent.objects.filter(pk=old.pk).exists()


def test_password_signal_reaches_its_receivers_once(alice: Any, rf: Any) -> None:
    client = sign_in_as(alice)
    request = rf.post("/")
    request.session = client.session
    request.user = alice
    password_changed.send(type(alice), request=request, user=alice)
    assert list_event_kinds(alice).count("password_changed") == 1
