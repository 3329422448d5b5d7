"""Tests that JSON of others is made fit to store, and that nothing else changes."""

from typing import Any

import pytest

from portal.core.json_text import clean_json


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a\x00b\ud83d", "ab?"),
        ({"k\x00": ["\udc00", ("x",)]}, {"k": ["?", ["x"]]}),
        ("spelt out: \\u0000", "spelt out: \\u0000"),
        ("Grüße 😀", "Grüße 😀"),
        ([1, 1.5, True, None], [1, 1.5, True, None]),
    ],
)
def test_plain_data_keeps_what_can_be_kept(value: Any, expected: Any) -> None:
    assert clean_json(value) == expected


@pytest.mark.parametrize("value", [object(), float("nan"), {1, 2}])
def test_what_is_no_plain_data_is_refused(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        clean_json(value)
