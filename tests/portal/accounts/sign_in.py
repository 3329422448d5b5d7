"""Data and helpers for tests that sign up or sign in."""

import re
from collections.abc import Callable
from typing import Any

from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time

from portal.notifications.models import EmailMessage

SignIn = Callable[[Any], Any]
GITHUB_APP = {"client_id": "portal", "secret": "of the portal"}
SIGN_UP_DATA = {"name": "Dora Dean", "email": "dora@acme.example", "password1": "a long one to remember"}


def get_link(mail: EmailMessage) -> str:
    """Return the path of the link in an email."""
    match = re.search(r"https?://[^/\s]+(/[^\s>]+)", mail.text)
    assert match is not None
    return match[1]


def age_sign_in(client: Any) -> None:
    """Move the sign-in of a session back by an hour."""
    session = client.session
    for record in session["account_authentication_methods"]:
        record["at"] -= 3600
    session.save()


def generate_code(secret: str) -> str:
    """Return the code that the authenticator app shows now."""
    return format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time())))


def find_forbidden_words(html: str) -> list[str]:
    """Return the forbidden words in a page."""
    return re.findall(r"\b(invalid|illegal|error 500)\b", html, re.IGNORECASE)
