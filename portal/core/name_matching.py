"""Comparison of names, with look-alike characters from the Unicode confusables table."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby

from confusable_homoglyphs import confusables

from portal.core.content_files import Content, load_content

DIGIT_LOOKALIKES = str.maketrans("01", "ol")
# Scripts of South and Southeast Asia write vowels as marks, which regular expressions don't take for letters.
VOWEL_MARKS = "".join(
    char for char in map(chr, (*range(0x900, 0x10A0), *range(0x17B6, 0x17D4))) if unicodedata.category(char)[0] == "M"
)
# A mark after a Latin letter would only make an imitation look different.
WORD_PATTERN = re.compile(rf"[^\W_](?:[^\W_]|(?<=[^\x00-\x7f])[{VOWEL_MARKS}])*")


class NameWords(Content):
    """Content of names.yaml: words of names by meaning."""

    company_suffixes: frozenset[str]
    claims: frozenset[str]
    products: frozenset[str]
    fillers: frozenset[str]


NAME_WORDS = load_content("portal/core/data/names.yaml", NameWords)


def normalize_text(text: str) -> str:
    """Return the text in compatibility form, in lower case, and without accents."""
    base_text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return "".join(c for c in base_text if not unicodedata.combining(c))


def compute_skeleton(name: str) -> str:
    """Return a form in which look-alike names are equal: "HаshiCorp" with a Cyrillic а becomes "hashicorp"."""
    latin = "".join(to_latin(c) for c in name)
    # A capital I inside a word looks like a lowercase l. Digits stand for the letters that they resemble.
    letters = re.sub(r"(?<=[A-Za-z])I(?=[a-z])|(?<=[a-z])I", "l", latin)
    return "".join(WORD_PATTERN.findall(normalize_text(letters).translate(DIGIT_LOOKALIKES)))[:160]


def to_latin(char: str) -> str:
    """Return the Latin letter that a character looks like, or the character."""
    if char.isascii():
        return char
    confusable = confusables.is_confusable(char, preferred_aliases=["latin"], greedy=True)
    if not confusable:
        return char
    lookalikes = [h["c"] for h in confusable[0]["homoglyphs"] if h["c"].isascii()]
    return lookalikes[0] if lookalikes else char


def compute_name_key(name: str) -> str:
    """Return the name without punctuation, spaces, and company suffixes, to find different spellings of it."""
    words = WORD_PATTERN.findall(normalize_text(name))
    key_words = [w for w in words if w not in NAME_WORDS.company_suffixes] or words
    return "".join(key_words)[:120]


def join_letters(words: Iterable[str]) -> Iterator[str]:
    """Yield the words, each run of single letters joined, as in "V a u l t"."""
    for is_letter, run in groupby(words, key=lambda word: len(word) == 1):
        if is_letter:
            yield "".join(run)
        else:
            yield from run


def has_mixed_scripts(name: str) -> bool:
    """Return whether a name mixes letters of several scripts, as imitations do."""
    return bool(confusables.is_mixed_script(name)) and bool(confusables.is_dangerous(name))
