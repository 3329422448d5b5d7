"""Gives each test process a copy of a migrated database, because migrations take ten seconds of processor time.

On SQLite the template stays in pytest's cache for as long as no migration changes; on PostgreSQL, whose test server
lives for one run, all processes of the run share it.
"""

import fcntl
import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace

import django
import pytest
from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.backends.sqlite3 import base as sqlite_base
from django.test import TransactionTestCase

from portal.core import append_only
from tests.servers.template import TEMPLATE, ensure_template, migrate

KEPT_TABLES = {"django_migrations", "django_content_type", "auth_permission"}  # filled by migrate
IN_MEMORY = "file:tests?mode=memory&cache=shared"  # each process has its own


@pytest.fixture(scope="session")
def sqlite_template(pytestconfig: pytest.Config) -> Path:
    """A migrated database without rows, to be copied."""
    folder = pytestconfig.cache.mkdir("template_database")
    template = folder / f"{_hash_migrations()}.sqlite3"
    with lock_folder(folder):
        if not template.exists():
            unfinished = template.with_suffix(".unfinished")
            unfinished.unlink(missing_ok=True)
            migrate(f"sqlite:///{unfinished}")
            unfinished.rename(template)
    return template


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    request: pytest.FixtureRequest, django_db_modify_db_settings_parallel_suffix: None
) -> Iterator[None]:
    """Hand a migrated copy to pytest-django, which then finds no migration to apply."""
    test_settings = connection.settings_dict["TEST"]
    if connection.vendor == "postgresql":
        ensure_template(os.environ["DATABASE_URL"])
        test_settings["TEMPLATE"] = TEMPLATE
        yield
        return
    test_settings["NAME"] = IN_MEMORY
    memory = sqlite3.connect(IN_MEMORY, uri=True)
    with sqlite3.connect(request.getfixturevalue("sqlite_template")) as source:
        source.backup(memory)
    yield
    memory.close()  # an in-memory database exists only while a connection to it is open


def _hash_migrations() -> str:
    """Identify the schema: our migrations, the triggers they create, and the apps of Django's release."""
    files = [Path(append_only.__file__)]
    for app in apps.get_app_configs():
        files += sorted((Path(app.path) / "migrations").glob("*.py"))
    content = b"".join(file.read_bytes() for file in files)
    return hashlib.sha256(django.__version__.encode() + content).hexdigest()[:16]


@pytest.fixture(scope="session", autouse=True)
def replace_flush() -> Iterator[None]:
    """After a test that commits, empty only the tables that it filled.

    Django's flush empties every table and then creates all content types and permissions again, which takes 0.6 s.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", _empty_filled_tables)
        yield


@pytest.fixture(scope="session", autouse=True)
def cache_placeholders() -> Iterator[None]:
    """Replace the placeholders of each of Django's queries once: a long query takes 50 µs, and tests repeat them."""
    with pytest.MonkeyPatch.context() as patch:
        substitute = lru_cache(maxsize=2_000)(sqlite_base.FORMAT_QMARK_REGEX.sub)
        patch.setattr(sqlite_base, "FORMAT_QMARK_REGEX", SimpleNamespace(sub=substitute))
        yield


def _empty_filled_tables(_: TransactionTestCase) -> None:
    tables = sorted(set(connection.introspection.django_table_names()) - KEPT_TABLES)
    is_filled = "SELECT '{0}' WHERE EXISTS (SELECT 1 FROM {0})"
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(is_filled.format(table) for table in tables))
        filled_tables = [table for (table,) in cursor.fetchall()]
    if not filled_tables:
        return
    if connection.vendor != "postgresql":
        connection.ops.execute_sql_flush(connection.ops.sql_flush(no_style(), filled_tables, allow_cascade=True))
        return
    # TRUNCATE creates a new file for each index of each table, and cascades to almost all tables
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {', '.join(filled_tables)} IN EXCLUSIVE MODE")  # waits for unfinished requests
        cursor.execute("SET LOCAL session_replication_role = replica")  # disables triggers, such as of foreign keys
        cursor.execute("; ".join(f"DELETE FROM {table}" for table in filled_tables))


@contextmanager
def lock_folder(folder: Path, name: str = "lock") -> Iterator[None]:
    """Let the processes of one run create what they share one at a time."""
    with (folder / name).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
