"""Replay of the setup of an earlier test in this process: the same statements on the same database.

Creating an integration and moving it to a stage runs hundreds of statements, and most tests need one. The rows follow
from what the test has written so far, because it starts with empty tables whose IDs start at 1.
"""

import copyreg
import hashlib
import pickle
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from copy import deepcopy
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from uuid import uuid4

from django.conf import UserSettingsHolder, settings
from django.db import connection
from django.db.backends.signals import connection_created
from django.db.transaction import atomic
from django.dispatch import receiver
from django.utils import timezone

from integrations.programs.registry import PROGRAMS

P = ParamSpec("P")
R = TypeVar("R")
Statement = tuple[str, Any]
Recording = tuple[list[Statement], Any]  # statements and return value
CHANGES = ("INSERT", "UPDATE", "DELETE", "ROLLBACK", "WITH", "--")  # these decide what is in the tables
IGNORED_SETTINGS = {"MEDIA_ROOT", "AUDIT_ANCHOR_DIR"}  # differ between tests and don't affect rows
PUBLISHED_PROGRAMS = dict(PROGRAMS)
RESET_SEQUENCES = {
    "sqlite": "DELETE FROM sqlite_sequence",
    "postgresql": "SELECT setval(oid::regclass, 1, false) FROM pg_class WHERE relkind = 'S'"
    " AND relname !~ '^(django_migrations|django_content_type|auth_permission)_'",
}
MAX_SHARED_SECONDS = 300  # rows depend on the time: an approval can be undone for ten minutes
_recordings: dict[str, Recording] = {}
_journal: Any = None  # hash of the changes of this test; None if its rows don't follow from them
_module_id = b""  # identifies the rows that the tests of a module share


def _reduce_view(view: memoryview) -> tuple[Callable[..., Any], tuple[bytes]]:
    """Let pickle store the value of a binary field, which is a parameter of a statement, as bytes."""
    return bytes, (view.tobytes(),)


copyreg.pickle(memoryview, _reduce_view)


def begin_journal() -> None:
    """Describe the rows of a test from here on, before it opens a transaction."""
    global _journal, _module_id
    _journal = None
    if not str(connection.settings_dict["NAME"]).startswith(("file:tests", "test_")):
        return  # the first test of a process still has to create the database
    if _note_change not in connection.execute_wrappers:
        connection.execute_wrappers.append(_note_change)
    if connection.in_atomic_block:  # of the module: its rows stay, and only SQLite rolls back its sequences
        _journal = hashlib.sha256(_module_id) if connection.vendor == "sqlite" else None
        return
    with connection.cursor() as cursor:
        cursor.execute(RESET_SEQUENCES[connection.vendor])
    _journal = hashlib.sha256()
    _module_id = uuid4().bytes


@receiver(connection_created)
def end_journal(**_signal: object) -> None:
    """Replay nothing in a test without a journal, or after another thread has opened its own connection."""
    global _journal
    _journal = None


def build_or_replay(key: tuple[object, ...], build: Callable[[], Any]) -> Any:
    """Return what `build` returns. Replays its recorded statements if they would have the same effect.

    They do if the rows, the settings, and the hour are the same. A test with its own programs replays nothing.
    """
    if not _can_replay():
        return build()
    digest = _describe_state(key)
    if digest in _recordings:
        return deepcopy(_replay(_recordings[digest]))  # the test may change the result
    statements, result = _record(build)
    if not _was_rolled_back(statements):
        _recordings[digest] = (statements, deepcopy(result))
    return result


def build_or_share(folder: Path, key: tuple[object, ...], build: Callable[[], Any]) -> Any:
    """Do the same for all processes of a run: the first one stores its recording in the folder."""
    from tests.template_database import lock_folder  # pytest must load this plugin before anything else imports it

    if not _can_replay():
        return build()
    file = folder / f"recording-{_describe_state(key)}"
    with lock_folder(folder, f"{file.name}.lock"):
        if not file.exists() or time.time() - file.stat().st_mtime > MAX_SHARED_SECONDS:
            recording = _record(build)
            if not _was_rolled_back(recording[0]):
                file.write_bytes(pickle.dumps(recording))
            return recording[1]
    recording = pickle.loads(file.read_bytes())
    return _replay(recording)


def _can_replay() -> bool:
    return _journal is not None and PROGRAMS == PUBLISHED_PROGRAMS


def _record(build: Callable[[], Any]) -> Recording:
    statements: list[Statement] = []
    with connection.execute_wrapper(_record_into(statements)):
        result = build()
    return statements, result


def _was_rolled_back(statements: list[Statement]) -> bool:
    return any(sql.startswith("ROLLBACK") for sql, _ in statements)


def _replay(recording: Recording) -> Any:
    statements, result = recording
    # a transaction for each statement would take longer than the services
    with nullcontext() if connection.in_atomic_block else atomic(), connection.cursor() as cursor:
        for sql, parameters in statements:
            cursor.execute(sql, parameters)
    return result


def replay_fixture(build: Callable[P, R]) -> Callable[P, R]:
    """Replay a fixture that only writes rows, if its arguments follow from earlier rows."""

    @wraps(build)
    def fixture(*arguments: P.args, **named_arguments: P.kwargs) -> R:
        key = (build.__module__, build.__qualname__)
        result: R = build_or_replay(key, lambda: build(*arguments, **named_arguments))
        return result

    return fixture


def _record_into(statements: list[Statement]) -> Callable[..., Any]:
    def record(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
        if sql.startswith(CHANGES):
            statements.extend([(sql, each) for each in parameters] if many else [(sql, parameters)])
        return execute(sql, parameters, many, context)

    return record


def _note_change(execute: Any, sql: str, parameters: Any, many: bool, context: Any) -> Any:
    if _journal is not None and sql.startswith(CHANGES):
        rows = parameters if many else [parameters or ()]
        # repr() of psycopg's JSON shortens it
        _journal.update(repr((sql, [[getattr(each, "obj", each) for each in row] for row in rows])).encode())
    return execute(sql, parameters, many, context)


def _list_overrides() -> list[tuple[str, str]]:
    """Return the settings that differ from those of the module. Each override is a holder around the last one."""
    holder = settings._wrapped  # type: ignore[misc]
    changed: dict[str, str] = {}
    while isinstance(holder, UserSettingsHolder):
        changed = {name: repr(value) for name, value in vars(holder).items()} | changed
        holder = holder.default_settings
    return sorted((name, value) for name, value in changed.items() if name.isupper() and name not in IGNORED_SETTINGS)


def _describe_state(key: Sequence[object]) -> str:
    """Return a hash of the key and of everything that services read: changes of the test, settings, and the hour."""
    described = (key, _journal.hexdigest(), _list_overrides(), f"{timezone.now():%Y%m%d%H}")
    return hashlib.sha256(repr(described).encode()).hexdigest()
