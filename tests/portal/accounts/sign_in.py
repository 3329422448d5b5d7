"""Data and helpers for tests that sign up or sign in."""

import re
from collections.abc import Callable
from typing import Any

from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time

from portal.notifications.models import EmailMessage

SignIn = Callable[[Any], Any]
APP = {"client_id": "portal", "secret": "of the portal"}
NEW = {"name": "Dora Dean", "email": "dora@acme.example", "password1": "a long one to remember"}


def link(mail: EmailMessage) -> str:
    """Return the path of the link in an email."""
    match = re.search(r"https?://[^/\s]+(/[^\s>]+)", mail.text)
    assert match is not None
    return match[1]


def code_of(secret: str) -> str:
    return format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time())))


def forbidden(html: str) -> list[str]:
    """Return the forbidden words in a page."""
    return re.findall(r"\b(invalid|illegal|error 500)\b", html, re.IGNORECASE)
