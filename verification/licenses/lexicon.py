"""Classes of the words in copyright notices and titles, by lists of names, organizations, and terms.

Short lists are in words/, long ones in `dictionaries`. Words are compared without case and accents.
"""

import re
import unicodedata
from collections.abc import Iterator
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path

from verification.licenses.compounds import has_term_when_split, is_phrase
from verification.licenses.dictionaries import (
    fold,
    load_english_words,
    load_family_names,
    load_function_words,
    load_given_names,
    load_ordinary_words,
    load_romanized_words,
    romanize,
)
from verification.licenses.word_lists import WordList

WORDS = Path(__file__).with_name("data") / "words"
TRIM = ".,;:'\"!*_`#= \t\n-"  # around a word
SCRIPTS_WITH_CAPITALS = ("LATIN", "GREEK", "CYRILLIC")
ROMANIZED_SCRIPTS = ("GREEK", "CYRILLIC", "ARMENIAN", "GEORGIAN")
SCRIPT_NAMES = (
    "LATIN GREEK CYRILLIC ARMENIAN HEBREW ARABIC DEVANAGARI BENGALI GUJARATI GURMUKHI ORIYA TAMIL TELUGU KANNADA"
    " MALAYALAM SINHALA THAI GEORGIAN HANGUL ETHIOPIC"
)
SCRIPTS = frozenset(SCRIPT_NAMES.split())
HAN = frozenset({"CJK", "HIRAGANA", "KATAKANA", "IDEOGRAPHIC"})
AFRICAN_LETTERS = frozenset("ɓɗəɛɔɲŋ")  # and Azerbaijani
INITIALS = re.compile(r"(?:[^\W\d_]\.?-?){1,3}")
BRAND_WITH_DIGITS = re.compile(r"(?=[^_]*[A-Za-z]{2}|[A-Za-z]\d{1,3}$|\d[A-Za-z]\d?$)[A-Za-z\d]{2,20}")
# Keeps vowel signs of Hebrew, Arabic, Indic, and Thai words, which regular expressions don't count as letters.
BETWEEN = re.compile(r"(?:(?![\u0591-\u05c7\u064b-\u0652\u0900-\u0dff\u0e31-\u0e4e])[\W_])+")
QUANTITY = re.compile(r"\d+(?:x|h|hrs?|min|d|days?|yrs?|[kmgtp]i?b|[mg]hz|v?cpus?|cores?)|q[1-4]|h[12]|fy\d+", re.I)
LEET = str.maketrans("013457", "oleast")
COPYRIGHT_WORDS = frozenset({"copyright", "copyrights", "(c)", "license", "licensed", "rights", "reserved"})
SPELLED_OUT = re.compile(r"(?:(?<![^\W_])[^\W_][\W_]+){4}")  # "S.e.a.t.s"
CAMEL_CASE = re.compile(r"[^\W\d_][^\W\d_A-Z]*")
SHORT_WORDS = frozenset({"no", "to", "up", "of", "in", "is"})
# Endings of verbs, abstract nouns, adjectives, and adverbs in several languages.
DERIVED_WORD = re.compile(
    r".{2,}(?:[ts]ions?|ments?|ness|[ai]bles?|(?:ous|al|ed|ent|ate)ly|[iy][sz]ed|ful|less|ware|(?<!qu)(?<!qv)ists?"
    r"|.{3}ung(?:en)?|heit|keit|lich(?:e[nrs]?)?|schaft|cion(?:es)?|cao|coes|mente|zion[ei]|amento|bil[ei]|idad|eusement|ellement|isch(?:e[nrs]?)?)"
)
INFLECTION_PAIRS = "s- es- ies-y ed- d- ing- ing-e ings- er- ers- ers-e"  # an ending, and its replacement in the stem
INFLECTIONS = tuple((ending, other) for ending, _, other in (p.partition("-") for p in INFLECTION_PAIRS.split()))
MIN_STEM = 3
MIN_ROMANIZED = 6  # letters of a term in Latin letters
MAX_DIGITS = 4  # of a brand


class Kind(StrEnum):
    """Class of a single word."""

    TERM = "term"  # belongs to terms: never part of a name
    NAME = "name"  # a given or family name
    NAME_OR_WORD = "name or word"  # an English word too: "Mark", "Brown"
    INITIALS = "initials"
    PARTICLE = "particle"  # "van", "de"
    NEUTRAL = "neutral"  # an ordinary word that names of organizations hold
    WORD = "word"  # any other ordinary word of a language of its script
    UNKNOWN = "unknown"  # in no list: maybe a proper name
    NONE = "none"  # can't be part of a name


@cache
def load_words(name: str) -> frozenset[str]:
    """Return the folded words of a list."""
    text = "\n".join(load_lines(name))
    return frozenset(fold(text).split())


def load_lines(name: str) -> list[str]:
    """Return the lines of a list, without comments."""
    text = (WORDS / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@cache
def load_brands() -> frozenset[str]:
    """Return the folded names of well-known holders."""
    return frozenset(map(fold, load_lines("brands")))


def is_brand(text: str) -> bool:
    """Return whether a text is a well-known holder."""
    return fold(" ".join(text.split())).removeprefix("the ") in load_brands()


@cache
def load_terms() -> WordList:
    """Return the words and parts of words that set terms, in their own scripts and in Latin letters."""
    return WordList((*load_words("terms"), *load_words("restrictions"), *iterate_romanized_terms()))


def iterate_romanized_terms() -> Iterator[str]:
    """Yield the terms of other scripts in Latin letters that are too long to be confused with names."""
    for term in load_words("terms") | load_words("restrictions"):
        bare = term.strip("*")
        yield from (term.replace(bare, latin) for latin in romanize(bare) if len(latin) >= MIN_ROMANIZED)


@lru_cache(maxsize=20_000)
def is_term(word: str) -> bool:
    """Return whether a folded word, or a part of a compound, belongs to terms."""
    pieces = [BETWEEN.sub("", word), *BETWEEN.split(word)]
    return any(piece in load_terms() for piece in pieces if piece)


def has_term(word: str) -> bool:
    """Return whether words of terms were written together: "NotForSale", "notforsale"."""
    parts = [fold(part) for part in CAMEL_CASE.findall(word)]
    return (len(parts) > 1 and any(map(is_term, parts))) or is_written_together(re.sub(r"[\W\d_]+", "", fold(word)))


def find_first_term(text: str) -> str:
    """Return the first word of a text that sets terms, or "". "for" and "not" alone set no terms."""
    candidates = (word.strip(".,;:'\"!*_`#=()[]{}<>-") for word in text.split() if not re.search(r"@|\w[./]\w", word))
    return next((word for word in candidates if is_term(fold(word)) and not is_auxiliary(fold(word))), "")


def is_auxiliary(folded_word: str) -> bool:
    """Return whether a word is about copyright itself or too general to show which term it sets."""
    is_common = any(folded_word in load_function_words(script) for script in ("LATIN", "CYRILLIC"))
    return is_common or folded_word in COPYRIGHT_WORDS


@lru_cache(maxsize=20_000)
def is_plain_term(word: str) -> bool:
    """Return whether an English word of terms is recognizable in a compound."""
    is_english = len(word) > 4 and word in load_english_words()
    return word in load_words("short_terms") or (is_english and word in load_terms())


@lru_cache(maxsize=20_000)
def is_written_together(letters: str) -> bool:
    """Return whether ordinary English words and at least one word of terms make up all letters."""
    words_by_length = (SHORT_WORDS, load_english_words())
    return has_term_when_split(letters, lambda word: word in words_by_length[len(word) > 2], is_plain_term)


def is_phrase_in_one_word(word: str) -> bool:
    """Return whether an unlisted word is a compound of ordinary words of one language and at least one of terms."""
    return is_phrase(word, load_terms().__contains__)


def get_script(word: str) -> str:
    """Return the one script of all letters of a word: "" for none, "MIXED" for several or an unknown one."""
    scripts = {get_letter_script(char) for char in word if unicodedata.category(char)[0] in "LM"} - {"COMBINING"}
    if scripts and scripts <= HAN:
        return "HAN"
    script = next(iter(scripts), "MIXED" if any(map(unicodedata.combining, word)) else "")
    return script if len(scripts) < 2 and (script in SCRIPTS or not script) else "MIXED"


@cache
def get_letter_script(char: str) -> str:
    """Return the script of a letter. Small capitals, modifiers, and phonetic letters have none."""
    script, _, kind = unicodedata.name(char, "?").partition(" ")
    is_latin = script == "LATIN" and (char < "\u0250" or "\u1e00" <= char <= "\u1eff" or char in AFRICAN_LETTERS)
    return script.split("-")[0] if script != "LATIN" or (is_latin and not kind.startswith("LETTER")) else "?"


def has_capitals(word: str) -> bool:
    """Return whether the script of a word has capital letters, which show that a word is a name."""
    return get_script(word) in SCRIPTS_WITH_CAPITALS


@lru_cache(maxsize=20_000)
def get_kind(word: str) -> Kind:
    """Return what a word without surrounding punctuation can be."""
    folded_word = fold(word)
    if is_term(folded_word):
        return Kind.TERM
    if has_capitals(word) and SPELLED_OUT.search(word):
        return Kind.NONE
    if any(char.isdigit() for char in word):
        return Kind.TERM if QUANTITY.fullmatch(word) else get_kind_with_digits(word)
    if get_script(word) in ("", "MIXED") or has_compatibility_form(word):
        return Kind.NONE
    return get_kind_of_letters(word, folded_word)


def get_kind_with_digits(word: str) -> Kind:
    """Return the kind of a word with digits: a brand, unless the words between or after the digits aren't a name."""
    if not BRAND_WITH_DIGITS.fullmatch(word) or sum(map(str.isdigit, word)) > MAX_DIGITS:
        return Kind.NONE
    decoded = fold(word).translate(LEET)
    parts = [fold(part) for part in CAMEL_CASE.findall(word) if len(part) > 1]
    if is_term(decoded) or has_term(decoded) or any(is_term(part) or has_term(part) for part in parts):
        return Kind.TERM
    is_disguised = word[0].isalpha() and word[-1].isalpha() and decoded in load_english_words()
    return Kind.NONE if is_disguised else Kind.UNKNOWN


def has_compatibility_form(word: str) -> bool:
    """Return whether a letter is a variant of another one, such as a mathematical or full-width letter."""
    return any(unicodedata.decomposition(char).startswith("<") and char not in "\u0e33\u0eb3" for char in word)


def get_kind_of_letters(word: str, folded_word: str) -> Kind:
    if folded_word in load_words("particles"):
        return Kind.PARTICLE
    script = get_script(word)
    is_short = word.isupper() or len(folded_word.strip(".")) == 1
    if is_short and script in SCRIPTS_WITH_CAPITALS and INITIALS.fullmatch(word):
        return Kind.INITIALS
    parts = [part for part in BETWEEN.split(folded_word) if len(part) > 1]
    if parts and all(is_name(part, script) for part in parts):
        return Kind.NAME_OR_WORD if is_also_word(folded_word, script) else Kind.NAME
    if folded_word in load_words("neutral") or folded_word in load_words("organizations"):
        return Kind.NEUTRAL
    if is_ordinary(folded_word, script):
        return Kind.WORD
    if has_term(word):
        return Kind.TERM
    if len(parts) > 1:
        return Kind.WORD if [get_kind(part) for part in parts].count(Kind.WORD) > 1 else Kind.UNKNOWN
    parts = [fold(part) for part in CAMEL_CASE.findall(word) if len(part) > 1]
    return Kind.WORD if len(parts) > 2 and all(part in load_english_words() for part in parts) else Kind.UNKNOWN


def is_name(folded_word: str, script: str) -> bool:
    """Return whether a folded word is a listed name, directly or in a romanization of another script."""
    spellings = (folded_word, *romanize(folded_word)) if script in ROMANIZED_SCRIPTS else (folded_word,)
    return any(spelling in load_given_names() or spelling in load_family_names() for spelling in spellings)


@lru_cache(maxsize=20_000)
def is_ordinary(folded_word: str, script: str) -> bool:
    """Return whether a folded word is, or is formed like, an ordinary word of a language or its romanization."""
    if folded_word in load_ordinary_words(script) or (script == "LATIN" and folded_word in load_romanized_words()):
        return True
    return script == "LATIN" and is_derived(folded_word)


def is_singular(folded_word: str) -> bool:
    """Return whether an English word isn't a plural, a verb form, or derived from one."""
    is_verb = folded_word.endswith(("ing", "ed")) and folded_word in load_english_words()
    return not is_verb and not is_derived(folded_word)


def is_derived(folded_word: str) -> bool:
    return DERIVED_WORD.fullmatch(folded_word) is not None or has_english_stem(folded_word)


def has_english_stem(folded_word: str) -> bool:
    return not load_english_words().isdisjoint(list_stems(folded_word))


def is_noun_like(word: str) -> bool:
    """Return whether an ordinary word can be a brand: capitalized, singular, and not a function word."""
    folded_word = fold(word)
    is_frequent = folded_word in load_function_words(get_script(word)) and folded_word not in load_english_words()
    return word[0].isupper() and not is_frequent and is_singular(folded_word)


def list_stems(folded_word: str) -> list[str]:
    """Return what an English word may be an inflected form of."""
    if folded_word.endswith("d") and not folded_word.endswith("ed"):
        return []  # "containerd"
    inflections = [each for each in INFLECTIONS if folded_word.endswith(each[0])]
    candidates = [folded_word.removesuffix(ending) + other for ending, other in inflections]
    undoubled_stems = [stem[:-1] for stem in candidates if stem[-2:-1] == stem[-1:]]  # "vetted"
    return [stem for stem in (*candidates, *undoubled_stems) if len(stem) >= MIN_STEM]


def is_also_word(folded_word: str, script: str) -> bool:
    """Return whether a listed name is also an ordinary word, with many forms ("Grant") or without capitals."""
    if folded_word in load_words("given_names_that_are_words") or folded_word in load_function_words(script):
        return True
    if script != "LATIN":
        return script not in SCRIPTS_WITH_CAPITALS and folded_word in load_ordinary_words(script)
    forms = {folded_word.removesuffix(other) + ending for ending, other in INFLECTIONS if folded_word.endswith(other)}
    related_count = len(forms & load_english_words()) + has_english_stem(folded_word)
    return folded_word in load_english_words() and related_count > 1
