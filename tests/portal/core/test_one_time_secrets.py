"""Tests of secrets that a page shows once."""

from types import SimpleNamespace
from typing import Any

import pytest
import time_machine
from django.http import HttpRequest

from portal.core.crypto import Secret
from portal.core.one_time_secrets import MAX_AGE_SECONDS, store_secret, take_secret
from portal.core.sessions import SessionStore

SECRET = Secret("s3cret")


@pytest.fixture
def request_of_user(db: None) -> HttpRequest:
    request = HttpRequest()
    request.user = SimpleNamespace(pk=1)  # type: ignore[assignment]
    request.session = SessionStore()
    return request


def test_secret_is_returned_once_to_its_subject(request_of_user: HttpRequest) -> None:
    store_secret(request_of_user, "token 1", SECRET)
    assert "s3cret" not in str(dict(request_of_user.session.items()))
    taken = [take_secret(request_of_user, subject) for subject in ("token 2", "token 1", "token 1")]
    assert taken == [None, SECRET, None]


def test_secret_expires(request_of_user: HttpRequest) -> None:
    with time_machine.travel("2026-04-14T09:00:00Z", tick=False) as clock:
        store_secret(request_of_user, "token 1", SECRET)
        store_secret(request_of_user, "token 2", SECRET)
        clock.shift(MAX_AGE_SECONDS)
        assert take_secret(request_of_user, "token 1") == SECRET
        clock.shift(1)
        assert take_secret(request_of_user, "token 2") is None


def test_secret_of_a_removed_key_is_gone(request_of_user: HttpRequest, settings: Any) -> None:
    store_secret(request_of_user, "token 1", SECRET)
    settings.ENCRYPTION_KEYS = ["another-key-" * 4]
    assert take_secret(request_of_user, "token 1") is None
