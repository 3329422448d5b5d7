"""Tests of timestamps read from PostgreSQL."""

from datetime import UTC, datetime

import pytest
from django.db import DataError, connection

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="needs a real PostgreSQL"),
]


def read_timestamp(text: str) -> object:
    """Return a timestamp as the database driver returns it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::timestamptz", [text])
        return cursor.fetchone()[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-04-14 09:00:00+00", datetime(2026, 4, 14, 9, tzinfo=UTC)),
        ("2026-04-14 09:00:00.4+00", datetime(2026, 4, 14, 9, 0, 0, 400_000, tzinfo=UTC)),
        ("2026-04-14 09:00:00.123456-07", datetime(2026, 4, 14, 16, 0, 0, 123_456, tzinfo=UTC)),
        ("0001-01-01 00:00:00+00", datetime.min.replace(tzinfo=UTC)),
    ],
)
def test_timestamps_are_read_in_utc(text: str, expected: datetime) -> None:
    value = read_timestamp(text)
    assert isinstance(value, datetime)
    assert (value, value.tzinfo) == (expected, UTC)


def test_infinite_timestamps_are_refused() -> None:
    with pytest.raises(DataError, match="timestamp too large"):
        read_timestamp("infinity")
