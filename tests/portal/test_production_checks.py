"""Tests of secrets that production accepts, and of those it calls weak."""

import base64
import secrets
from collections.abc import Callable

import pytest
from django.core.management.utils import get_random_secret_key

from portal.production_checks import describe_weakness

SECRETS = 2_000
REGULAR = "is too regular to be random"
WORDS = "is made of words"
PLACEHOLDER = "contains a placeholder"


@pytest.mark.parametrize(
    ("secret", "weakness"),
    [
        ("change_this_to_something_long_and_random_before_going_live", WORDS),
        ("correct horse battery staple and three more animals of that kind", WORDS),
        ("thisismyverysecretportalkeyforproductionplease12345x", WORDS),
        ("Pl3ase-Ch4nge-Th1s-S3cret-B3fore-The-N3w-P0rtal-Goes-L1ve", WORDS),
        ("SECRET_KEY_FOR_PRODUCTION_2026_0192837465_abcxyz", PLACEHOLDER),
        ("SIGNING_SECRET_FOR_PRODUCTION_2026_0192837465_abcxyz", WORDS),
        ("TODO-set-a-real-key-" * 3, REGULAR),
        (("TODO-set-a-real-key-" * 3)[:50], REGULAR),
        ("".join(2 * chr(code) for code in range(ord("a"), ord("z") + 1)), REGULAR),
        ("acegikmoqsuwybdfhjlnprtvxz" * 2, REGULAR),
        ("zyxwvutsrqponmlkjihgfedcba0123456789ZYXWVUTSRQPONMLKJIHG", REGULAR),
    ],
)
def test_weak_secret_is_named(secret: str, weakness: str) -> None:
    assert describe_weakness(secret) == weakness


@pytest.mark.parametrize(
    "make",
    [
        get_random_secret_key,
        lambda: secrets.token_urlsafe(50),
        lambda: secrets.token_urlsafe(24),
        lambda: secrets.token_hex(16),
        lambda: secrets.token_hex(32),
        lambda: base64.b64encode(secrets.token_bytes(24)).decode(),
        lambda: base64.b32encode(secrets.token_bytes(20)).decode(),
    ],
    ids=["django", "url-safe", "url-safe-32", "hex-32", "hex-64", "base64", "base32"],
)
def test_random_secret_passes(make: Callable[[], str]) -> None:
    """Words such as "key" or "default" can occur by chance, but too rarely to matter."""
    assert [secret for secret in (make() for _ in range(SECRETS)) if describe_weakness(secret)] == []
