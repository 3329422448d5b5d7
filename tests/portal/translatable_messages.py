"""Messages that `makemessages` finds in our apps and templates."""

import ast
import re
from collections.abc import Iterator
from functools import cache

from django.utils.translation.template import templatize

from portal.core.content_messages import list_messages
from tests.codebase.project_files import ROOT, list_template_files

PACKAGES = ("integrations", "portal", "verification")
GETTEXT_FUNCTIONS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy", "pgettext"}
STRING_LITERAL = r"""u?('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
GETTEXT_CALL = re.compile(rf"\b(?:_|n?gettext)\(\s*{STRING_LITERAL}(?:\s*,\s*{STRING_LITERAL})?")


@cache
def list_translatable_messages() -> frozenset[str]:
    """Return the messages, singular and plural, as written in the source."""
    return frozenset((*_list_all_module_messages(), *_list_all_template_messages(), *_list_content_messages()))


def _list_all_module_messages() -> Iterator[str]:
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            source = path.read_text()
            if "gettext" in source:
                yield from list_module_messages(source)


def list_module_messages(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in GETTEXT_FUNCTIONS:
            for each in node.args:
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield each.value


def _list_all_template_messages() -> Iterator[str]:
    for path in list_template_files():
        yield from list_template_messages(path.read_text())


def list_template_messages(source: str) -> Iterator[str]:
    for match in GETTEXT_CALL.finditer(templatize(source)):
        yield from (ast.literal_eval(text) for text in match.groups() if text)


def _list_content_messages() -> Iterator[str]:
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.yaml"):
            yield from (text for _line, texts in list_messages(path.read_text()) for text in texts)
