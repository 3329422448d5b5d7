"""Tests of accounts without password and second factor: a sensitive change needs a recent sign-in with GitHub."""

from typing import Any
from urllib.parse import quote, urlencode

import pytest
from allauth.socialaccount.models import SocialAccount
from bs4 import BeautifulSoup
from django.contrib.sessions.backends.db import SessionStore as PlainSessionStore
from django.contrib.sessions.models import Session
from django.test import Client

from portal.accounts.models import User
from portal.api.models import ApiToken
from portal.api.services import tokens
from portal.core.sessions import SessionStore
from portal.core.unsent_forms import COOKIE
from portal.webhooks import services
from portal.webhooks.models import WebhookEndpoint
from tests.conftest import PASSWORD, note_sign_in
from tests.fakes.test_sign_in import choose_account
from tests.integrations.page_text import find_text
from tests.portal.accounts.sign_in import age_sign_in
from tests.portal.accounts.test_account_security import create_token, list_event_kinds, sign_in_as
from tests.portal.webhooks.test_pages import FORM_DATA as WEBHOOK

pytestmark = pytest.mark.any_database

SIGN_IN_AGAIN = "/accounts/sign-in-again/"
TOKEN_DATA = {"name": "ci", "scopes": ["integrations:read"], "days": "30"}
PASSWORD_DATA = {"password1": "another long one", "password2": "another long one"}
SECOND_ADDRESS = "second@acme.example"


@pytest.fixture
def github_only(alice: User) -> User:
    """Alice, who signed up with GitHub and has a second address."""
    alice.set_unusable_password()
    alice.save()
    alice.emailaddress_set.create(email=SECOND_ADDRESS, verified=True)
    SocialAccount.objects.create(user=alice, provider="github", uid="47")
    return alice


def create_client(user: User, *, is_recent: bool) -> Client:
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    note_sign_in(client, user)
    if not is_recent:
        age_sign_in(client)
    return client


def list_form_actions(page: Any) -> list[str]:
    """Return the actions of a page's forms, blank for a form without one."""
    forms = BeautifulSoup(page.content, "html.parser").select("form[method=post]")
    return [str(form.get("action", "")) for form in forms]


def get_change(kind: str, user: User) -> tuple[str, dict[str, Any]]:
    """Return the path and the fields of a change."""
    match kind:
        case "token revoked":
            return f"/tokens/{create_token(user).uuid}/revoke/", {}
        case "webhook secret":
            create_client(user, is_recent=True).post("/webhooks/new/acme/", WEBHOOK)
            row = WebhookEndpoint.objects.get()
            return f"/webhooks/{row.uuid}/secret/", {"seen": row.secret_fingerprint}
    return {
        "address added": ("/accounts/email/", {"action_add": "1", "email": "third@acme.example"}),
        "address removed": ("/accounts/email/", {"action_remove": "1", "email": SECOND_ADDRESS}),
        "main address": ("/accounts/email/", {"action_primary": "1", "email": SECOND_ADDRESS}),
        "authenticator app": ("/accounts/2fa/totp/activate/", {"code": "000000"}),
        "passkey": ("/accounts/2fa/webauthn/add/", {"name": "Key", "credential": "{}"}),
        "first password": ("/accounts/password/set/", PASSWORD_DATA),
        "token": ("/profile/tokens/", TOKEN_DATA),
        "company token": ("/company/acme/tokens/", TOKEN_DATA | {"role": "editor"}),
        "webhook": ("/webhooks/new/acme/", WEBHOOK),
    }[kind]


KINDS = (
    "address added",
    "address removed",
    "main address",
    "authenticator app",
    "passkey",
    "first password",
    "token",
    "company token",
    "token revoked",
    "webhook",
    "webhook secret",
)


@pytest.mark.parametrize("kind", KINDS)
def test_change_needs_a_recent_sign_in(github_only: User, acme: Any, kind: str) -> None:
    path, fields = get_change(kind, github_only)
    before = list_event_kinds(github_only)
    answer = create_client(github_only, is_recent=False).post(path, fields)
    assert (answer.status_code, answer["Location"]) == (302, f"{SIGN_IN_AGAIN}?next={quote(path, safe='')}")
    assert list_event_kinds(github_only) == before
    answer = create_client(github_only, is_recent=True).post(path, fields)
    assert answer.get("Location", "").startswith(SIGN_IN_AGAIN) is False


@pytest.mark.parametrize("kind", ["webhook", "first password"])
def test_form_sent_before_the_sign_in_is_stored_encrypted(github_only: User, acme: Any, kind: str) -> None:
    path, fields = get_change(kind, github_only)
    client = create_client(github_only, is_recent=False)
    client.post(path, fields)
    suspended = client.session["account_reauthentication_state"]["request"]
    secret = fields.get("url") or fields["password1"]
    assert urlencode({"": secret})[1:] in suspended
    for backend in (PlainSessionStore(), SessionStore()):
        row = Session.objects.get(pk=client.session.session_key)
        assert ("account_reauthentication_state" in backend.decode(row.session_data)) is (type(backend) is SessionStore)


def test_session_without_its_key_is_empty(settings: Any) -> None:
    row = SessionStore().encode({"a": 1})
    assert (SessionStore().decode(row), SessionStore().decode("plain")) == ({"a": 1}, {})
    settings.ENCRYPTION_KEYS = ["another key of at least fifty characters, such as this one"]
    assert SessionStore().decode(row) == {}


@pytest.mark.github
def test_github_account_is_connected_only_after_a_recent_sign_in(github_only: User, github_sign_in: Any) -> None:
    github_sign_in.seed(people=({"login": "other", "name": "Other", "email": "other@acme.example"},))
    client = create_client(github_only, is_recent=False)
    leaves = client.post("/accounts/github/login/?process=connect")
    answer = client.get(choose_account(github_sign_in, leaves.url, "other"), follow=True)
    assert answer.redirect_chain[-1][0] == SIGN_IN_AGAIN
    assert SocialAccount.objects.filter(user=github_only).count() == 1


@pytest.mark.github
def test_sign_in_with_github_leads_back_to_the_filled_form(alice: User, acme: Any, github_sign_in: Any) -> None:
    alice.set_unusable_password()
    alice.save()
    github_sign_in.seed(people=({"login": "alice", "name": "Alice Archer", "email": alice.email},))
    client = Client()
    client.get(choose_account(github_sign_in, client.post("/accounts/github/login/").url, "alice"))
    age_sign_in(client)
    page = client.get(client.post("/profile/tokens/", TOKEN_DATA)["Location"])
    (action,) = [action for action in list_form_actions(page) if action.startswith("/accounts/github/login/")]
    back = client.get(choose_account(github_sign_in, client.post(action).url, "alice"))
    assert back["Location"] == "/profile/tokens/"
    restored_page = BeautifulSoup(client.get("/profile/tokens/").content, "html.parser")
    assert restored_page.select_one("#id_name")["value"] == "ci"  # type: ignore[index]
    assert [box["value"] for box in restored_page.select("[name=scopes][checked]")] == TOKEN_DATA["scopes"]
    client.post("/profile/tokens/", TOKEN_DATA)
    assert ApiToken.objects.filter(user=alice).count() == 1


@pytest.mark.parametrize(
    ("fields", "added", "chosen"),
    [
        ({"action_add": "1", "email": "third@acme.example"}, "third@acme.example", "alice@acme.example"),
        ({"action_primary": "1", "email": SECOND_ADDRESS}, None, SECOND_ADDRESS),
        ({"action_remove": "1", "email": SECOND_ADDRESS}, None, SECOND_ADDRESS),
    ],
)
def test_entered_address_is_restored_after_signing_in_again(
    github_only: User, fields: dict[str, str], added: str | None, chosen: str
) -> None:
    client = create_client(github_only, is_recent=False)
    client.post("/accounts/email/", fields)
    client.force_login(github_only, backend="django.contrib.auth.backends.ModelBackend")
    for expected in ((added, chosen), (None, github_only.email)):  # once
        page = BeautifulSoup(client.get("/accounts/email/").content, "html.parser")
        assert page.select_one("#id_email").get("value") == expected[0]  # type: ignore[union-attr]
        assert [radio["value"] for radio in page.select("[name=email][checked]")] == [expected[1]]


@pytest.mark.parametrize(
    ("path", "fields"),
    [("/accounts/password/set/", PASSWORD_DATA), ("/accounts/2fa/totp/activate/", {"code": "000000"})],
)
def test_passwords_and_codes_are_never_stored(github_only: User, path: str, fields: dict[str, str]) -> None:
    client = create_client(github_only, is_recent=False)
    assert client.get(path)["Location"].startswith(SIGN_IN_AGAIN)  # before anything is entered
    client.post(path, fields)
    assert COOKIE not in client.cookies


def test_account_without_github_signs_out_and_in_again(github_only: User) -> None:
    github_only.socialaccount_set.all().delete()
    client = create_client(github_only, is_recent=False)
    page = client.get(f"{SIGN_IN_AGAIN}?next=/profile/tokens/")
    (target,) = BeautifulSoup(page.content, "html.parser").select(
        "main form[action='/accounts/logout/'] input[name=next]"
    )
    answer = client.post("/accounts/logout/", {"next": target["value"]})
    assert answer["Location"] == "/accounts/login/?next=%2Fprofile%2Ftokens%2F"


@pytest.mark.parametrize(
    ("target", "location"),
    [("/profile/tokens/", "/profile/tokens/"), ("https://evil.example/", "/profile/"), ("", "/profile/")],
)
def test_recent_sign_in_redirects_to_the_target(github_only: User, target: str, location: str) -> None:
    answer = create_client(github_only, is_recent=True).get(SIGN_IN_AGAIN, {"next": target})
    assert answer["Location"] == location


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/profile/tokens/", TOKEN_DATA),
        ("/company/acme/tokens/", TOKEN_DATA | {"role": "editor"}),
        ("/webhooks/new/acme/", WEBHOOK),
        ("/accounts/2fa/totp/activate/", {"code": "000000"}),
    ],
)
def test_form_refused_after_reauthentication_posts_to_its_own_page(
    alice: User, acme: Any, monkeypatch: pytest.MonkeyPatch, path: str, fields: dict[str, Any]
) -> None:
    monkeypatch.setattr(tokens, "MAX_TOKENS", 0)
    monkeypatch.setattr(services, "MAX_ENDPOINTS", 0)
    client = sign_in_as(alice)
    age_sign_in(client)
    response = client.post(path, fields)
    page = client.post(response["Location"], {"password": PASSWORD, "next": path})
    assert ("" in list_form_actions(page), path in list_form_actions(page)) == (False, True)
    assert "Confirm access" not in find_text(page)
