"""Settings that a portal in production refuses to start with.

Each problem is one sentence, so that the operator can fix all of them at once.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from ipaddress import ip_address
from itertools import pairwise
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from pydantic import SecretStr

from portal.database_url import SQLITE
from portal.environment import PortalSettings

MIN_SECRET_CHARACTERS = 32
MIN_SECRET_KEY_CHARACTERS = 50  # as in Django's deployment check
# The estimate of 32 random hexadecimal digits is 80 to 120 bits, that of repeated words and sequences below 60.
MIN_SECRET_BITS = 64
# A secret with at least this many letters in words, and at least half of its letters, counts as made of words.
MIN_WORD_LETTERS = 16
MIN_WORD = 4
MAX_WORD = 16
WORD_COUNT = 10_000
LETTERS = re.compile(f"[a-z]{{{MIN_WORD},}}")
LETTERS_OF_DIGITS = str.maketrans("01345$@!", "oieassai")
PLACEHOLDERS_OF_OTHERS = "changeme|replaceme|replacethis"  # in short secrets, others occur by chance
PLACEHOLDERS = (
    f"{PLACEHOLDERS_OF_OTHERS}|placeholder|insecure|password|yoursecret|yourkey|example|secretkey|mysecret|topsecret|"
    "fillmein|notasecret|djangosecret|default|xxxxxx|qwerty|asdfgh"
)
SHARED_TENANTS = ("common", "organizations", "consumers")  # issuers of Microsoft Entra for several organizations
GENERATION_HINT = 'create one with: python3 -c "import secrets; print(secrets.token_urlsafe(50))"'


def is_public_host(host: str) -> bool:
    """Return whether a host name or address is one that other machines may reach."""
    name = host.strip().lower().strip("[]").rstrip(".")
    if not name or name == "localhost" or name.endswith(".localhost"):
        return False
    try:
        return not ip_address(name).is_loopback
    except ValueError:
        return True


def require_safe_settings(environment: PortalSettings, database: Mapping[str, object]) -> None:
    """Raise ImproperlyConfigured for a portal in production with unsafe settings, or without PORTAL_ENV."""
    reason = _find_undeclared_production(environment, database)
    if reason:
        raise ImproperlyConfigured(reason)
    problems = _find_problems(environment, database) if environment.PORTAL_ENV == "production" else []
    if problems:
        raise ImproperlyConfigured(f"The portal does not start in production: {'; '.join(problems)}.")


def _find_undeclared_production(environment: PortalSettings, database: Mapping[str, object]) -> str:
    """Return why a portal without PORTAL_ENV looks like one in production, or an empty string."""
    # Decision 0051: nothing public may run with the generated secrets and the public email log of a trial by mistake.
    if "PORTAL_ENV" in environment.model_fields_set:
        return ""
    if database["ENGINE"] != SQLITE:
        reason = "DATABASE_URL names a PostgreSQL database"
    elif is_public_host(urlsplit(environment.SITE_URL).hostname or ""):
        reason = "SITE_URL names a public host"
    elif any(map(is_public_host, environment.ALLOWED_HOSTS)):
        reason = "ALLOWED_HOSTS names a public host"
    else:
        return ""
    return f"PORTAL_ENV is not set, and {reason}: set PORTAL_ENV to production, or to embedded for a trial."


def _find_problems(environment: PortalSettings, database: Mapping[str, object]) -> list[str]:
    """Return why these settings are not safe for production, one sentence each, without the values of secrets."""
    return [
        *_find_unsafe_switches(environment, database),
        *_find_weak_secrets(environment),
        *_find_placeholders(environment),
        *_find_open_hosts(environment),
        *_find_incomplete_sign_on(environment),
    ]


def _find_unsafe_switches(environment: PortalSettings, database: Mapping[str, object]) -> Iterator[str]:
    if database["ENGINE"] == SQLITE:
        yield "DATABASE_URL must name a PostgreSQL database"
    if environment.PORTAL_DEBUG:
        yield "PORTAL_DEBUG must be off"
    if environment.ALLOW_LOOPBACK_HTTP:
        yield "ALLOW_LOOPBACK_HTTP must be off"
    if environment.AUDIT_ANCHOR_DIR.resolve().is_relative_to(environment.PORTAL_DATA.resolve()):
        yield "AUDIT_ANCHOR_DIR must be a folder outside PORTAL_DATA, so that no one can replace both at once"
    if not environment.REDIS_URL:
        yield "REDIS_URL is not set"
    # Decision 0050: without it, all requests would share the address of the proxy, and so its limits.
    if "TRUSTED_PROXIES" not in environment.model_fields_set:
        yield "TRUSTED_PROXIES must be set to the number of proxies in front of the portal, or to their networks"


def _find_weak_secrets(environment: PortalSettings) -> Iterator[str]:
    secrets = {
        "SECRET_KEY": [environment.SECRET_KEY] if environment.SECRET_KEY else [],
        "ENCRYPTION_KEYS": environment.ENCRYPTION_KEYS,
        "BADGE_SIGNING_KEYS": environment.BADGE_SIGNING_KEYS,
        "AUDIT_KEYS": [*environment.AUDIT_KEYS.values()],
    }
    name_by_secret: dict[SecretStr, str] = {}
    for name, values in secrets.items():
        if not values:
            yield f"{name} is not set"
        for value in values:
            min_characters = MIN_SECRET_KEY_CHARACTERS if name == "SECRET_KEY" else MIN_SECRET_CHARACTERS
            if weakness := describe_weakness(value.get_secret_value(), min_characters):
                yield f"{name} {weakness}; {GENERATION_HINT}"
            if value in name_by_secret:
                yield f"{name} repeats a secret of {name_by_secret[value]}; each setting requires its own secret"
            name_by_secret[value] = name


def _find_placeholders(environment: PortalSettings) -> Iterator[str]:
    """Check the secrets of other services, which may be short but must be real."""
    for name, value in environment:
        is_external = isinstance(value, SecretStr) and name != "SECRET_KEY"
        if is_external and _has_placeholder(value.get_secret_value(), PLACEHOLDERS_OF_OTHERS):
            yield f"{name} contains a placeholder"


def _find_open_hosts(environment: PortalSettings) -> Iterator[str]:
    site = urlsplit(environment.SITE_URL)
    if site.scheme != "https":
        yield "SITE_URL must start with https://"
    # Django accepts every Host header that matches, and some matching hosts may belong to others.
    if any(host.startswith(("*", ".")) or host == "" for host in environment.ALLOWED_HOSTS):
        yield "ALLOWED_HOSTS must list whole host names, without * or a leading dot"
    if site.hostname and not is_public_host(site.hostname):
        yield "SITE_URL must name the host that people use, not this machine"
    elif site.hostname and site.hostname not in map(str.lower, environment.ALLOWED_HOSTS):
        yield f"ALLOWED_HOSTS must contain the host of SITE_URL, {site.hostname}"


def _find_incomplete_sign_on(environment: PortalSettings) -> Iterator[str]:
    """Check single sign-on, which is on when any of its variables is set."""
    if not any(name.startswith("OIDC_") for name in environment.model_fields_set):
        return
    for name in ("OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_DOMAINS"):
        if not getattr(environment, name):
            yield f"{name} is not set, but single sign-on needs it"
    for name in ("OIDC_ISSUER", "OIDC_LOGOUT_URL"):
        if getattr(environment, name).startswith("http://"):
            yield f"{name} must start with https://"
    tenant = urlsplit(environment.OIDC_ISSUER).path.strip("/").partition("/")[0].lower()
    if tenant in SHARED_TENANTS:
        yield f"OIDC_ISSUER names every tenant ({tenant}), so others can claim your addresses"
    if environment.OIDC_SECOND_FACTOR and not environment.OIDC_REQUIRED:
        yield "OIDC_SECOND_FACTOR needs OIDC_REQUIRED: a sign-in with a password has no factor of the provider"


def describe_weakness(secret: str, min_characters: int = MIN_SECRET_CHARACTERS) -> str:
    """Return what makes a secret easy to guess, as the end of a sentence, or an empty string."""
    if _has_placeholder(secret, PLACEHOLDERS):
        return "contains a placeholder"
    if len(secret) < min_characters:
        return f"has {len(secret)} characters and needs at least {min_characters}"
    if estimate_bits(secret) < MIN_SECRET_BITS or _is_repetitive(secret):
        return "is too regular to be random"
    if _is_made_of_words(secret.lower()) or _is_made_of_words(secret.lower().translate(LETTERS_OF_DIGITS)):
        return "is made of words"
    return ""


def _has_placeholder(text: str, placeholders: str) -> bool:
    return re.search(placeholders, "".join(filter(str.isalnum, text.lower()))) is not None


def estimate_bits(secret: str) -> float:
    """Return a rough upper estimate of a secret's entropy, in bits.

    The entropy per character, or per step between two characters if that is less, times the number of different
    triples of characters. Triples of a sequence, such as aaa, abc, or 975, don't count.
    """
    steps = [ord(second) - ord(first) for first, second in pairwise(secret)]
    triples = {secret[i : i + 3] for i in range(len(secret) - 2)}
    return min(_compute_entropy(secret), _compute_entropy(steps)) * sum(not _is_sequence(triple) for triple in triples)


def _compute_entropy(values: Sequence[object]) -> float:
    """Return the entropy per value, in bits."""
    shares = [count / len(values) for count in Counter(values).values()]
    return -sum(share * math.log2(share) for share in shares)


def _is_sequence(triple: str) -> bool:
    first, second, third = map(ord, triple)
    return second - first == third - second


def _is_repetitive(secret: str) -> bool:
    """Return whether a secret repeats one part. The last repetition can be incomplete."""
    return any(secret[length:] == secret[:-length] for length in range(1, len(secret) // 2 + 1))


def _is_made_of_words(text: str) -> bool:
    """Return whether most letters of a text belong to English words, even without spaces between them."""
    letters = sum(map(_count_word_letters, LETTERS.findall(text)))
    return letters >= max(MIN_WORD_LETTERS, sum(map(str.isalpha, text)) / 2)


def _count_word_letters(text: str) -> int:
    """Return the maximum number of letters that words can cover without an overlap."""
    words = _load_words()
    best = [0]
    for end in range(1, len(text) + 1):
        starts = range(max(0, end - MAX_WORD), end - MIN_WORD + 1)
        best.append(max([best[-1], *(best[start] + end - start for start in starts if text[start:end] in words)]))
    return best[-1]


@cache
def _load_words() -> frozenset[str]:
    """Return the common English words without their apostrophes and hyphens."""
    import wordfreq  # noqa: PLC0415 - takes a fifth of a second, which only production needs

    words = wordfreq.top_n_list("en", WORD_COUNT, wordlist="small", ascii_only=True)
    return frozenset(word for word in words if MIN_WORD <= len(word) <= MAX_WORD and word.isalpha())
