"""Parser of database URLs into Django settings."""

import re
from urllib.parse import SplitResult, unquote, urlsplit

SSL_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
# Parameters that have their own Django setting.
OWN_SETTINGS = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
# Statements that take longer are ended. Later options win, so DATABASE_URL?options=… can change them.
DEFAULT_OPTIONS = "-c lock_timeout=5000 -c statement_timeout=30000"
POSTGRESQL = "django.db.backends.postgresql"
SQLITE = "django.db.backends.sqlite3"
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "cached_statements": 1000,  # with Python's 128, SQLite prepares most statements of a page again
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
}


def parse_database_url(url: str) -> dict[str, object]:
    """Return Django's settings for sqlite:///PATH or postgres://USER:PASSWORD@HOST:PORT/NAME?PARAMETER=VALUE.

    The parameters are those of libpq, such as sslmode and sslrootcert.

    Raises:
        ValueError: The address cannot be used. Its message never contains a value, which may be a password.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError("must name its port as a number") from None
    if parts.scheme == "sqlite":
        return {"ENGINE": SQLITE, "NAME": _read_file_name(url), "OPTIONS": SQLITE_OPTIONS}
    if parts.scheme not in {"postgres", "postgresql"}:
        scheme = f", not {parts.scheme!r}" if parts.scheme else ""
        raise ValueError(f"must start with postgres:// or sqlite://{scheme}")
    address = {
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(port or ""),
    }
    parameters = _read_parameters(parts)
    address |= {OWN_SETTINGS[name]: parameters.pop(name) for name in OWN_SETTINGS if name in parameters}
    options = f"{DEFAULT_OPTIONS} {parameters.pop('options', '')}".strip()
    return {
        "ENGINE": POSTGRESQL,
        **address,
        "OPTIONS": {"options": options, **parameters},
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }


def _read_file_name(url: str) -> str:
    """Return the name of an SQLite file, or that of a database in memory. Raises ValueError."""
    # Not the path of a parsed URL, which ends at a #. After two slashes, the file would be the name of a host.
    match = re.fullmatch(r"sqlite://(?:/(.+))?", url)
    if match is None:
        raise ValueError("must name a file after sqlite:///")
    name = match[1] or ":memory:"
    if "?" in name:
        raise ValueError("must have no parameters after the path of an SQLite file")
    return name


def _read_parameters(parts: SplitResult) -> dict[str, str]:
    """Return the libpq parameters of an address. Raises ValueError for one that libpq does not know."""
    from psycopg.pq import Conninfo  # noqa: PLC0415 - loads libpq, which an embedded portal never needs

    parameter_names = {option.keyword.decode() for option in Conninfo.get_defaults()}
    parameters = {}
    for pair in filter(None, parts.query.split("&")):
        name, _, value = map(unquote, pair.partition("="))  # as libpq: a plus sign is itself, unlike in forms
        if name not in parameter_names:
            raise ValueError(f"has a parameter that PostgreSQL's client does not know: {name!r}")
        if name in parameters:
            raise ValueError(f"has the parameter {name} twice")
        parameters[name] = value
    if parameters.get("sslmode", "prefer") not in SSL_MODES:
        raise ValueError(f"must have one of {', '.join(SSL_MODES)} as sslmode")
    return parameters
