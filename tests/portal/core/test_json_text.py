"""Tests that third-party JSON is made storable without other changes."""

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
def test_json_keeps_storable_values(value: Any, expected: Any) -> None:
    assert clean_json(value) == expected


@pytest.mark.parametrize("value", [object(), float("nan"), {1, 2}])
def test_other_values_are_refused(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        clean_json(value)
