"""Tests that HTML is in templates, not in strings of modules."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.codebase.project_files import list_files, relative_name

TAG_PATTERN = re.compile(r"(?<!\(\?P)<[a-z]+[0-9]?[ >/]|</")
EXCEPTIONS = {
    "integrations/sla/engine/comment_classifier.py": "a regular expression that removes HTML from comments",
    "portal/api/docs/reference.py": "code between backticks, one of the texts of the OpenAPI document",
    "portal/directory/badges/embed_codes.py": "HTML that partners copy as text",
    "portal/help/rules.py": "render rules of Markdown",
    "portal/notifications/rendering.py": "a regular expression that joins lists",
    "portal/ui/markdown.py": "render rules of Markdown",
    "verification/licenses/normalization.py": "regular expressions that remove HTML from license texts",
}


def list_strings(source: str) -> Iterator[str]:
    """Yield the string literals of a module that are not docstrings."""
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def has_html(source: str) -> bool:
    """Return whether a string of a module contains an HTML tag. Named groups don't count."""
    return any(TAG_PATTERN.search(text) for text in list_strings(source))


def test_modules_contain_no_html_except_where_templates_are_impossible() -> None:
    modules = list_files("portal/*.py", "integrations/*.py", "verification/*.py")
    assert {relative_name(path) for path in modules if has_html(path.read_text())} == set(EXCEPTIONS)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("LINK = '<a href=\"{}\">{}</a>'", True),
        ("text = f'<h2>{title}'", True),
        ("end = '</section>'", True),
        ("def f():\n    'Return <b>bold</b>.'", False),
        ("PATTERN = r'(?P<name>[a-z]+)'", False),
        ("small = 'a < b'", False),
    ],
)
def test_html_in_strings_is_found(source: str, expected: bool) -> None:
    assert has_html(source) == expected
