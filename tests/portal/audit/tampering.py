"""Ways to tamper with the audit log and its anchors."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import connection
from django.utils import timezone

from portal.audit.models import AuditEvent
from portal.audit.verification import verify_log

KEYS = {"2026": "the first key", "2025": "an older key"}


@contextmanager
def drop_trigger() -> Iterator[None]:
    """Drop the trigger in a block, as only the owner of the database can."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # a table with deferred constraint checks cannot be altered
            cursor.execute("ALTER TABLE audit_auditevent DISABLE TRIGGER audit_auditevent_append_only")
            yield
            cursor.execute("ALTER TABLE audit_auditevent ENABLE TRIGGER audit_auditevent_append_only")
        else:
            cursor.execute("SELECT sql FROM sqlite_master WHERE name = 'audit_auditevent_append_only'")
            (create,) = cursor.fetchone()
            cursor.execute("DROP TRIGGER audit_auditevent_append_only")
            yield
            cursor.execute(create)


def execute_without_trigger(statement: str, *values: Any) -> None:
    with drop_trigger(), connection.cursor() as cursor:
        cursor.execute(statement, values)


def list_faults(folder: Path, now: datetime | None = None, **options: Any) -> list[str]:
    events = AuditEvent.objects.order_by("stream", "seq")
    return [str(fault) for fault in verify_log(events, folder, now or timezone.now(), **options)]
