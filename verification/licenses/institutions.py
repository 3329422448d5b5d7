"""Grammar of names of institutions, which a noun marks in any language: "Masarykova univerzita"."""

from functools import cache

from verification.licenses.addresses import is_address, is_handle
from verification.licenses.dictionaries import common_english_words, english_words, fold, function_words
from verification.licenses.lexicon import (
    SCRIPTS_WITH_CAPITALS,
    TRIM,
    Kind,
    has_capitals,
    is_brand,
    kind,
    script_of,
    stems,
    words,
)
from verification.licenses.word_lists import WordList

MAX_FIRM_WORDS = 4
SHORT_FIRM = 2  # words of a firm of which the last may be a term: "Waypoint Nine"
PROPER = frozenset({Kind.NAME, Kind.NAME_OR_WORD, Kind.UNKNOWN})
IN_FIRM = PROPER | {Kind.NEUTRAL}
MAX_FREE_WORDS = 7  # beside a legal form or a noun of institutions
MIN_JOINED = 5  # letters of a name that is written without spaces and holds a noun of institutions


@cache
def institution_nouns() -> WordList:
    """Return the nouns that say what kind of institution a name is of, and the parts of compounds."""
    return WordList(words("institution_nouns"))


def is_institution_noun(word: str) -> bool:
    """Return whether a folded word says what kind of institution a name is of: "universitet"."""
    return word in institution_nouns()


def is_institution(tokens: list[str]) -> bool:
    """Return whether a noun of institutions makes these words a name; an English one only as the last word."""
    folded_words = [fold(token.strip(TRIM + "()")) for token in tokens]
    nouns = [n for n, word in enumerate(folded_words) if is_institution_noun(word)]
    foreign = [word not in common_english_words() or word in words("connectors") for word in folded_words]
    is_placed = any(n == len(folded_words) - 1 or foreign[n] or (n == 0 and all(foreign[1:])) for n in nouns)
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


def is_firm_name(body: list[str], *, is_closed: bool = False) -> bool:
    """Return whether these words can be a firm's although one of them is a term: "Mixed Signals", "Trial Bay Systems".

    A term restricts only what stands for the work, its use or its users. So no such noun may follow it, and the last
    word is a term only where the name is closed by a legal form. Only the first word may be a participle.
    """
    tokens = [bare for token in body if (bare := token.strip(TRIM + "()")) and bare != "&"]
    if not 0 < len(tokens) <= MAX_FIRM_WORDS or not all(token[0].isupper() and token.isascii() for token in tokens):
        return False
    kinds, folded_words = [kind_in_organization(token) for token in tokens], [fold(token) for token in tokens]
    if not set(kinds) <= IN_FIRM | {Kind.WORD, Kind.TERM} or function_words("LATIN").intersection(
        word for word, word_kind in zip(folded_words, kinds, strict=True) if word_kind in (Kind.WORD, Kind.TERM)
    ):
        return False
    if any(word.endswith("ed") for word in folded_words[1:]) or kinds.count(Kind.TERM) > 1:
        return False
    if Kind.TERM not in kinds:
        return True
    place = kinds.index(Kind.TERM)
    if folded_words[place] not in english_words() and "-" not in folded_words[place]:
        return False
    if place == len(kinds) - 1:
        return is_closed and len(kinds) == SHORT_FIRM and kinds[0] in PROPER
    following = {folded_words[place + 1], *stems(folded_words[place + 1])}
    of_firms = words("organizations") if is_closed else words("firm_nouns")
    is_apart = folded_words[place + 1] in of_firms or following.isdisjoint(words("works"))
    return is_apart and (is_closed or not IN_FIRM.isdisjoint(kinds))


def is_acronym(piece: str, before: str) -> bool:
    """Return whether the capitals of the holder before spell this: "Internet Systems Consortium (ISC)"."""
    return len(piece) > 1 and "".join(filter(str.isupper, before.title() if before.isupper() else before)).startswith(
        piece
    )
