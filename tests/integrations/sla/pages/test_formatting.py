"""Tests that the pages translate the sentences of the clock's rule as they are written."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from integrations.sla.engine import clock, pause_rules, projection, stop_rules
from integrations.sla.formatting import NOTES, REASONS

PLACES = (projection, clock, pause_rules, stop_rules)
# an error, and the end of the one note that holds figures and so stays English
UNNAMED_TEXTS = ("The opening of this issue is missing.", " UTC.")


def texts(tree: ast.AST) -> Iterator[str]:
    """Every text of a module that is no docstring."""
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


@pytest.fixture(scope="module")
def source_texts() -> set[str]:
    return {text for place in PLACES for text in texts(ast.parse(Path(place.__file__).read_text(encoding="utf-8")))}


def test_every_note_of_the_rule_is_named_to_translators(source_texts: set[str]) -> None:
    assert {text for text in source_texts if text.endswith(".") and " " in text} == {*NOTES, *UNNAMED_TEXTS}


def test_every_reason_that_is_named_is_one_of_the_rule(source_texts: set[str]) -> None:
    whole = "\n".join(source_texts)
    assert [part for reason in REASONS for part in reason.split("; ") if part not in whole] == []
