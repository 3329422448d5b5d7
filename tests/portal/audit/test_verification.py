"""Tests of the verification of the audit log against changes in the database."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from integrations.partners.models import Partner
from portal.audit import anchors as audit_anchors
from portal.audit.services import record_event
from portal.audit.verification import verify_since_anchor
from tests.portal.audit.tampering import execute_without_trigger, list_faults

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("keys")]


def test_untouched_log_verifies(stream: str, folder: Path, capsys: Any) -> None:
    assert list_faults(folder) == []
    call_command("verify_audit_log")
    assert capsys.readouterr().out == "Verified events: 7. Verified anchors: 2.\n"


def test_events_since_the_newest_anchor_are_verified(stream: str, acme: Partner, folder: Path, capsys: Any) -> None:
    for number in (5, 6):
        record_event(acme, "partner.profile_changed", actor=None, now=timezone.now(), note=f"change {number}")
    call_command("verify_audit_log", since_anchor=True)
    assert capsys.readouterr().out == "All anchors and the events since the newest one were verified.\n"
    execute_without_trigger("UPDATE audit_auditevent SET note = 'else' WHERE stream = %s AND seq = 2", stream)
    assert [
        str(fault) for fault in verify_since_anchor(folder, timezone.now())
    ] == []  # found by verifying the whole log
    assert len(list_faults(folder)) == 1
    execute_without_trigger("UPDATE audit_auditevent SET note = 'else' WHERE stream = %s AND seq = 6", stream)
    execute_without_trigger("DELETE FROM audit_auditevent WHERE stream = %s AND seq = 5", stream)
    assert [str(fault) for fault in verify_since_anchor(folder, timezone.now())] == [
        f"{stream} event 6 (partner.profile_changed): the previous event is missing or was replaced",
        f"{stream} event 6 (partner.profile_changed): the content was changed after it was written",
    ]


def test_events_since_a_missing_or_stale_anchor_do_not_verify(stream: str, folder: Path, tmp_path: Path) -> None:
    now = timezone.now()
    assert [str(fault) for fault in verify_since_anchor(tmp_path / "unmounted", now)] == [
        f"anchor {number}: it was recorded but is missing from {tmp_path / 'unmounted'}" for number in (1, 2)
    ]
    (fault,) = verify_since_anchor(folder, now + timedelta(days=3))
    assert (fault.place, fault.is_tampering) == ("anchors", False)


def test_changed_event_is_named(stream: str, folder: Path) -> None:
    execute_without_trigger("UPDATE audit_auditevent SET note = 'else' WHERE stream = %s AND seq = 2", stream)
    assert list_faults(folder) == [
        f"{stream} event 2 (partner.profile_changed): the content was changed after it was written"
    ]


def test_event_of_another_partner_is_named(stream: str, globex: Partner, folder: Path) -> None:
    execute_without_trigger(
        "UPDATE audit_auditevent SET partner_id = %s WHERE stream = %s AND seq = 2", globex.pk, stream
    )
    assert list_faults(folder) == [
        f"{stream} event 2 (partner.profile_changed): the content was changed after it was written"
    ]


def test_removed_event_is_named(stream: str, folder: Path) -> None:
    execute_without_trigger("DELETE FROM audit_auditevent WHERE stream = %s AND seq = 2", stream)
    assert list_faults(folder) == [
        f"{stream} event 3 (partner.profile_changed): the previous event is missing or was replaced"
    ]


def test_truncated_stream_is_named(stream: str, folder: Path) -> None:
    execute_without_trigger("DELETE FROM audit_auditevent WHERE stream = %s AND seq > 2", stream)
    assert list_faults(folder) == [
        f"{stream}: it was cut off after event 2: anchor 1 lists event 3",
        f"{stream}: it was cut off after event 2: anchor 2 lists event 4",
    ]


def test_deleted_stream_is_named(stream: str, folder: Path) -> None:
    execute_without_trigger("DELETE FROM audit_auditevent WHERE stream = %s", stream)
    assert list_faults(folder) == [
        f"{stream}: it was deleted: anchor 1 lists event 3",
        f"{stream}: it was deleted: anchor 2 lists event 4",
    ]


def test_deleted_log_is_named(stream: str, folder: Path) -> None:
    execute_without_trigger("DELETE FROM audit_auditevent")
    assert [fault.partition(": it was deleted")[1] for fault in list_faults(folder)] == [": it was deleted"] * 4


def test_command_accepts_known_gaps(stream: str, folder: Path, capsys: Any) -> None:
    audit_anchors.write_due_anchor(timezone.now() + timedelta(days=4))
    with pytest.raises(CommandError, match="that cannot be verified: 1") as refusal:
        call_command("verify_audit_log")
    assert refusal.value.returncode == 2
    call_command("verify_audit_log", known_gaps_until=date.max)
    assert capsys.readouterr().out == "Verified events: 8. Verified anchors: 3.\n"


def test_empty_log_is_never_verified(db: None, folder: Path) -> None:
    """A log whose events and anchors were all deleted looks like a new one."""
    with pytest.raises(CommandError, match="cannot be verified") as refusal:
        call_command("verify_audit_log")
    assert refusal.value.returncode == 2
    assert list_faults(folder) == ["log: there are no events and no anchors to verify"]


def test_event_cannot_be_changed_through_the_database(stream: str) -> None:
    """The trigger still exists after the migration that rebuilt the table."""
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE audit_auditevent SET key_id = ''")
