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
MIN_FREQUENCIES = {"en": 500, "de": 1_000, "es": 1_000, "fr": 1_000, "it": 1_000, "nl": 1_000, "pt": 1_000}
# How frequent a name must be as an English word to count as one too, such as "Mark" and "Brown".
MIN_FREQUENCY_OF_NAMES = 5_000
FIRST_SCRIPT_WITHOUT_CAPITALS = "\u0530"  # Latin, Greek and Cyrillic come before
PLAIN_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "ð": "d", "þ": "th", "ə": "e"}
)
# Russian, Ukrainian and Bulgarian letters as passports and program authors write them
CYRILLIC = dict(
    zip(
        "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґё",
        "a b v g d e zh z i y k l m n o p r s t u f kh ts ch sh shch - y - e yu ya i yi ye g yo".replace("-", "").split(
            " "
        ),
        strict=True,
    )
)
# "й" is folded to "и"; "Evgenii" is also written Evgeny and Evgeniy
LATIN_VARIANTS = (("ii", "y"), ("ii", "iy"), ("ei", "ey"), ("ai", "ay"), ("ya", "ia"), ("yu", "iu"), ("kh", "h"))


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
            # first_names, first_names_male, last_names_female and so on; Japanese ones come with their Latin letters
            if attribute.startswith(kind):
                for name in _flatten(getattr(provider, attribute)):
                    for word in fold(name).split():
                        yield from (word, *_transliterate(word))


def _flatten(value: object) -> Iterator[str]:
    """Yield the names in lists, in weights by name and in tuples of one name's spellings."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Iterable):
        for item in value:
            yield from _flatten(item)


def _transliterate(word: str) -> Iterator[str]:
    """Yield the usual Latin spellings of a Cyrillic name."""
    if word[0] in CYRILLIC:
        latin = "".join(CYRILLIC.get(letter, letter) for letter in word)
        yield latin
        yield from (latin.replace(*variant) for variant in LATIN_VARIANTS)
