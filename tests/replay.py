"""Repeats set-up that an earlier test of this process did: the same statements on the same database.

Creating an integration and taking it to a stage runs hundreds of statements, and most tests need one.
"""

import hashlib
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from django.conf import UserSettingsHolder, settings
from django.db import connection
from django.utils import timezone

from integrations.programs.registry import PROGRAMS

P, R = ParamSpec("P"), TypeVar("R")
Statement = tuple[str, Any]
WRITES = ("INSERT", "UPDATE", "DELETE")
OF_EACH_TEST = {"MEDIA_ROOT", "AUDIT_ANCHOR_DIR", "CACHES"}  # differ between tests and leave no trace in rows
PUBLISHED_PROGRAMS = dict(PROGRAMS)
_recordings: dict[str, tuple[list[Statement], Any]] = {}


def build_or_replay(key: tuple[object, ...], build: Callable[[], Any]) -> Any:
    """Return what `build` returns, from its recorded statements where they mean the same.

    They do on SQLite, whose numbers start again in each test, if the rows, the settings, and the hour are the same. A
    test with programs of its own builds for itself.
    """
    if connection.vendor != "sqlite" or not connection.in_atomic_block or PROGRAMS != PUBLISHED_PROGRAMS:
        return build()
    digest = _describe_state(key)
    if digest not in _recordings:
        statements: list[Statement] = []
        with connection.execute_wrapper(_record_into(statements)):
            result = build()
        _recordings[digest] = (statements, deepcopy(result))  # the test may change what it gets
        return result
    statements, result = _recordings[digest]
    with connection.cursor() as cursor:
        for sql, parameters in statements:
            cursor.execute(sql, parameters)
    return deepcopy(result)


def replay_fixture(build: Callable[P, R]) -> Callable[P, R]:
    """Let a fixture that only writes rows replay its first run, where its arguments follow from the rows."""

    @wraps(build)
    def fixture(*arguments: P.args, **named_arguments: P.kwargs) -> R:
        key = (build.__module__, build.__qualname__)
        result: R = build_or_replay(key, lambda: build(*arguments, **named_arguments))
        return result

    return fixture


def _record_into(statements: list[Statement]) -> Callable[..., Any]:
    def record(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        if sql.startswith(WRITES):
            statements.extend([(sql, each) for each in parameters] if many else [(sql, parameters)])
        return execute(sql, parameters, many, context)

    return record


def _list_overrides() -> list[tuple[str, str]]:
    """Return the settings that differ from those of the module. Each override is a holder around the last one."""
    holder, changed = settings._wrapped, {}  # type: ignore[misc]
    while isinstance(holder, UserSettingsHolder):
        changed = {name: repr(value) for name, value in vars(holder).items()} | changed
        holder = holder.default_settings
    return sorted((name, value) for name, value in changed.items() if name.isupper() and name not in OF_EACH_TEST)


def _describe_state(key: Sequence[object]) -> str:
    """Return a hash of the key and of everything that services read: rows, settings, and the hour."""
    digest = hashlib.sha256(repr((key, _list_overrides(), f"{timezone.now():%Y%m%d%H}")).encode())
    with connection.cursor() as cursor:
        for table in [*connection.introspection.table_names(cursor), "sqlite_sequence"]:
            digest.update(repr(cursor.execute(f'SELECT * FROM "{table}"').fetchall()).encode())
    return digest.hexdigest()
