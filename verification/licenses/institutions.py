"""Grammar of names of institutions, which a noun marks in any language: "Masarykova univerzita"."""

from functools import cache

from verification.licenses.addresses import is_address, is_handle
from verification.licenses.dictionaries import common_english_words, fold
from verification.licenses.lexicon import (
    SCRIPTS_WITH_CAPITALS,
    TRIM,
    Kind,
    has_capitals,
    is_brand,
    kind,
    script_of,
    words,
)
from verification.licenses.word_lists import WordList

MAX_FREE_WORDS = 7  # beside a legal form or a noun of institutions
MIN_JOINED = 5  # letters of a name that is written without spaces and holds a noun of institutions


@cache
def institution_nouns() -> WordList:
    """The nouns that say what kind of institution a name is of, and the parts of compounds."""
    return WordList(words("institution_nouns"))


def is_institution_noun(word: str) -> bool:
    """Return whether a folded word says what kind of institution a name is of: "universitet"."""
    return word in institution_nouns()


def is_institution(tokens: list[str]) -> bool:
    """Return whether a noun of institutions makes these words a name; an English one only as the last word."""
    folded_words = [fold(token.strip(TRIM + "()")) for token in tokens]
    nouns = [n for n, word in enumerate(folded_words) if is_institution_noun(word)]
    is_placed = any(n == len(folded_words) - 1 or folded_words[n] not in common_english_words() for n in nouns)
    is_joined = (
        len(folded_words) == 1
        and len(folded_words[0]) > MIN_JOINED
        and script_of(folded_words[0]) not in SCRIPTS_WITH_CAPITALS
    )
    return is_placed and (len(tokens) > 1 or is_joined) and is_free_of_terms(tokens)


def is_free_of_terms(tokens: list[str]) -> bool:
    """Return whether these words begin as a name does, and none of them belongs to terms."""
    inner = [t for n, t in enumerate(tokens) if not (0 < n < len(tokens) - 1 and fold(t) in words("connectors"))]
    kinds = {kind_in_organization(token) for token in inner}
    is_begun = bool(inner) and (not has_capitals(inner[0]) or inner[0][0].isupper())
    return is_begun and len(inner) <= MAX_FREE_WORDS and {Kind.TERM, Kind.NONE}.isdisjoint(kinds)


def kind_in_organization(token: str) -> Kind:
    bare = token.strip(TRIM + "()")
    if is_brand(bare):
        return Kind.NEUTRAL
    if is_handle(bare) or is_address(bare):
        return Kind.UNKNOWN
    is_noun = fold(bare) in words("organizations") or (has_capitals(bare) and is_institution_noun(fold(bare)))
    return Kind.NEUTRAL if is_noun else kind(bare)
