"""Tests that neither the text nor the cost of an answer reveals whether an address has an account.

Cost is counted as work: password hashes, which take 0.1 s each, must be equal. Queries, which take less
than 1 ms each, may differ by the number stated for each test.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from allauth.core import context as allauth_context
from allauth.socialaccount.helpers import complete_social_login
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.auth.models import AnonymousUser
from django.contrib.messages.storage.session import SessionStorage
from django.db import connection, transaction
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from integrations.partners.services import members
from portal.accounts.adapters import SocialAccountAdapter
from portal.notifications.models import EmailMessage
from tests.conftest import NOW, PASSWORD
from tests.integrations.page_text import find_text
from tests.integrations.partners.test_onboarding import get_invitation_path
from tests.portal.accounts.sign_in import GITHUB_APP

pytestmark = pytest.mark.any_database

UNKNOWN = "nobody@acme.example"


class CountingHasher(MD5PasswordHasher):
    """Fast hasher that counts its calls."""

    count: ClassVar[int] = 0

    def encode(self, password: str, salt: str) -> str:
        CountingHasher.count += 1
        return super().encode(password, salt)


@pytest.fixture(autouse=True)
def counting_hasher(settings: Any) -> None:
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher"]


@dataclass(frozen=True)
class RequestCost:
    """Cost and content of one answer."""

    status: int
    location: str
    words: str
    hashes: int
    queries: int
    emails: int


def measure_request(path: str, fields: dict[str, str], address: str) -> RequestCost:
    client = Client()
    client.get(path)
    emails = EmailMessage.objects.count()
    CountingHasher.count = 0
    with CaptureQueriesContext(connection) as queries:
        answer = client.post(path, fields)
    hashes = CountingHasher.count
    count = len(queries)
    page = client.get(answer["Location"]) if answer.status_code == 302 else answer
    words = find_text(page).replace(address, "ADDRESS")
    location = answer.get("Location", "")
    return RequestCost(answer.status_code, location, words, hashes, count, EmailMessage.objects.count() - emails)


def describe_answer(answer: Any, client: Client, address: str, emails: int = 0) -> tuple[int, str, str, int]:
    """Return what an answer reveals: status, location, text of the page, and number of emails."""
    location = answer.get("Location", "").replace(address, "ADDRESS")
    page = client.get(answer["Location"]) if answer.status_code == 302 else answer
    return (
        answer.status_code,
        location,
        find_text(page).replace(address, "ADDRESS"),
        EmailMessage.objects.count() - emails,
    )


def send_sign_in(address: str) -> RequestCost:
    return measure_request("/accounts/login/", {"login": address, "password": "a wrong one"}, address)


def send_password_reset(address: str) -> RequestCost:
    return measure_request("/accounts/password/reset/", {"email": address}, address)


def send_sign_up(address: str) -> RequestCost:
    fields = {"name": "Dora Dean", "email": address, "password1": "a long one to remember"}
    return measure_request("/accounts/signup/", fields, address)


@pytest.mark.parametrize(
    ("act", "hashes", "emails", "more_queries"),
    [
        (send_sign_in, 2, 0, -1),  # two backends look at the password; an unknown address is looked up twice
        (send_password_reset, 0, 1, 1),  # a known address needs its user for the link
        (send_sign_up, 1, 1, -8),  # the unknown address also gets the rows of a new account
    ],
)
def test_known_and_unknown_address_get_the_same_answer_at_the_same_cost(
    alice: Any, act: Callable[[str], RequestCost], hashes: int, emails: int, more_queries: int
) -> None:
    unknown = act(UNKNOWN)
    known_response = act(alice.email)
    assert (known_response.status, known_response.location, known_response.words) == (
        unknown.status,
        unknown.location,
        unknown.words,
    )
    assert (known_response.hashes, unknown.hashes, known_response.emails, unknown.emails) == (
        hashes,
        hashes,
        emails,
        emails,
    )
    assert known_response.queries - unknown.queries == more_queries


@pytest.mark.parametrize("state", ["no password", "deactivated", "unconfirmed"])
def test_wrong_password_of_an_unusual_account_gets_the_usual_answer(alice: Any, state: str) -> None:
    if state == "no password":
        alice.set_unusable_password()
    alice.is_active = state != "deactivated"
    alice.save()
    alice.emailaddress_set.update(verified=state != "unconfirmed")
    unknown = send_sign_in(UNKNOWN)
    known_response = send_sign_in(alice.email)
    assert (known_response.status, known_response.words, known_response.hashes) == (
        unknown.status,
        unknown.words,
        unknown.hashes,
    )


@pytest.mark.parametrize("act", [send_password_reset, send_sign_up])
@pytest.mark.parametrize("state", ["deactivated", "unconfirmed"])
def test_unusual_account_gets_the_usual_answer(alice: Any, act: Callable[[str], RequestCost], state: str) -> None:
    alice.is_active = state != "deactivated"
    alice.save()
    alice.emailaddress_set.update(verified=state != "unconfirmed")
    unknown = act(UNKNOWN)
    known_response = act(alice.email)
    assert (
        known_response.status,
        known_response.location,
        known_response.words,
        known_response.hashes,
        known_response.emails,
    ) == (unknown.status, unknown.location, unknown.words, unknown.hashes, unknown.emails)


def test_adding_a_taken_address_looks_like_adding_a_free_one(alice: Any, bob: Any) -> None:
    client = Client()
    client.post("/accounts/login/", {"login": alice.email, "password": PASSWORD})
    client.get("/accounts/email/")
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    pages = {}
    for address in (bob.email, UNKNOWN):
        page = client.post("/accounts/email/", {"action_add": "1", "email": address}, follow=True)
        pages[address] = (page.status_code, "cannot be used" in find_text(page), address in find_text(page))
    assert pages == {bob.email: (200, False, True), UNKNOWN: (200, False, True)}


@pytest.mark.parametrize("state", ["confirmed", "unconfirmed"])
def test_resent_confirmation_looks_the_same_for_any_address(alice: Any, bob: Any, state: str) -> None:
    bob.emailaddress_set.update(verified=state == "confirmed")
    client = Client()
    client.post("/accounts/login/", {"login": alice.email, "password": PASSWORD})
    answers = [
        describe_answer(client.post("/accounts/email/", {"action_send": "1", "email": address}), client, address, 0)
        for address in (bob.email, UNKNOWN)
    ]
    assert answers[0] == answers[1]
    assert answers[0][3] == 0


def invite(client: Client, address: str) -> tuple[int, str, str, int]:
    emails = EmailMessage.objects.count()
    return describe_answer(
        client.post("/company/acme/invite/", {"email": address, "role": "editor"}), client, address, emails
    )


def test_inviting_someone_does_not_reveal_whether_they_have_an_account(
    alice: Any, charlie: Any, sign_in: Any, time_machine: Any
) -> None:
    time_machine.move_to(timezone.now(), tick=False)  # the page shows when the invitation expires
    client = sign_in(alice)
    with transaction.atomic():
        known_response = invite(client, charlie.email)
        transaction.set_rollback(True)
    assert known_response == invite(client, UNKNOWN)


def open_invitation(address: str, act: str) -> tuple[int, str, str, int]:
    """Open or accept the newest invitation without a session. Its token is not compared."""
    path = get_invitation_path(EmailMessage.objects.filter(name="invitation").latest("pk"))
    client = Client()
    emails = EmailMessage.objects.count()
    status, location, words, mail_count = describe_answer(getattr(client, act)(path), client, address, emails)
    return status, location.replace(path, "PATH"), words, mail_count


@pytest.mark.parametrize("act", ["get", "post"])
def test_invitation_does_not_reveal_whether_its_address_has_an_account(
    alice: Any, acme: Any, charlie: Any, settings: Any, act: str
) -> None:
    settings.SITE_URL = "http://127.0.0.1:8000"
    answers = []
    for address in (charlie.email, UNKNOWN):
        members.send_invitation(acme, address, "editor", actor=alice, now=NOW)
        answers.append(open_invitation(address, act))
    assert answers[0] == answers[1]


def finish_github_sign_in(client: Client, emails: list[dict[str, Any]]) -> Any:
    """Return the answer to someone whom GitHub sends back with these addresses."""
    request = RequestFactory().get("/accounts/github/login/callback/")
    request.session = client.session
    request.user = AnonymousUser()
    request._messages = SessionStorage(request)  # type: ignore[attr-defined]
    request.allauth = SimpleNamespace()  # type: ignore[attr-defined]
    with allauth_context.request_context(request):
        provider = SocialAccountAdapter(request).get_provider(request, "github")
        facts = {"id": 4700, "login": "dora", "name": "Dora Dean", "emails": emails}
        login = provider.sociallogin_from_response(request, facts)
        login.state = {}
        answer = complete_social_login(request, login)
    request.session.save()
    return answer


@pytest.mark.parametrize("state", ["confirmed", "unconfirmed", "deactivated"])
@pytest.mark.parametrize("is_named_by_github", [True, False])
def test_sign_up_with_github_does_not_reveal_whether_an_address_has_an_account(
    alice: Any, settings: Any, state: str, is_named_by_github: bool
) -> None:
    """GitHub returns an unconfirmed address, or none and the person enters one."""
    settings.SOCIALACCOUNT_PROVIDERS = {"github": settings.SOCIALACCOUNT_PROVIDERS["github"] | {"APPS": [GITHUB_APP]}}
    alice.is_active = state != "deactivated"
    alice.save()
    alice.emailaddress_set.update(verified=state != "unconfirmed")
    answers = []
    for address in (alice.email, UNKNOWN):
        client = Client()
        sent = EmailMessage.objects.count()
        emails = [{"email": address, "primary": True, "verified": False}] if is_named_by_github else []
        answer = finish_github_sign_in(client, emails)
        if not is_named_by_github:
            assert answer["Location"] == "/accounts/3rdparty/signup/"
            answer = client.post("/accounts/3rdparty/signup/", {"name": "Dora Dean", "email": address})
        answers.append(describe_answer(answer, client, address, sent))
    assert answers[0] == answers[1]
    assert answers[0][1] == "/accounts/confirm-email/"
