"""Tests that the notes and reasons of the SLA engine are marked for translation."""

import ast
from collections.abc import Iterator
from pathlib import Path

from integrations.sla.engine import clock, pause_rules, projection, stop_rules
from tests.portal.translatable_messages import list_module_messages

# an error, and the end of the one note that contains figures and stays English
UNMARKED_TEXTS = {"The opening of this issue is missing.", " UTC."}


def list_texts(tree: ast.AST) -> Iterator[str]:
    """Yield every text of a module that is not a docstring."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def test_every_note_is_marked_for_translation() -> None:
    for module in (projection, clock, pause_rules, stop_rules):
        source = Path(module.__file__).read_text(encoding="utf-8")
        sentences = {text for text in list_texts(ast.parse(source)) if text.endswith(".") and " " in text}
        assert sentences - UNMARKED_TEXTS <= set(list_module_messages(source)), module


def test_every_reason_is_marked_for_translation() -> None:
    reasons = {reason for pair in stop_rules.CLOSURE_REASONS.values() for reason in pair}
    reasons |= {stop_rules.DELETED_REPLY_REASON, pause_rules.PAUSE_REASON, clock.RUNNING_REASON}
    marked = {
        text
        for m in (clock, pause_rules, stop_rules)
        for text in list_module_messages(Path(m.__file__).read_text("utf-8"))
    }
    assert reasons <= marked
