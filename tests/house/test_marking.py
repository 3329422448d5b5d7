"""Tests that texts in modules are marked so that they are translated whole and when they are shown."""

import ast
from collections import defaultdict
from collections.abc import Iterator

import pytest

from tests.house.source import files, name

TOGETHER = (ast.JoinedStr, ast.BinOp)
AT_ONCE = {"gettext", "ngettext", "pgettext", "npgettext"}
OURS = [path for path in files("*.py") if not name(path).startswith("tests/")]


def map_gettext_names(tree: ast.AST) -> dict[str, str]:
    """Django's functions of translation by the names that a module gives them."""
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return {
        each.asname or each.name: each.name
        for node in imports
        if node.module == "django.utils.translation"
        for each in node.names
        if "gettext" in each.name
    }


def while_imported(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a module that run when it is imported: all but the bodies of functions."""
    if isinstance(node, ast.Lambda):
        return
    is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    parts = [node.args, *node.decorator_list] if is_function else ast.iter_child_nodes(node)
    yield node
    for part in parts:
        yield from while_imported(part)


def list_calls(nodes: Iterator[ast.AST], names: set[str]) -> list[ast.Call]:
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    return [call for call in calls if isinstance(call.func, ast.Name) and call.func.id in names]


def too_early(source: str) -> list[int]:
    """The lines that translate while a module is imported, when nobody's language is known."""
    tree = ast.parse(source)
    names = {local_name for local_name, real in map_gettext_names(tree).items() if real in AT_ONCE}
    return [call.lineno for call in list_calls(while_imported(tree), names)]


def find_composed_messages(source: str) -> list[int]:
    """The lines that mark a text put together there, which no translator ever gets: a message, or its plural."""
    tree = ast.parse(source)
    calls = list_calls(ast.walk(tree), set(map_gettext_names(tree)))
    return [call.lineno for call in calls if any(isinstance(each, TOGETHER) for each in call.args[:2])]


def odd(source: str) -> list[str]:
    """The messages with names to be filled in that cannot be: a sign of percent in them was not doubled."""
    tree = ast.parse(source)
    calls = list_calls(ast.walk(tree), set(map_gettext_names(tree)))
    return [text for call in calls for text in _texts(call) if "%(" in text and not _fills(text)]


def _texts(call: ast.Call) -> list[str]:
    return [each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]


def _fills(text: str) -> bool:
    try:
        return bool(text % defaultdict(int))
    except (TypeError, ValueError):
        return False


def test_no_module_translates_while_it_is_imported() -> None:
    assert {name(path): lines for path in OURS if (lines := too_early(path.read_text()))} == {}


def test_no_message_is_put_together_where_it_is_marked() -> None:
    assert {name(path): lines for path in OURS if (lines := find_composed_messages(path.read_text()))} == {}


def test_every_message_can_be_filled_in() -> None:
    assert {name(path): texts for path in OURS if (texts := odd(path.read_text()))} == {}


IMPORT_LINE = "from django.utils.translation import gettext as _, gettext_lazy\n"


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('TITLE = _("Now")', [2]),
        ('TITLE = gettext_lazy("Now")', []),
        ('class Form:\n    label = _("Now")', [3]),
        ('def told(said=_("Now")):\n    return _("Then")', [2]),
        ('told = lambda: _("Now")', []),
    ],
)
def test_text_that_is_translated_too_early_is_found(source: str, lines: list[int]) -> None:
    assert too_early(IMPORT_LINE + source) == lines


def test_message_that_is_put_together_is_found() -> None:
    assert find_composed_messages(
        IMPORT_LINE + 'def told(n): return _(f"{n} days") + _("Now" + "Then") + _("Now")'
    ) == [2, 2]


def test_sign_of_percent_that_stands_alone_is_found() -> None:
    assert odd(IMPORT_LINE + 'def told(): return _("%(n)s % of"), _("96 %"), _("%(n)s %% of")') == ["%(n)s % of"]
