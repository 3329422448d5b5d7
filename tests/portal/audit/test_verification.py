"""The audit log against somebody who can write to the database, to the anchors, or to both."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from portal.audit import anchors as audit_anchors
from portal.audit.models import AuditEvent
from portal.audit.services import record_event, record_system_event
from portal.audit.verification import verify_log

pytestmark = pytest.mark.django_db
KEYS = {"2026": "the first key", "2025": "an older key"}


@contextmanager
def without_trigger() -> Iterator[None]:
    """Let a test do what only the owner of the database can do."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # a table with checks that wait cannot be altered
            cursor.execute("ALTER TABLE audit_auditevent DISABLE TRIGGER audit_auditevent_append_only")
            yield
            cursor.execute("ALTER TABLE audit_auditevent ENABLE TRIGGER audit_auditevent_append_only")
        else:
            cursor.execute("SELECT sql FROM sqlite_master WHERE name = 'audit_auditevent_append_only'")
            (create,) = cursor.fetchone()
            cursor.execute("DROP TRIGGER audit_auditevent_append_only")
            yield
            cursor.execute(create)


def execute(statement: str, *values: Any) -> None:
    with without_trigger(), connection.cursor() as cursor:
        cursor.execute(statement, values)


def reseal(events: list[AuditEvent]) -> None:
    """Write a stream anew as somebody does who has the key: every seal and every link fits."""
    before = ""
    for event in events:
        event.before = before
        before = event.hash = event.compute_hash()
        execute(
            "UPDATE audit_auditevent SET note = %s, before = %s, hash = %s WHERE id = %s",
            event.note,
            event.before,
            event.hash,
            event.pk,
        )


@pytest.fixture(autouse=True)
def keys(settings: Any) -> None:
    settings.AUDIT_KEYS = dict(KEYS)


@pytest.fixture
def folder(settings: Any) -> Path:
    return Path(settings.AUDIT_ANCHOR_DIR)


@pytest.fixture
def stream(acme: Partner, globex: Partner) -> str:
    """A stream of four events, and another one, anchored after the first three and again after the fourth."""
    now = timezone.now() - timedelta(days=1)
    for number in range(3):
        record_event(acme, "partner.profile_changed", actor=None, now=now, note=f"change {number}")
    record_event(globex, "partner.profile_changed", actor=None, now=now)
    assert audit_anchors.write_due_anchor(now) == 1
    record_event(acme, "partner.profile_changed", actor=None, now=now, note="change 3")
    assert audit_anchors.write_due_anchor(timezone.now()) == 1
    return f"partner:{acme.pk}"


def faults(folder: Path, now: datetime | None = None, **options: Any) -> list[str]:
    events = AuditEvent.objects.order_by("stream", "seq")
    return [str(fault) for fault in verify_log(events, folder, now or timezone.now(), **options)]


def anchor_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("anchor-*.json"))


def change_anchor(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    fields = json.loads(path.read_text())
    change(fields)
    path.chmod(0o600)
    path.write_text(json.dumps(fields))


def test_untouched_log_verifies(stream: str, folder: Path, capsys: Any) -> None:
    assert faults(folder) == []
    call_command("verify_audit_log")
    assert capsys.readouterr().out == "7 events and 2 anchors verified.\n"


def test_anchor_lists_the_streams_that_grew(stream: str, folder: Path) -> None:
    anchors, unreadable = audit_anchors.read_anchors(folder)
    assert unreadable == []
    assert [(a.number, a.streams, a.events, sorted(a.heads)) for a in anchors] == [
        (
            1,
            2,
            4,
            sorted([stream, AuditEvent.objects.get(actor="", note="", event_type="partner.profile_changed").stream]),
        ),
        (2, 3, 6, ["audit", stream]),
    ]


def test_anchor_is_written_once_a_day(stream: str, folder: Path) -> None:
    assert audit_anchors.write_due_anchor(timezone.now()) == 0
    assert audit_anchors.write_due_anchor(timezone.now() + timedelta(days=1)) == 1
    assert len(anchor_files(folder)) == 3


def test_anchor_is_logged_with_its_mac(acme: Partner, folder: Path, caplog: Any) -> None:
    record_event(acme, "partner.profile_changed", actor=None, now=timezone.now())
    with caplog.at_level("INFO", logger="portal.audit.anchors"):
        audit_anchors.write_due_anchor(timezone.now())
    (anchor,) = audit_anchors.read_anchors(folder)[0]
    assert caplog.messages == [f"audit anchor 1: 1 events in 1 streams, MAC {anchor.mac}"]


def test_changed_event_is_named(stream: str, folder: Path) -> None:
    execute("UPDATE audit_auditevent SET note = 'else' WHERE stream = %s AND seq = 2", stream)
    assert faults(folder) == [
        f"{stream} event 2 (partner.profile_changed): the content was changed after it was written"
    ]


def test_event_of_another_partner_is_named(stream: str, globex: Partner, folder: Path) -> None:
    execute("UPDATE audit_auditevent SET partner_id = %s WHERE stream = %s AND seq = 2", globex.pk, stream)
    assert faults(folder) == [
        f"{stream} event 2 (partner.profile_changed): the content was changed after it was written"
    ]


def test_removed_event_is_named(stream: str, folder: Path) -> None:
    execute("DELETE FROM audit_auditevent WHERE stream = %s AND seq = 2", stream)
    assert faults(folder) == [
        f"{stream} event 3 (partner.profile_changed): the previous event is missing or was replaced"
    ]


def test_event_sealed_without_the_key_is_named(stream: str, folder: Path, settings: Any) -> None:
    """Who has the database alone cannot compute a seal, whatever key they try."""
    events = list(AuditEvent.objects.filter(stream=stream).order_by("seq"))
    events[1].note = "forged"
    settings.AUDIT_KEYS = {"2026": "a guess", "2025": "a guess"}
    reseal(events)
    settings.AUDIT_KEYS = dict(KEYS)
    changed_faults = [
        fault for fault in faults(folder) if fault.endswith("the content was changed after it was written")
    ]
    assert changed_faults == [
        f"{stream} event {seq} (partner.profile_changed): the content was changed after it was written"
        for seq in (1, 2, 3, 4)
    ]


def test_truncated_stream_is_named(stream: str, folder: Path) -> None:
    execute("DELETE FROM audit_auditevent WHERE stream = %s AND seq > 2", stream)
    assert faults(folder) == [
        f"{stream}: it was cut off after event 2: anchor 1 lists event 3",
        f"{stream}: it was cut off after event 2: anchor 2 lists event 4",
    ]


def test_deleted_stream_is_named(stream: str, folder: Path) -> None:
    execute("DELETE FROM audit_auditevent WHERE stream = %s", stream)
    assert faults(folder) == [
        f"{stream}: it was deleted: anchor 1 lists event 3",
        f"{stream}: it was deleted: anchor 2 lists event 4",
    ]


def test_deleted_log_is_named(stream: str, folder: Path) -> None:
    execute("DELETE FROM audit_auditevent")
    assert [fault.partition(": it was deleted")[1] for fault in faults(folder)] == [": it was deleted"] * 4


def test_consistent_rewriting_with_the_key_is_named(stream: str, folder: Path) -> None:
    """The chain alone verifies; the anchors do not."""
    events = list(AuditEvent.objects.filter(stream=stream).order_by("seq"))
    events[1].note = "rewritten"
    reseal(events)
    place = f"{stream} event"
    assert faults(folder) == [
        f"{place} 3 (partner.profile_changed): it differs from the event in anchor 1: the stream was rewritten",
        f"{place} 4 (partner.profile_changed): it differs from the event in anchor 2: the stream was rewritten",
    ]


@pytest.mark.parametrize("number", [1, 2])
def test_deleted_anchor_is_named(stream: str, folder: Path, number: int) -> None:
    anchor_files(folder)[number - 1].unlink()
    missing = f"anchor {number}: it was recorded but is missing from {folder}"
    gap = ["anchor 2: anchor 1 before it is missing"] if number == 1 else []
    assert faults(folder) == [*gap, missing]


def test_deleted_anchors_are_all_named(stream: str, folder: Path) -> None:
    for path in anchor_files(folder):
        path.unlink()
    assert faults(folder) == [f"anchor {n}: it was recorded but is missing from {folder}" for n in (1, 2)]


def test_deleted_anchor_and_its_record_show_as_missing_days(stream: str, folder: Path) -> None:
    """The newest anchor, deleted with its record, leaves no trace but days without one: the next takes its number."""
    last = anchor_files(folder)[-1]
    last.unlink()
    execute("DELETE FROM audit_auditevent WHERE stream = 'audit' AND seq = 2")
    later = timezone.now() + timedelta(days=2)
    assert [fault.partition(" since")[0] for fault in faults(folder, later)] == ["anchors: none written"]
    audit_anchors.write_due_anchor(later)
    assert [fault.partition(" from")[0] for fault in faults(folder, later)] == ["anchors: none written"]


def test_rewritten_anchor_is_named(stream: str, folder: Path) -> None:
    """An event and the anchors' heads are changed together, without the key of the anchors."""
    change_anchor(anchor_files(folder)[0], lambda fields: fields["heads"].pop(stream))
    assert faults(folder) == ["anchor 1: the content was changed after it was written"]


def test_anchor_rewritten_with_the_key_is_named(stream: str, folder: Path) -> None:
    def rewrite(fields: dict[str, Any]) -> None:
        fields["heads"].pop(stream)
        heads = {name: tuple(head) for name, head in fields["heads"].items()}
        fields["mac"] = audit_anchors.Anchor(**fields | {"heads": heads}).compute_mac()

    change_anchor(anchor_files(folder)[0], rewrite)
    assert faults(folder) == [
        "anchor 2: it does not link to the previous anchor",
        "anchor 1: it differs from the anchor that was recorded",
    ]


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"heads": {"a": 1}}', '{"heads": {}, "written_at": "soon"}', '{"heads":' + "[" * 100_000]
)
def test_unreadable_anchor_is_named_and_stops_nothing(stream: str, folder: Path, text: str) -> None:
    last = anchor_files(folder)[-1]
    last.chmod(0o600)
    last.write_text(text)
    fault_text = f"{last.name}: the file is not a valid anchor"
    assert faults(folder) == [fault_text, f"anchor 2: it was recorded but is missing from {folder}"]
    assert audit_anchors.write_due_anchor(timezone.now() + timedelta(days=1)) == 1
    assert fault_text in faults(folder)


def test_rotated_key_verifies_what_it_sealed(stream: str, acme: Partner, folder: Path, settings: Any) -> None:
    settings.AUDIT_KEYS = {"2027": "a new key"} | KEYS
    record_event(acme, "partner.profile_changed", actor=None, now=timezone.now(), note="later")
    audit_anchors.write_due_anchor(timezone.now() + timedelta(days=1))
    newest = AuditEvent.objects.filter(stream=stream).order_by("seq").last()
    assert newest is not None
    assert (newest.key_id, audit_anchors.read_anchors(folder)[0][-1].key_id) == ("2027", "2027")
    assert faults(folder) == []


def test_lost_key_is_not_taken_for_tampering(stream: str, folder: Path, settings: Any, capsys: Any) -> None:
    """What the key sealed cannot be verified. That is said as such, and what other keys sealed still verifies."""
    settings.AUDIT_KEYS = {"2027": "a new key"}
    missing_key_fault = "it cannot be verified: the key '2026' is not in AUDIT_KEYS"
    fault_texts = faults(folder)
    assert {fault.rpartition(f": {missing_key_fault}")[1] for fault in fault_texts} == {f": {missing_key_fault}"}
    assert len(fault_texts) == 7 + 2
    with pytest.raises(CommandError, match="that cannot be verified: 9") as refusal:
        call_command("verify_audit_log")
    assert refusal.value.returncode == 2


def test_replaced_key_of_the_same_id_is_tampering(stream: str, settings: Any) -> None:
    settings.AUDIT_KEYS = {"2026": "another secret"}
    with pytest.raises(CommandError, match="Changed entries in the audit log") as refusal:
        call_command("verify_audit_log")
    assert refusal.value.returncode == 1


def test_command_compares_with_a_copy_of_the_anchors(stream: str, folder: Path, tmp_path: Path, capsys: Any) -> None:
    copy = folder.rename(tmp_path / "copy")
    with pytest.raises(CommandError, match="Changed entries in the audit log: 2"):
        call_command("verify_audit_log")
    call_command("verify_audit_log", "--anchors", str(copy))
    assert capsys.readouterr().out == "7 events and 2 anchors verified.\n"


def test_log_that_was_never_anchored_cannot_be_verified(rocket: Integration, folder: Path) -> None:
    (fault,) = faults(folder)
    assert fault.startswith("anchors: none written since 2026-04-14: ")


@pytest.mark.parametrize(
    "change",
    [{"number": "2"}, {"number": True}, {"mac": 1}, {"previous": None}, {"heads": {"a": ["1", "x"]}}, {"streams": []}],
)
def test_anchor_with_a_value_of_another_type_is_named(stream: str, folder: Path, change: dict[str, Any]) -> None:
    last = anchor_files(folder)[-1]
    change_anchor(last, lambda fields: fields.update(change))
    assert faults(folder)[0] == f"{last.name}: the file is not a valid anchor"


def test_forged_record_of_an_anchor_stops_nothing(stream: str, folder: Path) -> None:
    for data in ('["number"]', '{"number": ["1"], "mac": "x"}'):
        execute("UPDATE audit_auditevent SET data = %s WHERE stream = 'audit' AND seq = 1", data)
        assert faults(folder) == ["audit event 1 (audit_log.anchored): the content was changed after it was written"]


def test_anchor_written_during_verification_is_not_missing(stream: str, folder: Path) -> None:
    def read_late() -> Iterator[AuditEvent]:
        """Read the events after the anchors, as a long verification does."""
        assert audit_anchors.write_due_anchor(timezone.now() + timedelta(days=1)) == 1
        yield from AuditEvent.objects.order_by("stream", "seq")

    assert list(verify_log(read_late(), folder, timezone.now())) == []


@pytest.mark.parametrize("data", [{10: 1, 9: 2}, {1: "a", "b": 2}, {"a": (1, 2)}, {None: 1, True: 2}])
def test_event_with_keys_that_json_changes_verifies(
    stream: str, acme: Partner, folder: Path, data: dict[Any, Any]
) -> None:
    record_event(acme, "partner.profile_changed", actor=None, now=timezone.now(), detail=data)
    assert faults(folder) == []


def test_event_under_a_retired_key_is_tampering(stream: str, acme: Partner, folder: Path, settings: Any) -> None:
    """A key that leaked and was replaced writes nothing that verifies, in a known stream or in a new one."""
    retired = settings.AUDIT_KEYS
    settings.AUDIT_KEYS = {"2027": "a new key"} | KEYS
    tomorrow = timezone.now() + timedelta(days=1)
    audit_anchors.write_due_anchor(tomorrow)
    settings.AUDIT_KEYS = retired
    record_event(acme, "partner.profile_changed", actor=None, now=tomorrow, note="forged")
    record_system_event("forged", "partner.profile_changed", now=tomorrow)
    settings.AUDIT_KEYS = {"2027": "a new key"} | KEYS
    message = "(partner.profile_changed): it is sealed with '2026', which was replaced before anchor 3"
    expected = [f"forged event 1 {message}", f"{stream} event 5 {message}"]
    assert faults(folder) == expected
    audit_anchors.write_due_anchor(tomorrow + timedelta(days=1))
    assert faults(folder) == expected
    settings.AUDIT_KEYS = {"2027": "a new key"}
    assert set(expected) < set(faults(folder))


def test_anchor_under_a_retired_key_is_tampering(stream: str, folder: Path, settings: Any) -> None:
    settings.AUDIT_KEYS = {"2027": "a new key"} | KEYS
    audit_anchors.write_due_anchor(timezone.now() + timedelta(days=1))
    settings.AUDIT_KEYS = dict(KEYS)
    audit_anchors.write_due_anchor(timezone.now() + timedelta(days=2))
    settings.AUDIT_KEYS = {"2027": "a new key"} | KEYS
    assert "anchor 4: it is sealed with '2026', which was already replaced" in faults(folder)


def test_event_under_an_invented_key_is_tampering(stream: str, folder: Path) -> None:
    """An unknown key that never sealed an anchor was not lost: it never was."""
    columns = "integration_id, partner_id, event_type, actor_id, actor, note, data, internal, at"
    execute(
        f"INSERT INTO audit_auditevent (stream, seq, before, key_id, hash, {columns}) "
        f"SELECT stream, seq + 1, hash, 'zz', '00', {columns} FROM audit_auditevent WHERE stream = %s AND seq = 4",
        stream,
    )
    place = f"{stream} event 5 (partner.profile_changed)"
    assert faults(folder) == [
        f"{place}: it cannot be verified: the key 'zz' is not in AUDIT_KEYS",
        f"{place}: it is sealed with 'zz', which is not in AUDIT_KEYS and sealed no anchor",
    ]
    with pytest.raises(CommandError) as refusal:
        call_command("verify_audit_log")
    assert refusal.value.returncode == 1


def test_events_between_two_anchors_may_change_keys(stream: str, acme: Partner, folder: Path, settings: Any) -> None:
    record_event(acme, "partner.profile_changed", actor=None, now=timezone.now(), note="before the rotation")
    settings.AUDIT_KEYS = {"2027": "a new key"} | KEYS
    record_event(acme, "partner.profile_changed", actor=None, now=timezone.now(), note="after it")
    audit_anchors.write_due_anchor(timezone.now() + timedelta(days=1))
    assert faults(folder) == []


def test_lost_key_between_two_others_is_not_taken_for_tampering(
    stream: str, acme: Partner, folder: Path, settings: Any
) -> None:
    now = timezone.now()
    for days, key in ((1, "2027"), (2, "2028")):
        settings.AUDIT_KEYS = {key: f"the key {key}"} | settings.AUDIT_KEYS
        record_event(acme, "partner.profile_changed", actor=None, now=now + timedelta(days=days))
        audit_anchors.write_due_anchor(now + timedelta(days=days))
    settings.AUDIT_KEYS = {key: secret for key, secret in settings.AUDIT_KEYS.items() if key != "2027"}
    fault_texts = faults(folder)
    assert {fault.rpartition(": it ")[2] for fault in fault_texts} == {
        "cannot be verified: the key '2027' is not in AUDIT_KEYS"
    }
    assert len(fault_texts) == 3


def test_days_without_an_anchor_are_reported(stream: str, folder: Path) -> None:
    now = timezone.now()
    audit_anchors.write_due_anchor(now + timedelta(days=1))
    audit_anchors.write_due_anchor(now + timedelta(days=4))
    first, last = ((now + timedelta(days=days)).date() for days in (2, 3))
    gap = f"anchors: none written from {first} to {last}: the portal was not running, or anchors were deleted"
    assert faults(folder) == [gap]
    assert faults(folder, known_gaps_until=first) == [gap.replace(str(first), str(last))]
    assert faults(folder, known_gaps_until=last) == []


def test_command_takes_gaps_that_are_known(stream: str, folder: Path, capsys: Any) -> None:
    audit_anchors.write_due_anchor(timezone.now() + timedelta(days=4))
    with pytest.raises(CommandError, match="that cannot be verified: 1") as refusal:
        call_command("verify_audit_log")
    assert refusal.value.returncode == 2
    call_command("verify_audit_log", known_gaps_until=date.max)
    assert capsys.readouterr().out == "8 events and 3 anchors verified.\n"


def test_empty_log_is_never_verified(db: None, folder: Path) -> None:
    """A log whose events and anchors were all deleted looks like one that was never written."""
    with pytest.raises(CommandError, match="cannot be verified") as refusal:
        call_command("verify_audit_log")
    assert refusal.value.returncode == 2
    assert faults(folder) == ["log: there are no events and no anchors to verify"]


def test_event_cannot_be_changed_through_the_database(stream: str) -> None:
    """The trigger is still there after the migration that remade the table."""
    from django.db import DatabaseError, transaction

    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE audit_auditevent SET key_id = ''")
