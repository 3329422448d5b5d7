"""Grammar of names of institutions, recognized by a noun in any language: "Masarykova univerzita"."""

from functools import cache

from verification.licenses.addresses import is_address, is_handle
from verification.licenses.dictionaries import fold, load_common_english_words, load_english_words, load_function_words
from verification.licenses.lexicon import (
    SCRIPTS_WITH_CAPITALS,
    TRIM,
    Kind,
    get_kind,
    get_script,
    has_capitals,
    is_brand,
    is_noun_like,
    is_phrase_in_one_word,
    is_singular,
    list_stems,
    load_words,
)
from verification.licenses.persons import MAX_PERSON_WORDS
from verification.licenses.word_lists import WordList

MAX_FIRM_WORDS = 4
SHORT_FIRM = 2  # words of a firm whose last word can be a term: "Waypoint Nine"
PROPER = frozenset({Kind.NAME, Kind.NAME_OR_WORD, Kind.UNKNOWN})
IN_FIRM = PROPER | {Kind.NEUTRAL}
MAX_UNKNOWN = 4  # unlisted words in a name with ordinary words
MAX_FREE_WORDS = 7  # next to a legal form or a noun of institutions
MIN_JOINED = 5  # letters of a name without spaces that contains a noun of institutions


@cache
def load_institution_nouns() -> WordList:
    """Return the nouns that name a kind of institution, and the parts of compounds."""
    return WordList(load_words("institution_nouns"))


def is_institution_noun(word: str) -> bool:
    """Return whether a folded word names a kind of institution: "universitet"."""
    return word in load_institution_nouns()


def is_institution(tokens: list[str]) -> bool:
    """Return whether a noun of institutions makes these words a name. An English noun must be the last word."""
    folded_words = [fold(token.strip(TRIM + "()")) for token in tokens]
    exact = load_institution_nouns().words  # the stems for other languages don't cover English plurals
    nouns = [n for n, w in enumerate(folded_words) if is_institution_noun(w) and (w in exact or is_singular(w))]
    foreign = [word not in load_common_english_words() or word in load_words("connectors") for word in folded_words]
    is_placed = any(n == len(folded_words) - 1 or foreign[n] or (n == 0 and all(foreign[1:])) for n in nouns)
    is_joined = len(folded_words) == 1 and len(folded_words[0]) > MIN_JOINED and not has_capitals(folded_words[0])
    return is_placed and (len(tokens) > 1 or is_joined) and is_free_of_terms(tokens)


def is_free_of_terms(tokens: list[str]) -> bool:
    """Return whether these words begin like a name, and none of them belongs to terms."""
    inner = [t for n, t in enumerate(tokens) if not (0 < n < len(tokens) - 1 and fold(t) in load_words("connectors"))]
    kinds = {get_kind_in_organization(token) for token in inner}
    is_begun = bool(inner) and (not has_capitals(inner[0]) or inner[0][0].isupper())
    return is_begun and len(inner) <= MAX_FREE_WORDS and {Kind.TERM, Kind.NONE}.isdisjoint(kinds)


def get_kind_in_organization(token: str) -> Kind:
    bare = token.strip(TRIM + "()")
    if is_brand(bare):
        return Kind.NEUTRAL
    if is_handle(bare) or is_address(bare):
        return Kind.UNKNOWN
    is_noun = fold(bare) in load_words("organizations") or (has_capitals(bare) and is_institution_noun(fold(bare)))
    word_kind = Kind.NEUTRAL if is_noun else get_kind(bare)
    return Kind.TERM if word_kind is Kind.UNKNOWN and is_phrase_in_one_word(bare) else word_kind


def is_firm_name(body: list[str], *, is_closed: bool = False) -> bool:
    """Return whether these words can be a firm's although one of them is a term: "Mixed Signals", "Trial Bay Systems".

    A term restricts only nouns for the work, its use, or its users. So no such noun can follow it, and the last word
    can be a term only before a legal form. Only the first word can be a participle.
    """
    tokens = [bare for token in body if (bare := token.strip(TRIM + "()")) and bare != "&"]
    if not 0 < len(tokens) <= MAX_FIRM_WORDS or not all(token[0].isupper() and token.isascii() for token in tokens):
        return False
    kinds = [get_kind_in_organization(token) for token in tokens]
    folded_words = [fold(token) for token in tokens]
    plain = {word for word, kind in zip(folded_words, kinds, strict=True) if kind in (Kind.WORD, Kind.TERM)}
    if not set(kinds) <= IN_FIRM | {Kind.WORD, Kind.TERM} or load_function_words("LATIN").intersection(plain):
        return False
    if any(word.endswith("ed") for word in folded_words[1:]) or kinds.count(Kind.TERM) > 1:
        return False
    if Kind.TERM not in kinds:
        return True
    place = kinds.index(Kind.TERM)
    if folded_words[place] not in load_english_words() and "-" not in folded_words[place]:
        return False
    if place == len(kinds) - 1:
        return is_closed and len(kinds) == SHORT_FIRM and kinds[0] in PROPER
    following = {folded_words[place + 1], *list_stems(folded_words[place + 1])}
    of_firms = load_words("organizations") if is_closed else load_words("firm_nouns")
    is_apart = folded_words[place + 1] in of_firms or following.isdisjoint(load_words("works"))
    return is_apart and (is_closed or not IN_FIRM.isdisjoint(kinds))


def is_acronym(piece: str, before: str) -> bool:
    """Return whether the initials of the holder before spell a piece: "Internet Systems Consortium (ISC)"."""
    initials = filter(str.isupper, before.title() if before.isupper() else before)
    return len(piece) > 1 and "".join(initials).startswith(piece)


def is_named_by_noun(tokens: list[str]) -> bool:
    folded_words = [fold(token.strip(TRIM)) for token in tokens]
    if len(tokens) < 2:
        return False
    if load_words("institutions").intersection(folded_words) and load_words("connectors").intersection(folded_words):
        return is_body_of_name(tokens, max_words=len(tokens))
    is_named = bool(load_words("organizations").intersection(folded_words))
    is_last = folded_words[-1] in load_words("organizations") | load_words("institutions")
    has_script = all(has_capitals(token) for token in tokens if get_script(token))
    is_plain = all(is_noun_like(t) for t in tokens[1:] if t and get_kind_in_organization(t) is Kind.WORD)
    return (is_named or is_last) and has_script and is_plain and is_body_of_name(tokens, 1 + is_last)


def is_body_of_name(tokens: list[str], max_words: int) -> bool:
    """Return whether these are words of an organization's name, at most `max_words` of them ordinary."""
    inner = [t for n, t in enumerate(tokens) if not (0 < n < len(tokens) - 1 and fold(t) in load_words("connectors"))]
    if fold(inner[0]) == "the":
        inner = inner[1:]
    kinds = [get_kind_in_organization(token) for token in inner]
    if not kinds or {Kind.TERM, Kind.NONE}.intersection(kinds) or kinds.count(Kind.UNKNOWN) > MAX_UNKNOWN:
        return False
    if not all(map(has_capitals, filter(get_script, inner))):
        max_words = min(max_words, 1)
    elif len(inner) > 1 and any(token[:1].islower() and token.isalpha() for token in inner):
        return False
    nouns = load_words("institutions").intersection(map(fold, tokens))
    is_named = {Kind.UNKNOWN, Kind.NAME, Kind.INITIALS}.intersection(kinds) or nouns or len(tokens) == 1
    plain = [token for token, word_kind in zip(inner, kinds, strict=True) if word_kind is Kind.WORD]
    return len(plain) <= max_words and bool(is_named or all(map(is_noun_like, plain))) and is_of_one_script(inner)


def is_of_one_script(tokens: list[str]) -> bool:
    """Return whether the words are in scripts with capitals, or few and in one other script."""
    scripts = {get_script(token) for token in tokens} - {""}
    if all(script in SCRIPTS_WITH_CAPITALS for script in scripts):
        return True
    return len(scripts) == 1 and len(tokens) <= (2 if scripts <= {"HAN", "HANGUL"} else MAX_PERSON_WORDS)
