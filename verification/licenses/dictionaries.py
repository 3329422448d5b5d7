"""Names and ordinary words of many languages, from packages that maintain them.

They are compared without case and accents, and read when a word of their script is first met.
"""

import importlib
import pkgutil
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from portal.core.content_files import Content, load_content

MAX_BUCKET = 520  # frequency in hundredths of a power of ten: at least six times in a million words
ALL_BUCKETS = 1_000
FUNCTION_WORDS = 120  # of the most frequent words of a language
WITH_CAPITALS = (*range(0x80, 0x530), *range(0x1E00, 0x2000))  # Latin, Greek, and Cyrillic letters beyond ASCII
SYLLABLES = ("HANGUL SYLLABLE", "HIRAGANA LETTER", "KATAKANA LETTER")
MIN_ROMANIZED = 4  # letters of a romanized word that isn't considered a name
DATA = Path(__file__).with_name("data")
NAMES = DATA / "words" / "names.txt"


class LanguageFile(Content):
    """Content of languages.yaml, whose first lines describe the parts."""

    languages: dict[str, tuple[str, ...]]
    romanized: tuple[str, ...]
    romanization: dict[str, str]
    latin_variants: tuple[tuple[str, str], ...]
    kana: dict[str, str]


LANGUAGE_TABLES = load_content(DATA / "languages.yaml", LanguageFile)


def fold(text: str) -> str:
    """Return the text in lowercase without accents. Letters of scripts that need their marks keep them."""
    text = text.casefold()
    return text if text.isascii() else text.translate(_build_plain_letters())


@cache
def _build_plain_letters() -> dict[int, str]:
    """Return the replacement of each letter with an accent."""
    letters = {code: unicodedata.normalize("NFKD", chr(code)) for code in WITH_CAPITALS}
    plain = {code: "".join(c for c in letter if not unicodedata.combining(c)) for code, letter in letters.items()}
    more = {"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "ð": "d", "þ": "th", "ə": "e"}
    return plain | dict.fromkeys(range(0x300, 0x370), "") | {ord(letter): latin for letter, latin in more.items()}


@cache
def load_ordinary_words(script: str) -> frozenset[str]:
    """Return the folded words of the languages that are written in a script."""
    languages = LANGUAGE_TABLES.languages.get(script, ())
    return _fold_all({word for language in languages for word in _read_language(language)})


@cache
def load_function_words(script: str) -> frozenset[str]:
    """Return the most frequent words of each language that is written in a script: "the", "nur", "только"."""
    languages = LANGUAGE_TABLES.languages.get(script, ())
    return _fold_all({word for language in languages for word in _read_language(language)[:FUNCTION_WORDS]})


@cache
def load_language_words(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the folded words of a language, and the most frequent of them."""
    words = _read_language(language)
    return _fold_all(set(words)), _fold_all(set(words[:FUNCTION_WORDS]))


@cache
def load_common_english_words() -> frozenset[str]:
    """Return the folded English words that are as frequent as the ordinary words of other languages."""
    return _fold_all(set(_read_language("en")))


@cache
def load_english_words() -> frozenset[str]:
    """Return the folded English words."""
    return _fold_all(set(_read_language("en", ALL_BUCKETS)))


def _fold_all(words: set[str]) -> frozenset[str]:
    """Return the folded words. One call for all is ten times faster than one for each."""
    plain = {word for word in words if word.isascii()}
    return frozenset(plain.union(fold("\n".join(words - plain)).split("\n")))


@cache
def _read_language(language: str, max_bucket: int = MAX_BUCKET) -> list[str]:
    """Return the words of a language, the most frequent first."""
    import wordfreq  # noqa: PLC0415 - takes half a second, and few processes read a license

    buckets = wordfreq.read_cBpack(str(wordfreq.DATA_PATH / f"small_{language}.msgpack.gz"))
    return [word for bucket in buckets[:max_bucket] for word in bucket]


@cache
def load_given_names() -> frozenset[str]:
    """Return the words of the given names of all locales, in their own spelling."""
    return _read_names("first_name")


@cache
def load_family_names() -> frozenset[str]:
    """Return the words of the family names of all locales, in their own spelling."""
    return _read_names("last_name")


@cache
def _load_providers() -> tuple[type, ...]:
    from faker.providers import person  # noqa: PLC0415 - few processes read a license

    modules = (module.name for module in pkgutil.iter_modules(person.__path__) if module.ispkg)
    return tuple(importlib.import_module(f"{person.__name__}.{name}").Provider for name in modules)


def _read_names(kind: str) -> frozenset[str]:
    names: set[str] = set()
    for provider in _load_providers():
        # For example first_names_male and last_names. Japanese names come with their spelling in Latin letters.
        for attribute in filter(lambda name: name.startswith(kind), dir(provider)):
            names.update(_flatten(getattr(provider, attribute)))
    listed_names = (line for line in NAMES.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    words = set(fold("\n".join([*names, *listed_names])).split())
    return frozenset(words | {latin for word in words for latin in romanize(word)})


def _flatten(value: object) -> Iterator[str]:
    """Yield the names in lists, in weights by name, and in tuples of spellings."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Iterable):
        for item in value:
            yield from _flatten(item)


def romanize(word: str) -> Iterator[str]:
    """Yield the usual Latin spellings of a word of another script, if its letters determine its sounds."""
    latin = "".join(map(_romanize_letter, word))
    if word[:1].isascii() or not latin.isascii():
        return
    yield latin
    yield from (latin.replace(*variant) for variant in LANGUAGE_TABLES.latin_variants if variant[0] in latin)


@cache
def _romanize_letter(letter: str) -> str:
    """Return a letter or syllable in Latin letters, from the tables or its Unicode name, or else unchanged."""
    if letter in LANGUAGE_TABLES.romanization:
        return LANGUAGE_TABLES.romanization[letter]
    block, _, name = unicodedata.name(letter, "").rpartition(" ")
    return LANGUAGE_TABLES.kana.get(name, name.lower()) if block in SYLLABLES else letter


@cache
def load_romanized_words() -> frozenset[str]:
    """Return ordinary words of other scripts in Latin letters: "tolko", "sangeob"."""
    words = {word for language in LANGUAGE_TABLES.romanized for word in _read_language(language)}
    return frozenset(latin for word in _fold_all(words) for latin in romanize(word) if len(latin) >= MIN_ROMANIZED)
