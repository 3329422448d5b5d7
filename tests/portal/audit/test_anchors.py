"""Tests of anchors of the audit log against deletion and change."""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from portal.audit import anchors as audit_anchors
from portal.audit.models import AuditEvent
from portal.audit.services import record_event
from portal.audit.verification import verify_log
from tests.portal.audit.tampering import KEYS, execute_without_trigger, list_faults

pytestmark = [pytest.mark.any_database, pytest.mark.django_db, pytest.mark.usefixtures("keys")]


def list_anchor_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("anchor-*.json"))


def change_anchor(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    fields = json.loads(path.read_text())
    change(fields)
    path.chmod(0o600)
    path.write_text(json.dumps(fields))


@pytest.mark.every_database
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
    assert len(list_anchor_files(folder)) == 3


def test_anchor_reads_only_the_events_since_the_anchors_before_it(stream: str, folder: Path) -> None:
    records = AuditEvent.objects.filter(event_type=audit_anchors.ANCHOR_EVENT_TYPE).order_by("seq")
    anchors, _ = audit_anchors.read_anchors(folder)
    assert audit_anchors.find_start(anchors) == records[0].pk
    audit_anchors.write_due_anchor(timezone.now() + timedelta(days=1))
    anchors, _ = audit_anchors.read_anchors(folder)
    assert (anchors[2].streams, anchors[2].events, sorted(anchors[2].heads)) == (3, 7, ["audit"])
    assert audit_anchors.find_start(anchors) == records[1].pk


@pytest.mark.parametrize("number", [1, 2])
def test_anchor_after_a_missing_one_reads_all_events(stream: str, folder: Path, number: int) -> None:
    list_anchor_files(folder)[number - 1].unlink()
    anchors, _ = audit_anchors.read_anchors(folder)
    assert audit_anchors.find_start(anchors) == 0


@pytest.mark.every_database
def test_anchor_of_a_large_log_has_no_time_limit(stream: str, folder: Path) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert audit_anchors.write_due_anchor(timezone.now() + timedelta(days=1)) == 1
    has_no_limit = any(query["sql"] == "SET LOCAL statement_timeout = 0" for query in queries)
    assert has_no_limit is (connection.vendor == "postgresql")


def test_anchor_is_logged_with_its_mac(acme: Partner, folder: Path, caplog: Any) -> None:
    record_event(acme, "partner.profile_changed", actor=None, now=timezone.now())
    with caplog.at_level("INFO", logger="portal.audit.anchors"):
        audit_anchors.write_due_anchor(timezone.now())
    (anchor,) = audit_anchors.read_anchors(folder)[0]
    assert caplog.messages == [f"audit anchor 1: 1 events in 1 streams, MAC {anchor.mac}"]


@pytest.mark.every_database
@pytest.mark.parametrize("number", [1, 2])
def test_deleted_anchor_is_named(stream: str, folder: Path, number: int) -> None:
    list_anchor_files(folder)[number - 1].unlink()
    missing = f"anchor {number}: it was recorded but is missing from {folder}"
    gap = ["anchor 2: anchor 1 before it is missing"] if number == 1 else []
    assert list_faults(folder) == [*gap, missing]


@pytest.mark.every_database
def test_deleted_anchors_are_all_named(stream: str, folder: Path) -> None:
    for path in list_anchor_files(folder):
        path.unlink()
    assert list_faults(folder) == [f"anchor {n}: it was recorded but is missing from {folder}" for n in (1, 2)]


@pytest.mark.every_database
def test_deleted_anchor_and_its_record_show_as_missing_days(stream: str, folder: Path) -> None:
    """If the newest anchor and its record are deleted, only the missing days show it: the next takes its number."""
    last = list_anchor_files(folder)[-1]
    last.unlink()
    execute_without_trigger("DELETE FROM audit_auditevent WHERE stream = 'audit' AND seq = 2")
    later = timezone.now() + timedelta(days=2)
    assert [fault.partition(" since")[0] for fault in list_faults(folder, later)] == ["anchors: none written"]
    audit_anchors.write_due_anchor(later)
    assert [fault.partition(" from")[0] for fault in list_faults(folder, later)] == ["anchors: none written"]


def test_rewritten_anchor_is_named(stream: str, folder: Path) -> None:
    """An event and the heads in the anchors are changed without the key of the anchors."""
    change_anchor(list_anchor_files(folder)[0], lambda fields: fields["heads"].pop(stream))
    assert list_faults(folder) == ["anchor 1: the content was changed after it was written"]


def test_anchor_rewritten_with_the_key_is_named(stream: str, folder: Path) -> None:
    def rewrite(fields: dict[str, Any]) -> None:
        fields["heads"].pop(stream)
        heads = {name: tuple(head) for name, head in fields["heads"].items()}
        fields["mac"] = audit_anchors.Anchor(**fields | {"heads": heads}).compute_mac()

    change_anchor(list_anchor_files(folder)[0], rewrite)
    assert list_faults(folder) == [
        "anchor 2: it does not link to the previous anchor",
        "anchor 1: it differs from the anchor that was recorded",
    ]


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"heads": {"a": 1}}', '{"heads": {}, "written_at": "soon"}', '{"heads":' + "[" * 100_000]
)
def test_unreadable_anchor_is_named_and_stops_nothing(stream: str, folder: Path, text: str) -> None:
    last = list_anchor_files(folder)[-1]
    last.chmod(0o600)
    last.write_text(text)
    fault_text = f"{last.name}: the file is not a valid anchor"
    assert list_faults(folder) == [fault_text, f"anchor 2: it was recorded but is missing from {folder}"]
    assert audit_anchors.write_due_anchor(timezone.now() + timedelta(days=1)) == 1
    assert fault_text in list_faults(folder)


def test_command_compares_with_a_copy_of_the_anchors(stream: str, folder: Path, tmp_path: Path, capsys: Any) -> None:
    copy = folder.rename(tmp_path / "copy")
    with pytest.raises(CommandError, match="Changed entries in the audit log: 2"):
        call_command("verify_audit_log")
    call_command("verify_audit_log", "--anchors", str(copy))
    assert capsys.readouterr().out == "Verified events: 7. Verified anchors: 2.\n"


def test_log_that_was_never_anchored_cannot_be_verified(rocket: Integration, folder: Path) -> None:
    (fault,) = list_faults(folder)
    assert fault.startswith("anchors: none written since 2026-04-14: ")


@pytest.mark.parametrize(
    "change",
    [{"number": "2"}, {"number": True}, {"mac": 1}, {"previous": None}, {"heads": {"a": ["1", "x"]}}, {"streams": []}],
)
def test_anchor_with_a_value_of_another_type_is_named(stream: str, folder: Path, change: dict[str, Any]) -> None:
    last = list_anchor_files(folder)[-1]
    change_anchor(last, lambda fields: fields.update(change))
    assert list_faults(folder)[0] == f"{last.name}: the file is not a valid anchor"


@pytest.mark.every_database
def test_forged_record_of_an_anchor_stops_nothing(stream: str, folder: Path) -> None:
    for data in ('["number"]', '{"number": ["1"], "mac": "x"}'):
        execute_without_trigger("UPDATE audit_auditevent SET data = %s WHERE stream = 'audit' AND seq = 1", data)
        assert list_faults(folder) == [
            "audit event 1 (audit_log.anchored): the content was changed after it was written"
        ]


def test_anchor_written_during_verification_is_not_missing(stream: str, folder: Path) -> None:
    def read_late() -> Iterator[AuditEvent]:
        """Read the events after the anchors, as a long verification does."""
        assert audit_anchors.write_due_anchor(timezone.now() + timedelta(days=1)) == 1
        yield from AuditEvent.objects.order_by("stream", "seq")

    assert list(verify_log(read_late(), folder, timezone.now())) == []


def test_anchor_under_a_retired_key_is_tampering(stream: str, folder: Path, settings: Any) -> None:
    settings.AUDIT_KEYS = {"2027": "a new key"} | KEYS
    audit_anchors.write_due_anchor(timezone.now() + timedelta(days=1))
    settings.AUDIT_KEYS = dict(KEYS)
    audit_anchors.write_due_anchor(timezone.now() + timedelta(days=2))
    settings.AUDIT_KEYS = {"2027": "a new key"} | KEYS
    assert "anchor 4: it is sealed with '2026', which was already replaced" in list_faults(folder)


def test_events_between_two_anchors_may_change_keys(stream: str, acme: Partner, folder: Path, settings: Any) -> None:
    record_event(acme, "partner.profile_changed", actor=None, now=timezone.now(), note="before the rotation")
    settings.AUDIT_KEYS = {"2027": "a new key"} | KEYS
    record_event(acme, "partner.profile_changed", actor=None, now=timezone.now(), note="after it")
    audit_anchors.write_due_anchor(timezone.now() + timedelta(days=1))
    assert list_faults(folder) == []


def test_days_without_an_anchor_are_reported(stream: str, folder: Path) -> None:
    now = timezone.now()
    audit_anchors.write_due_anchor(now + timedelta(days=1))
    audit_anchors.write_due_anchor(now + timedelta(days=4))
    first, last = ((now + timedelta(days=days)).date() for days in (2, 3))
    gap = f"anchors: none written from {first} to {last}: the portal was not running, or anchors were deleted"
    assert list_faults(folder) == [gap]
    assert list_faults(folder, known_gaps_until=first) == [gap.replace(str(first), str(last))]
    assert list_faults(folder, known_gaps_until=last) == []


def test_gap_until_something_else_than_a_date_is_refused() -> None:
    with pytest.raises(CommandError) as error:
        call_command("verify_audit_log", "--known-gaps-until", "April")
    assert str(error.value) == ("Error: argument --known-gaps-until: Enter a date such as 2026-04-14, not “April”.")


def test_gaps_are_not_searched_for_since_the_newest_anchor() -> None:
    with pytest.raises(CommandError) as error:
        call_command("verify_audit_log", "--since-anchor", "--known-gaps-until", "2026-04-14")
    refusal = "Error: argument --known-gaps-until: not allowed with argument --since-anchor"
    assert str(error.value) == refusal


def test_missing_folder_of_anchors_is_not_reported_as_tampering(tmp_path: Path) -> None:
    with pytest.raises(CommandError) as error:
        call_command("verify_audit_log", "--anchors", str(tmp_path / "none"))
    assert (str(error.value), error.value.returncode) == (f"The folder {tmp_path / 'none'} doesn't exist.", 2)
