"""Tests of the keys of the audit log: rotation, loss, and retirement."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from integrations.partners.models import Partner
from portal.audit import anchors as audit_anchors
from portal.audit.models import AuditEvent
from portal.audit.services import record_event, record_system_event
from tests.portal.audit.tampering import KEYS, execute_without_trigger, list_faults

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("keys")]


def reseal(events: list[AuditEvent]) -> None:
    """Rewrite a stream with the key, so that every seal and every link is valid."""
    before = ""
    for event in events:
        event.before = before
        before = event.hash = event.compute_hash()
        execute_without_trigger(
            "UPDATE audit_auditevent SET note = %s, before = %s, hash = %s WHERE id = %s",
            event.note,
            event.before,
            event.hash,
            event.pk,
        )


def test_event_sealed_without_the_key_is_named(stream: str, folder: Path, settings: Any) -> None:
    """The database alone is not enough to compute a seal, whatever key is tried."""
    events = list(AuditEvent.objects.filter(stream=stream).order_by("seq"))
    events[1].note = "forged"
    settings.AUDIT_KEYS = {"2026": "a guess", "2025": "a guess"}
    reseal(events)
    settings.AUDIT_KEYS = dict(KEYS)
    changed_faults = [
        fault for fault in list_faults(folder) if fault.endswith("the content was changed after it was written")
    ]
    assert changed_faults == [
        f"{stream} event {seq} (partner.profile_changed): the content was changed after it was written"
        for seq in (1, 2, 3, 4)
    ]


def test_consistent_rewriting_with_the_key_is_named(stream: str, folder: Path) -> None:
    """The chain alone verifies; the anchors do not."""
    events = list(AuditEvent.objects.filter(stream=stream).order_by("seq"))
    events[1].note = "rewritten"
    reseal(events)
    place = f"{stream} event"
    assert list_faults(folder) == [
        f"{place} 3 (partner.profile_changed): it differs from the event in anchor 1: the stream was rewritten",
        f"{place} 4 (partner.profile_changed): it differs from the event in anchor 2: the stream was rewritten",
    ]


@pytest.mark.any_database
def test_rotated_key_verifies_what_it_sealed(stream: str, acme: Partner, folder: Path, settings: Any) -> None:
    settings.AUDIT_KEYS = {"2027": "a new key"} | KEYS
    record_event(acme, "partner.profile_changed", actor=None, now=timezone.now(), note="later")
    audit_anchors.write_due_anchor(timezone.now() + timedelta(days=1))
    newest = AuditEvent.objects.filter(stream=stream).order_by("seq").last()
    assert newest is not None
    assert (newest.key_id, audit_anchors.read_anchors(folder)[0][-1].key_id) == ("2027", "2027")
    assert list_faults(folder) == []


def test_lost_key_is_not_taken_for_tampering(stream: str, folder: Path, settings: Any, capsys: Any) -> None:
    """Events sealed with a lost key are reported as unverifiable. Others still verify."""
    settings.AUDIT_KEYS = {"2027": "a new key"}
    missing_key_fault = "it cannot be verified: the key '2026' is not in AUDIT_KEYS"
    fault_texts = list_faults(folder)
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


@pytest.mark.parametrize("data", [{10: 1, 9: 2}, {1: "a", "b": 2}, {"a": (1, 2)}, {None: 1, True: 2}])
def test_event_with_keys_that_json_changes_verifies(
    stream: str, acme: Partner, folder: Path, data: dict[Any, Any]
) -> None:
    record_event(acme, "partner.profile_changed", actor=None, now=timezone.now(), detail=data)
    assert list_faults(folder) == []


@pytest.mark.any_database
def test_event_under_a_retired_key_is_tampering(stream: str, acme: Partner, folder: Path, settings: Any) -> None:
    """A leaked and replaced key creates no valid events, in existing or new streams."""
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
    assert list_faults(folder) == expected
    audit_anchors.write_due_anchor(tomorrow + timedelta(days=1))
    assert list_faults(folder) == expected
    settings.AUDIT_KEYS = {"2027": "a new key"}
    assert set(expected) < set(list_faults(folder))


def test_event_under_an_invented_key_is_tampering(stream: str, folder: Path) -> None:
    """An unknown key that never sealed an anchor was not lost: it never existed."""
    columns = "integration_id, partner_id, event_type, actor_id, actor, note, data, internal, at"
    execute_without_trigger(
        f"INSERT INTO audit_auditevent (stream, seq, before, key_id, hash, {columns}) "
        f"SELECT stream, seq + 1, hash, 'zz', '00', {columns} FROM audit_auditevent WHERE stream = %s AND seq = 4",
        stream,
    )
    place = f"{stream} event 5 (partner.profile_changed)"
    assert list_faults(folder) == [
        f"{place}: it cannot be verified: the key 'zz' is not in AUDIT_KEYS",
        f"{place}: it is sealed with 'zz', which is not in AUDIT_KEYS and sealed no anchor",
    ]
    with pytest.raises(CommandError) as refusal:
        call_command("verify_audit_log")
    assert refusal.value.returncode == 1


def test_lost_key_between_two_others_is_not_taken_for_tampering(
    stream: str, acme: Partner, folder: Path, settings: Any
) -> None:
    now = timezone.now()
    for days, key in ((1, "2027"), (2, "2028")):
        settings.AUDIT_KEYS = {key: f"the key {key}"} | settings.AUDIT_KEYS
        record_event(acme, "partner.profile_changed", actor=None, now=now + timedelta(days=days))
        audit_anchors.write_due_anchor(now + timedelta(days=days))
    settings.AUDIT_KEYS = {key: secret for key, secret in settings.AUDIT_KEYS.items() if key != "2027"}
    fault_texts = list_faults(folder)
    assert {fault.rpartition(": it ")[2] for fault in fault_texts} == {
        "cannot be verified: the key '2027' is not in AUDIT_KEYS"
    }
    assert len(fault_texts) == 3
