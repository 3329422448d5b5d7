"""Tests of the YAML text of resource definitions."""

from typing import Any

import pytest
import yaml
from hypothesis import given, strategies as st

from verification.schemas.engine.yaml_text import dump

LETTERS = st.characters(exclude_categories=["Cs"])
WORDS = st.text(LETTERS, max_size=12) | st.sampled_from(
    ["no", "1.0", "~", "2026-01-01", "0x1", "a: b", "- a", "# a", "=", "NO"]
)
DATA = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=12,
)


@given(DATA)
def test_dump_reads_back_as_the_same(data: Any) -> None:
    assert yaml.safe_load(dump(data)) == data


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"b": [{"y": 1, "x": []}, "z"], "a": {}}, '---\na: {}\nb:\n- x: []\n  "y": 1\n- z\n'),
        ({"rule": "'a' in b"}, "---\nrule: \"'a' in b\"\n"),
        ([[1, 2], {"a": {"b": None}}], "---\n- - 1\n  - 2\n- a:\n    b: null\n"),
    ],
)
def test_dump_has_the_layout(data: Any, text: str) -> None:
    assert dump(data) == text
