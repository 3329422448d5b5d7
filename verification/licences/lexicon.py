"""What a word of a copyright notice or a title can be, by lists of names, organizations and terms.

Short lists are in words/, long ones in `dictionaries`. Words are compared without case and accents.
"""

import re
import unicodedata
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path

from verification.licences.dictionaries import family_names, fold, given_names, ordinary_words

WORDS = Path(__file__).with_name("words")
TRIM = ".,;:'\"!*_`#= \t\n-"  # around a word
SCRIPTS_WITH_CAPITALS = ("LATIN", "GREEK", "CYRILLIC")
SCRIPTS: tuple[str, ...] = (
    "LATIN",
    "GREEK",
    "CYRILLIC",
    "ARMENIAN",
    "HEBREW",
    "ARABIC",
    "DEVANAGARI",
    "BENGALI",
    "GUJARATI",
    "GURMUKHI",
)
SCRIPTS += ("ORIYA", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "THAI", "GEORGIAN", "HANGUL")
HAN = frozenset({"CJK", "HIRAGANA", "KATAKANA", "IDEOGRAPHIC"})
AFRICAN_LETTERS = frozenset("ɓɗəɛɔɲŋ")  # and Azerbaijani
INITIALS = re.compile(r"(?:[^\W\d_]\.?-?){1,3}")
BRAND_WITH_DIGITS = re.compile(r"(?=.*[^\W\d_])[A-Za-z]*\d{1,3}[A-Za-z]*(?:\d?[A-Za-z]*)")


COPYRIGHT_WORDS = frozenset({"copyright", "copyrights", "(c)", "license", "licensed"})
SPELLED_OUT = re.compile(r"(?:(?<![^\W_])[^\W_][\W_]+){4}")  # "S.e.a.t.s"
CAMEL_CASE = re.compile(r"[^\W\d_][^\W\d_A-Z]*")
SHORT_WORDS = frozenset({"no", "to", "up", "of", "in", "is"})
SHORT_TERMS = frozenset(
    (
        "only",
        "sale",
        "sell",
        "sold",
        "paid",
        "rent",
        "loan",
        "free",
        "must",
        "not",
        "use",
        "fee",
        "buy",
        "pay",
        "seat",
        "copy",
    )
)
MIN_TOGETHER = 8  # letters of a word that may be several words written together
MAX_WORD = 16


class Kind(StrEnum):
    """What a single word can be."""

    TERM = "term"  # belongs to terms: never part of a name
    NAME = "name"  # a given or family name that is no English word
    NAME_OR_WORD = "name or word"  # "Mark", "Brown"
    INITIALS = "initials"
    PARTICLE = "particle"  # "van", "de"
    NEUTRAL = "neutral"  # an ordinary word that names of organizations hold
    WORD = "word"  # any other English word
    UNKNOWN = "unknown"  # in no list: maybe a proper name
    NONE = "none"  # cannot stand in a name


@cache
def words(name: str) -> frozenset[str]:
    """The folded words of a list."""
    text = "\n".join(lines(name))
    return frozenset(fold(text).split())


def lines(name: str) -> list[str]:
    """The lines of a list, without comments."""
    text = (WORDS / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@cache
def brands() -> frozenset[str]:
    """The folded names of well-known holders."""
    return frozenset(map(fold, lines("brands")))


def is_brand(text: str) -> bool:
    """Whether this is a well-known holder."""
    return fold(" ".join(text.split())).removeprefix("the ") in brands()


@cache
def term_patterns() -> tuple[frozenset[str], re.Pattern[str]]:
    """The terms that are whole words, and one pattern for those that are parts of words."""
    whole, parts = set(), []
    for term in words("terms"):
        if "*" not in term:
            whole.add(term)
            continue
        bare = re.escape(term.strip("*"))
        parts.append(f"{'' if term.startswith('*') else '^'}{bare}{'' if term.endswith('*') else '$'}")
    return frozenset(whole), re.compile("|".join(sorted(parts)))


@lru_cache(maxsize=20_000)
def is_term(word: str) -> bool:
    """Whether a folded word, or a part of a compound, belongs to terms."""
    whole, parts = term_patterns()
    pieces = [re.sub(r"[\W_]+", "", word), *re.split(r"[\W_]+", word)]
    return any(piece in whole or parts.search(piece) for piece in pieces if piece)


def holds_term(word: str) -> bool:
    """Whether words of terms were written together: "NotForSale", "notforsale"."""
    parts = [fold(part) for part in CAMEL_CASE.findall(word)]
    return (len(parts) > 1 and any(map(is_term, parts))) or is_written_together(re.sub(r"[\W\d_]+", "", fold(word)))


def first_term(text: str) -> str:
    """The first word of a text that belongs to terms, "" when there is none."""
    found = (word.strip(".,;:'\"!*_`#=()[]{}<>-") for word in text.split())
    return next((word for word in found if word and is_term(fold(word)) and fold(word) not in COPYRIGHT_WORDS), "")


@cache
def plain_terms() -> frozenset[str]:
    """English words of terms that show even where they are written together with others."""
    whole, parts = term_patterns()
    found = {word for word in ordinary_words() if len(word) > 4 and (word in whole or parts.search(word))}
    return frozenset(found | SHORT_TERMS)


@lru_cache(maxsize=20_000)
def is_written_together(letters: str) -> bool:
    """Whether the letters are English words one after another, a term among them."""
    if len(letters) < MIN_TOGETHER or not letters.isascii():
        return False
    ends: dict[int, bool] = {0: False}  # where a row of words may end, and whether it holds a term
    for start in range(len(letters)):
        if start not in ends:
            continue
        for end in range(start + 2, min(len(letters), start + MAX_WORD) + 1):
            word = letters[start:end]
            if word in SHORT_WORDS or (end > start + 2 and (word in plain_terms() or word in ordinary_words())):
                ends[end] = ends.get(end, False) or ends[start] or word in plain_terms()
    return ends.get(len(letters), False)


def script_of(word: str) -> str:
    """Return the one script of all letters of a word: "" for none, "MIXED" for several or an unknown one."""
    scripts = {script_of_letter(char) for char in word if unicodedata.category(char)[0] in "LM"} - {"COMBINING"}
    if scripts and scripts <= HAN:
        return "HAN"
    script = next(iter(scripts), "MIXED" if any(map(unicodedata.combining, word)) else "")
    return script if len(scripts) < 2 and (script in SCRIPTS or not script) else "MIXED"


def script_of_letter(char: str) -> str:
    """Return the script of a letter; small capitals, modifiers and letters of phonetics are of none."""
    script, _, kind = unicodedata.name(char, "?").partition(" ")
    is_latin = script == "LATIN" and (char < "\u0250" or "\u1e00" <= char <= "\u1eff" or char in AFRICAN_LETTERS)
    return script.split("-")[0] if script != "LATIN" or (is_latin and not kind.startswith("LETTER")) else "?"


def has_capitals(word: str) -> bool:
    """Whether the script of a word has capital letters, which show that a word is a name."""
    return script_of(word) in SCRIPTS_WITH_CAPITALS


@lru_cache(maxsize=20_000)
def kind(word: str) -> Kind:
    """What a word without surrounding punctuation can be."""
    folded = fold(word)
    if is_term(folded):
        return Kind.TERM
    if SPELLED_OUT.search(word):
        return Kind.NONE
    if any(char.isdigit() for char in word):
        return kind_with_digits(word)
    if script_of(word) in ("", "MIXED") or has_compatibility_form(word):
        return Kind.NONE
    return kind_of_letters(word, folded)


def kind_with_digits(word: str) -> Kind:
    """Return what a word with digits is: a brand, unless the words between the digits are no name."""
    if not word.isascii() or not BRAND_WITH_DIGITS.fullmatch(word):
        return Kind.NONE
    parts = [fold(part) for part in CAMEL_CASE.findall(word)]
    return Kind.TERM if any(is_term(part) or holds_term(part) for part in parts if len(part) > 1) else Kind.UNKNOWN


def has_compatibility_form(word: str) -> bool:
    """Whether a letter stands for another one, as the mathematical and the full-width letters do."""
    return any(unicodedata.decomposition(char).startswith("<") and char not in "\u0e33\u0eb3" for char in word)


def kind_of_letters(word: str, folded: str) -> Kind:
    if folded in words("particles"):
        return Kind.PARTICLE
    is_name = all(
        part in given_names() or part in family_names() for part in re.split(r"[-'’]", folded) if len(part) > 1
    )
    if INITIALS.fullmatch(word) and (word.isupper() or len(folded.strip(".")) == 1):
        return Kind.INITIALS
    if is_name:
        return Kind.NAME_OR_WORD if folded in ordinary_words() else Kind.NAME
    if folded in words("neutral") or folded in words("organizations"):
        return Kind.NEUTRAL
    if folded in ordinary_words():
        return Kind.WORD
    if holds_term(word):
        return Kind.TERM
    if [kind(part) for part in re.split(r"[\W_]+", word) if part != word].count(Kind.WORD) > 1:
        return Kind.WORD
    parts = [fold(part) for part in CAMEL_CASE.findall(word)]
    return Kind.WORD if len(parts) > 2 and all(part in ordinary_words() for part in parts) else Kind.UNKNOWN
