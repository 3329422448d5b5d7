"""Tests that texts in modules are translated as a whole and at the time they are shown."""

import ast
from collections import defaultdict
from collections.abc import Iterator

import pytest

from tests.codebase.project_files import list_files, relative_name

COMPOSITIONS = (ast.JoinedStr, ast.BinOp)
EAGER_FUNCTIONS = {"gettext", "ngettext", "pgettext", "npgettext"}
ENGLISH_MODULES = ("portal/api/", "portal/accounts/enrollment.py")
MODULES = [path for path in list_files("*.py") if not relative_name(path).startswith("tests/")]


def map_gettext_names(tree: ast.AST) -> dict[str, str]:
    """Return Django's translation functions by their names in a module."""
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return {
        each.asname or each.name: each.name
        for node in imports
        if node.module == "django.utils.translation"
        for each in node.names
        if "gettext" in each.name
    }


def list_import_time_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a module that run on import: all but the bodies of functions."""
    if isinstance(node, ast.Lambda):
        return
    is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    parts = [node.args, *node.decorator_list] if is_function else ast.iter_child_nodes(node)
    yield node
    for part in parts:
        yield from list_import_time_nodes(part)


def list_calls(nodes: Iterator[ast.AST], names: set[str]) -> list[ast.Call]:
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    return [call for call in calls if isinstance(call.func, ast.Name) and call.func.id in names]


def find_early_translations(source: str) -> list[int]:
    """Return the lines that translate on import, when the reader's language is unknown."""
    tree = ast.parse(source)
    names = {local_name for local_name, real in map_gettext_names(tree).items() if real in EAGER_FUNCTIONS}
    return [call.lineno for call in list_calls(list_import_time_nodes(tree), names)]


def find_composed_messages(source: str) -> list[int]:
    """Return the lines that translate a composed message or plural, which makemessages can't extract."""
    tree = ast.parse(source)
    calls = list_calls(ast.walk(tree), set(map_gettext_names(tree)))
    return [call.lineno for call in calls if any(isinstance(each, COMPOSITIONS) for each in call.args[:2])]


def find_broken_messages(source: str) -> list[str]:
    """Return the messages whose placeholders can't be filled in because a percent sign is not escaped."""
    tree = ast.parse(source)
    calls = list_calls(ast.walk(tree), set(map_gettext_names(tree)))
    return [text for call in calls for text in _list_literals(call) if "%(" in text and not _can_be_filled(text)]


def find_untranslated_refusals(source: str) -> list[int]:
    """Return the lines that refuse an action with a literal message, which people see on a page."""
    calls = list_calls(ast.walk(ast.parse(source)), {"ActionRefused"})
    return [call.lineno for call in calls if call.args and isinstance(call.args[0], (ast.Constant, *COMPOSITIONS[:1]))]


def _list_literals(call: ast.Call) -> list[str]:
    return [each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]


def _can_be_filled(text: str) -> bool:
    try:
        return bool(text % defaultdict(int))
    except (TypeError, ValueError):
        return False


def test_no_module_translates_on_import() -> None:
    assert {
        relative_name(path): lines for path in MODULES if (lines := find_early_translations(path.read_text()))
    } == {}


def test_no_translated_message_is_composed() -> None:
    assert {relative_name(path): lines for path in MODULES if (lines := find_composed_messages(path.read_text()))} == {}


def test_placeholders_of_every_message_can_be_filled_in() -> None:
    assert {relative_name(path): texts for path in MODULES if (texts := find_broken_messages(path.read_text()))} == {}


def test_refusals_on_pages_are_translated() -> None:
    # Messages of the API and of the command line are in English.
    modules = [path for path in MODULES if not relative_name(path).startswith(ENGLISH_MODULES)]
    assert {
        relative_name(path): lines for path in modules if (lines := find_untranslated_refusals(path.read_text()))
    } == {}


IMPORT_LINE = "from django.utils.translation import gettext as _, gettext_lazy\n"


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('TITLE = _("Now")', [2]),
        ('TITLE = gettext_lazy("Now")', []),
        ('class Form:\n    label = _("Now")', [3]),
        ('def show(said=_("Now")):\n    return _("Then")', [2]),
        ('show = lambda: _("Now")', []),
    ],
)
def test_translation_on_import_is_found(source: str, lines: list[int]) -> None:
    assert find_early_translations(IMPORT_LINE + source) == lines


def test_composed_message_and_plural_are_found() -> None:
    assert find_composed_messages(
        IMPORT_LINE + 'def show(n): return _(f"{n} days") + _("Now" + "Then") + _("Now")'
    ) == [2, 2]


def test_untranslated_refusal_is_found() -> None:
    source = 'raise ActionRefused("No.")\nraise ActionRefused(f"No {x}.", "conflict")\nraise ActionRefused(_("No."))'
    assert find_untranslated_refusals(source) == [1, 2]


def test_unescaped_percent_sign_is_found() -> None:
    assert find_broken_messages(IMPORT_LINE + 'def show(): return _("%(n)s % of"), _("96 %"), _("%(n)s %% of")') == [
        "%(n)s % of"
    ]
