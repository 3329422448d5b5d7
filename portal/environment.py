"""Reading of environment variables. Invalid values stop startup with an error message.

SETTINGS collects all variables for the reference documentation.
"""

import os
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf.locale import LANG_INFO
from django.core.exceptions import ImproperlyConfigured

from portal.core.client_ip import TrustedProxies, parse_trusted_proxies
from portal.database_url import parse_database_url

KEY_ID_PATTERN = re.compile(r"[A-Za-z0-9-]{1,16}")


@dataclass(frozen=True, slots=True)
class Setting:
    """Environment variable with its type, default, and purpose."""

    name: str
    kind: str
    default: str
    doc: str


SETTINGS: list[Setting] = []


def _read_variable(name: str, kind: str, default: Any, doc: str) -> str | None:
    SETTINGS.append(Setting(name, kind, "" if default is None else str(default), doc))
    value = os.environ.get(name)
    return value.strip() if value is not None and value.strip() else None


def is_set(name: str) -> bool:
    """Return whether the variable has a value that is not blank."""
    return bool(os.environ.get(name, "").strip())


def read_text(name: str, default: str = "", *, doc: str) -> str:
    """Return the variable as text, or the default if it is unset or blank."""
    value = _read_variable(name, "text", default, doc)
    return default if value is None else value


def read_secret(name: str, *, doc: str) -> str:
    """Return a secret, or an empty string if it is unset."""
    value = _read_variable(name, "secret", None, doc)
    return value or ""


def read_flag(name: str, default: bool, *, doc: str) -> bool:
    """Return a boolean, or raise ImproperlyConfigured."""
    value = _read_variable(name, "yes/no", "yes" if default else "no", doc)
    if value is None:
        return default
    word = value.lower()
    if word in {"1", "yes", "true", "on"}:
        return True
    if word in {"0", "no", "false", "off"}:
        return False
    raise ImproperlyConfigured(f"{name} must be yes or no, not {value!r}.")


def read_number(name: str, default: int, *, low: int = 0, doc: str) -> int:
    """Return an integer of at least `low`, or raise ImproperlyConfigured."""
    value = _read_variable(name, "number", default, doc)
    if value is None:
        return default
    if not value.isdigit() or int(value) < low:
        raise ImproperlyConfigured(f"{name} must be a whole number of at least {low}, not {value!r}.")
    return int(value)


def read_list(name: str, default: str = "", *, doc: str) -> list[str]:
    """Return a comma-separated list."""
    value = _read_variable(name, "list", default, doc)
    return [word.strip() for word in (value or default).split(",") if word.strip()]


def read_languages(name: str, always: str, *, doc: str) -> list[tuple[str, str]]:
    """Return language codes with native names, `always` first, or raise ImproperlyConfigured for unknown codes."""
    codes = list(dict.fromkeys([always, *read_list(name, always, doc=doc)]))
    for code in codes:
        if "name_local" not in LANG_INFO.get(code, {}):
            raise ImproperlyConfigured(f"{name} must list codes of languages, such as en or de, not {code!r}.")
    return [(code, LANG_INFO[code]["name_local"]) for code in codes]


def read_pairs(name: str, separator: str, *, doc: str) -> dict[str, str]:
    """Return a comma-separated list of KEY<separator>VALUE, or raise ImproperlyConfigured."""
    values_by_key = {}
    for word in read_list(name, doc=doc):
        key, delimiter, value = word.partition(separator)
        if not (key and delimiter and value):
            raise ImproperlyConfigured(f"{name} must list KEY{separator}VALUE, separated by commas, not {word!r}.")
        values_by_key[key] = value
    return values_by_key


def read_url(name: str, default: str = "", *, schemes: tuple[str, ...], doc: str) -> str:
    """Return a URL with one of the schemes and without a trailing slash, or raise ImproperlyConfigured."""
    value = _read_variable(name, "address", default, doc) or default
    parts = urlsplit(value)
    location = parts.path if parts.scheme == "unix" else parts.netloc
    if value and (parts.scheme not in schemes or not location):
        raise ImproperlyConfigured(
            f"{name} must be an address that begins with {_format_schemes(schemes)}, not {value!r}."
        )
    return value.rstrip("/")


def _format_schemes(schemes: tuple[str, ...]) -> str:
    return " or ".join(f"{scheme}://" for scheme in schemes)


def read_choice(name: str, default: str, options: tuple[str, ...], *, doc: str) -> str:
    """Return one of the options, or raise ImproperlyConfigured."""
    value = _read_variable(name, " or ".join(options), default, doc) or default
    if value not in options:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(options)}, not {value!r}.")
    return value


def read_zone(name: str, default: str, *, doc: str) -> str:
    """Return the name of a time zone, or raise ImproperlyConfigured."""
    value = _read_variable(name, "time zone", default, doc) or default
    try:
        return ZoneInfo(value).key
    except (ZoneInfoNotFoundError, ValueError):
        raise ImproperlyConfigured(f"{name} must be a time zone such as Europe/Paris, not {value!r}.") from None


def read_database(name: str, default: str, *, doc: str) -> dict[str, Any]:
    """Return a database address as Django's settings. Raises ImproperlyConfigured on one that cannot be used."""
    try:
        return parse_database_url(_read_variable(name, "address", default, doc) or default)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} {error}.") from None


def read_proxies(name: str, *, doc: str) -> TrustedProxies:
    """Return the trusted proxies, none where unset. Raises ImproperlyConfigured on anything else."""
    try:
        return parse_trusted_proxies(_read_variable(name, "number or networks", None, doc) or "")
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must be {error}.") from None


def read_keys(name: str, *, doc: str) -> dict[str, str]:
    """Return a comma-separated list of ID:SECRET, newest first. Raises ImproperlyConfigured without naming a secret."""
    secrets: dict[str, str] = {}
    for position, word in enumerate(read_list(name, doc=doc), start=1):
        key_id, _, value = word.partition(":")
        if not (value and KEY_ID_PATTERN.fullmatch(key_id)):
            raise ImproperlyConfigured(
                f"{name} must list ID:SECRET, separated by commas, newest first; entry {position} is not. "
                "An ID has up to 16 letters, digits or hyphens."
            )
        if key_id in secrets:
            raise ImproperlyConfigured(f"{name} has the ID {key_id} twice.")
        secrets[key_id] = value
    return secrets
