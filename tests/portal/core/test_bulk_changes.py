"""Tests of updates that are skipped during bulk changes and made once at the end."""

import pytest

from portal.core.bulk_changes import bulk_changes, skip_in_bulk_changes

updates: list[str] = []


@skip_in_bulk_changes
def record_update(name: str) -> None:
    updates.append(name)


def test_updates_are_skipped_in_bulk_and_rebuilt_once_at_the_end() -> None:
    updates.clear()
    record_update("before")
    with bulk_changes(lambda: record_update("rebuilt")):
        record_update("skipped")
        record_update("skipped")
    record_update("after")
    assert updates == ["before", "rebuilt", "after"]


def test_nothing_is_rebuilt_after_a_failure() -> None:
    updates.clear()
    with pytest.raises(ValueError, match="broken"), bulk_changes(lambda: record_update("rebuilt")):
        raise ValueError("broken")
    record_update("after")
    assert updates == ["after"]
