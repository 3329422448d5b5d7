"""Names and ordinary words of many languages, from packages that maintain them.

They are compared without case and accents.
"""

import importlib
import pkgutil
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache

from faker.providers import person
from spellchecker import SpellChecker

# The lowest frequency with which a word of a language counts: rarer entries are mostly names and typing errors.
MIN_FREQUENCIES = {"en": 200, "de": 500, "es": 500, "fr": 500, "it": 500, "nl": 500, "pt": 500}
# How frequent a name must be as an English word to count as one too, such as "Mark" and "Brown".
MIN_FREQUENCY_OF_NAMES = 5_000
FIRST_SCRIPT_WITHOUT_CAPITALS = "\u0530"  # Latin, Greek and Cyrillic come before
PLAIN_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "ð": "d", "þ": "th", "ə": "e"}
)


def fold(text: str) -> str:
    """Return the text in lower case without accents; letters of scripts that need their marks keep them."""
    text = text.casefold()
    if text.isascii():
        return text
    folded: list[str] = []
    for char in unicodedata.normalize("NFKD", text):
        if not (unicodedata.combining(char) and folded and folded[-1] < FIRST_SCRIPT_WITHOUT_CAPITALS):
            folded.append(char)
    return unicodedata.normalize("NFC", "".join(folded)).translate(PLAIN_LETTERS)


@cache
def ordinary_words() -> frozenset[str]:
    """Return the words of large languages written in Latin letters, without names that are rarely ordinary words."""
    names = given_names() | family_names()
    words = set()
    for language, min_frequency in MIN_FREQUENCIES.items():
        for word, frequency in SpellChecker(language=language).word_frequency.dictionary.items():
            folded = fold(word)
            is_frequent_english = language == "en" and frequency >= MIN_FREQUENCY_OF_NAMES
            if frequency >= min_frequency and (folded not in names or is_frequent_english):
                words.add(folded)
    return frozenset(words)


@cache
def given_names() -> frozenset[str]:
    """Return the words of given names of all locales, each as it is written there."""
    return frozenset(_read_names("first_name"))


@cache
def family_names() -> frozenset[str]:
    """Return the words of family names of all locales, each as it is written there."""
    return frozenset(_read_names("last_name"))


@cache
def _load_providers() -> tuple[type, ...]:
    modules = (module.name for module in pkgutil.iter_modules(person.__path__) if module.ispkg)
    return tuple(importlib.import_module(f"{person.__name__}.{name}").Provider for name in modules)


def _read_names(kind: str) -> Iterator[str]:
    for provider in _load_providers():
        for attribute in dir(provider):
            # first_names, first_names_male, last_names_female and so on: lists of names, or weights by name
            names = getattr(provider, attribute) if attribute.startswith(kind) else None
            if isinstance(names, Iterable) and not isinstance(names, str):
                yield from (word for name in names for word in fold(str(name)).split())
