"""Messages that `makemessages` finds in our apps and templates."""

import ast
import re
from collections.abc import Iterator
from functools import cache

from django.utils.translation.template import templatize

from portal.core.content_messages import list_messages
from tests.codebase.project_files import ROOT, list_template_files

ROOMS = ("integrations", "portal", "verification")
MARKS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy", "pgettext"}
TEXT = r"""u?('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
IN_TEMPLATE = re.compile(rf"\b(?:_|n?gettext)\(\s*{TEXT}(?:\s*,\s*{TEXT})?")


@cache
def messages() -> frozenset[str]:
    """Return the messages, singular and plural, as written in the source."""
    return frozenset((*_of_modules(), *_of_templates(), *_of_content_files()))


def _of_modules() -> Iterator[str]:
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            source = path.read_text()
            if "gettext" in source:
                yield from of_module(source)


def of_module(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in MARKS:
            for each in node.args:
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield each.value


def _of_templates() -> Iterator[str]:
    for path in list_template_files():
        yield from of_template(path.read_text())


def of_template(source: str) -> Iterator[str]:
    for match in IN_TEMPLATE.finditer(templatize(source)):
        yield from (ast.literal_eval(text) for text in match.groups() if text)


def _of_content_files() -> Iterator[str]:
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.yaml"):
            yield from (text for _line, text in list_messages(path.read_text()))
