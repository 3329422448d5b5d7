"""Pseudo-language that puts every message in ⟦…⟧, to find untranslatable text."""

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from gettext import NullTranslations

from django.test import override_settings
from django.utils import translation
from django.utils.translation import trans_real
from django.utils.translation.trans_real import CONTEXT_SEPARATOR

CODE = "tlh"  # no catalog has this code
OPEN = "⟦"
CLOSE = "⟧"

INVISIBLE_MARKUP = re.compile(
    r"<(script|style|pre|code|svg|textarea)\b.*?</\1>|<!--.*?-->|<!doctype[^>]*>", re.DOTALL | re.I
)
VISIBLE_ATTRIBUTE_PATTERN = re.compile(r'\s(?:title|aria-label|placeholder|alt)="([^"]*)"')
TAG = re.compile(r"""<[A-Za-z/!](?:"[^"]*"|'[^']*'|[^">'])*>""")
LINK = re.compile(r"https?://\S+|\S+@\S+|\bv?\d+(?:\.\d+)+\S*")


class PseudoTranslations(NullTranslations):
    """Translations that return each message in brackets, unless it has them already."""

    def __init__(self) -> None:
        super().__init__()
        self._catalog: dict[str, str] = {}
        self.requested_messages: set[str] = set()

    def to_language(self) -> str:
        """Return the value of get_language(), so that no value cached for English has brackets."""
        return CODE

    def gettext(self, message: str) -> str:
        message = message.rpartition(CONTEXT_SEPARATOR)[2]
        if not message or message.startswith(OPEN):
            return message
        self.requested_messages.add(message)
        return f"{OPEN}{message}{CLOSE}"

    def ngettext(self, singular: str, plural: str, number: int) -> str:
        return self.gettext(singular if number == 1 else plural)

    def pgettext(self, _context: str, message: str) -> str:
        return self.gettext(message)

    def npgettext(self, _context: str, singular: str, plural: str, number: int) -> str:
        return self.ngettext(singular, plural, number)


@contextmanager
def activate_pseudo_language() -> Iterator[set[str]]:
    """Activate the pseudo-language in a block. Yields the requested messages."""
    catalogs: dict[str, NullTranslations] = vars(trans_real)["_translations"]
    translations = PseudoTranslations()
    catalogs[CODE] = translations
    try:
        with _enable_translation(), translation.override(CODE):
            yield translations.requested_messages
    finally:
        del catalogs[CODE]


@contextmanager
def _enable_translation() -> Iterator[None]:
    """Enable translation, which a portal with one language disables. Django decides that only once per process."""
    functions = vars(vars(translation)["_trans"])
    with override_settings(USE_I18N=True):
        functions.clear()
        yield
    functions.clear()


def find_untranslated_texts(page: str, *, markup: bool = True) -> list[str]:
    """Return the text of a page or email outside the brackets, split by markup."""
    page = INVISIBLE_MARKUP.sub("\0", page)
    visible_texts = [*VISIBLE_ATTRIBUTE_PATTERN.findall(page), TAG.sub("\0", page)] if markup else [page]
    outside = [piece for text in visible_texts for piece in _remove_bracketed_texts(html.unescape(text)).split("\0")]
    words = [" ".join(LINK.sub(" ", piece).split()) for piece in outside]
    return [piece for piece in words if re.search(r"[A-Za-z]{2}", piece)]


def _remove_bracketed_texts(text: str) -> str:
    """Return the text without bracketed parts, which can be nested."""
    depth = 0
    characters = []
    for char in text:
        depth += char == OPEN
        if not depth:
            characters.append(char)
        if char == CLOSE and depth:
            depth -= 1
            characters.append("\0")
    return "".join(characters)
