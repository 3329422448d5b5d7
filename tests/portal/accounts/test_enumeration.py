"""Tests that no answer tells whether an address has an account: neither its words nor the work that it takes.

Time is counted as work: password hashes, which take a tenth of a second each, must be equal; queries, which take less
than a millisecond, may differ by what is said at each test.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from portal.models import Email
from tests.conftest import PASSWORD
from tests.portal.accounts.test_joining import text_of

UNKNOWN = "nobody@acme.example"


class CountingHasher(MD5PasswordHasher):
    """A quick hasher that counts how often it computes a hash."""

    count: ClassVar[int] = 0

    def encode(self, password: str, salt: str) -> str:
        CountingHasher.count += 1
        return super().encode(password, salt)


@pytest.fixture(autouse=True)
def counted(settings: Any) -> None:
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher"]


@dataclass(frozen=True)
class Work:
    """What one answer took and said."""

    status: int
    location: str
    words: str
    hashes: int
    queries: int
    mails: int


def work_of(path: str, fields: dict[str, str], address: str) -> Work:
    client = Client()
    client.get(path)
    mails, CountingHasher.count = Email.objects.count(), 0
    with CaptureQueriesContext(connection) as queries:
        answer = client.post(path, fields)
    hashes, count = CountingHasher.count, len(queries)
    page = client.get(answer["Location"]) if answer.status_code == 302 else answer
    words = text_of(page).replace(address, "ADDRESS")
    location = answer.get("Location", "")
    return Work(answer.status_code, location, words, hashes, count, Email.objects.count() - mails)


def signs_in(address: str) -> Work:
    return work_of("/accounts/login/", {"login": address, "password": "a wrong one"}, address)


def resets(address: str) -> Work:
    return work_of("/accounts/password/reset/", {"email": address}, address)


def signs_up(address: str) -> Work:
    fields = {"name": "Dora Dean", "email": address, "password1": "a long one to remember"}
    return work_of("/accounts/signup/", fields, address)


@pytest.mark.parametrize(
    ("act", "hashes", "mails", "more_queries"),
    [
        (signs_in, 2, 0, -1),  # two backends look at the password; an unknown address is looked up twice
        (resets, 0, 1, 1),  # a known address needs its user for the link
        (signs_up, 1, 1, -8),  # rows of a new account; a second probe finds it made and is known too
    ],
)
def test_known_and_unknown_address_get_the_same_answer_for_the_same_work(
    alice: Any, act: Callable[[str], Work], hashes: int, mails: int, more_queries: int
) -> None:
    unknown, known = act(UNKNOWN), act(alice.email)
    assert (known.status, known.location, known.words) == (unknown.status, unknown.location, unknown.words)
    assert (known.hashes, unknown.hashes, known.mails, unknown.mails) == (hashes, hashes, mails, mails)
    assert known.queries - unknown.queries == more_queries


@pytest.mark.parametrize("state", ["no password", "deactivated", "unconfirmed"])
def test_unusual_account_answers_a_wrong_password_as_any(alice: Any, state: str) -> None:
    if state == "no password":
        alice.set_unusable_password()
    alice.is_active = state != "deactivated"
    alice.save()
    alice.emailaddress_set.update(verified=state != "unconfirmed")
    unknown, known = signs_in(UNKNOWN), signs_in(alice.email)
    assert (known.status, known.words, known.hashes) == (unknown.status, unknown.words, unknown.hashes)


@pytest.mark.parametrize("act", [resets, signs_up])
@pytest.mark.parametrize("state", ["deactivated", "unconfirmed"])
def test_unusual_account_answers_as_any(alice: Any, act: Callable[[str], Work], state: str) -> None:
    alice.is_active = state != "deactivated"
    alice.save()
    alice.emailaddress_set.update(verified=state != "unconfirmed")
    unknown, known = act(UNKNOWN), act(alice.email)
    assert (known.status, known.location, known.words, known.hashes, known.mails) == (
        unknown.status, unknown.location, unknown.words, unknown.hashes, unknown.mails,
    )  # fmt: skip


def test_adding_a_taken_address_looks_like_adding_a_free_one(alice: Any, bob: Any) -> None:
    client = Client()
    client.post("/accounts/login/", {"login": alice.email, "password": PASSWORD})
    client.get("/accounts/email/")
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    pages = {}
    for address in (bob.email, UNKNOWN):
        page = client.post("/accounts/email/", {"action_add": "1", "email": address}, follow=True)
        pages[address] = (page.status_code, "cannot be used" in text_of(page), address in text_of(page))
    assert pages == {bob.email: (200, False, True), UNKNOWN: (200, False, True)}
