"""What does the environment say? Reads settings loudly: nonsense stops the start with one sentence.

Every variable read is remembered in TABLE, from which docs/operate.md is generated.
"""

import os
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf.locale import LANG_INFO
from django.core.exceptions import ImproperlyConfigured


@dataclass(frozen=True, slots=True)
class Setting:
    """One environment variable: its name, kind, default as text, and what it is for."""

    name: str
    kind: str
    default: str
    doc: str


TABLE: list[Setting] = []


def _read(name: str, kind: str, default: Any, doc: str) -> str | None:
    TABLE.append(Setting(name, kind, "" if default is None else str(default), doc))
    value = os.environ.get(name)
    return value.strip() if value is not None and value.strip() else None


def text(name: str, default: str = "", *, doc: str) -> str:
    """The variable as text, stripped; the default where unset or blank."""
    value = _read(name, "text", default, doc)
    return default if value is None else value


def secret(name: str, *, doc: str) -> str:
    """A text that is never shown with its value; blank where unset."""
    value = _read(name, "secret", None, doc)
    return value or ""


def flag(name: str, default: bool, *, doc: str) -> bool:
    """Yes or no. Raises ImproperlyConfigured on anything else."""
    value = _read(name, "yes/no", "yes" if default else "no", doc)
    if value is None:
        return default
    word = value.lower()
    if word in {"1", "yes", "true", "on"}:
        return True
    if word in {"0", "no", "false", "off"}:
        return False
    raise ImproperlyConfigured(f"{name} must be yes or no, not {value!r}.")


def number(name: str, default: int, *, low: int = 0, doc: str) -> int:
    """A whole number of at least `low`. Raises ImproperlyConfigured on anything else."""
    value = _read(name, "number", default, doc)
    if value is None:
        return default
    if not value.isdigit() or int(value) < low:
        raise ImproperlyConfigured(f"{name} must be a whole number of at least {low}, not {value!r}.")
    return int(value)


def words(name: str, default: str = "", *, doc: str) -> list[str]:
    """A comma-separated list."""
    value = _read(name, "list", default, doc)
    return [word.strip() for word in (value or default).split(",") if word.strip()]


def languages(name: str, always: str, *, doc: str) -> list[tuple[str, str]]:
    """Codes of languages with their own names, `always` first. Raises ImproperlyConfigured on one nobody knows."""
    codes = list(dict.fromkeys([always, *words(name, always, doc=doc)]))
    for code in codes:
        if "name_local" not in LANG_INFO.get(code, {}):
            raise ImproperlyConfigured(f"{name} must list codes of languages, such as en or de, not {code!r}.")
    return [(code, LANG_INFO[code]["name_local"]) for code in codes]


def pairs(name: str, separator: str, *, doc: str) -> dict[str, str]:
    """A comma-separated list of KEY<separator>VALUE. Raises ImproperlyConfigured on anything else."""
    found = {}
    for word in words(name, doc=doc):
        key, between, value = word.partition(separator)
        if not (key and between and value):
            raise ImproperlyConfigured(f"{name} must list KEY{separator}VALUE, separated by commas, not {word!r}.")
        found[key] = value
    return found


def address(name: str, default: str = "", *, schemes: tuple[str, ...], doc: str) -> str:
    """A URL of one of the schemes, without a slash at its end. Raises ImproperlyConfigured on anything else."""
    value = _read(name, "address", default, doc) or default
    if value and (urlsplit(value).scheme not in schemes or not urlsplit(value).netloc):
        raise ImproperlyConfigured(f"{name} must be an address that begins with {_either(schemes)}, not {value!r}.")
    return value.rstrip("/")


def _either(schemes: tuple[str, ...]) -> str:
    return " or ".join(f"{scheme}://" for scheme in schemes)


def choice(name: str, default: str, options: tuple[str, ...], *, doc: str) -> str:
    """One of the options. Raises ImproperlyConfigured on anything else."""
    value = _read(name, " or ".join(options), default, doc) or default
    if value not in options:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(options)}, not {value!r}.")
    return value


def zone(name: str, default: str, *, doc: str) -> str:
    """The name of a time zone. Raises ImproperlyConfigured on anything else."""
    value = _read(name, "time zone", default, doc) or default
    try:
        return ZoneInfo(value).key
    except (ZoneInfoNotFoundError, ValueError):
        raise ImproperlyConfigured(f"{name} must be a time zone such as Europe/Paris, not {value!r}.") from None


def database(name: str, default: str, *, doc: str) -> dict[str, Any]:
    """A database address, sqlite:///PATH or postgres://USER:PASSWORD@HOST:PORT/NAME, as Django's settings."""
    value = _read(name, "address", default, doc) or default
    parts = urlsplit(value)
    if parts.scheme == "sqlite":
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": parts.path[1:] if parts.path else ":memory:"}
    try:
        port = parts.port
    except ValueError:
        raise ImproperlyConfigured(f"{name} must name its port as a number.") from None  # it may hold a password
    if parts.scheme in {"postgres", "postgresql"}:
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": parts.path.lstrip("/"),
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": unquote(parts.hostname or ""),
            "PORT": str(port or ""),
        }
    raise ImproperlyConfigured(f"{name} must begin with postgres:// or sqlite://, not {parts.scheme or value!r}.")
