"""Tests of primary keys in the text of a request."""

import pytest

from portal.core.primary_keys import parse_pk


@pytest.mark.parametrize(
    ("text", "expected"),
    [("12", 12), ("9" * 18, int("9" * 18)), ("9" * 19, None), ("", None), ("-1", None), ("1.0", None), ("²", None)],
)
def test_primary_key_is_a_number_in_the_range_of_the_column(text: str, expected: int | None) -> None:
    assert parse_pk(text) == expected
