"""Grammar of what a project calls itself: "acme", "Terraform Provider for Acme", "Acme SDK for Go"."""

import re

from verification.licences.addresses import is_handle
from verification.licences.dictionaries import fold
from verification.licences.lexicon import TRIM, Kind, has_capitals, is_brand, kind, words

CONNECTORS = frozenset(
    {"for", "a", "an", "the", "by", "from", "in", "of", "and", "official", "unofficial", "community", "", "&"}
)
MAX_WORDS = 4
MAX_UNKNOWN = 2
MAX_CAPITALS = 6  # letters of a word in capitals that is taken for an acronym
IN_NAME = frozenset({Kind.UNKNOWN, Kind.NAME, Kind.NAME_OR_WORD, Kind.NEUTRAL, Kind.INITIALS})


def is_project_name(tokens: list[str], max_words: int = 1) -> bool:
    """Whether these words can name a project: none belongs to terms, not more than `max_words` are ordinary words."""
    tokens = [token.strip(TRIM + "()") for token in tokens]
    if is_brand(" ".join(tokens)) or is_description(tokens):
        return True
    kinds = [kind_in_name(token) for token in tokens]
    if not kinds or len(kinds) > MAX_WORDS or not set(kinds) <= IN_NAME | {Kind.WORD, Kind.PARTICLE}:
        return False
    return (
        kinds.count(Kind.WORD) <= max_words
        and kinds.count(Kind.UNKNOWN) <= MAX_UNKNOWN
        and kinds[0] is not Kind.PARTICLE
    )


def kind_in_name(token: str) -> Kind:
    """What a word of a project's name can be; a script without capitals does not show that a word is a name."""
    if is_handle(token):
        return Kind.UNKNOWN
    found = kind(token)
    if found is Kind.UNKNOWN and (not has_capitals(token) or (token.isupper() and len(token) > MAX_CAPITALS)):
        return Kind.NONE
    return found


def is_description(tokens: list[str]) -> bool:
    """Whether these are a proper name and words for what a project is, in any order."""
    bare = [fold(token.strip(TRIM + "()")) for token in tokens]
    if bare[0] in CONNECTORS - {"the", "official", "unofficial", "community", "a", "an"} or bare[-1] in CONNECTORS:
        return False
    names = [
        t.strip(TRIM + "()") for t, word in zip(tokens, bare, strict=True) if word not in words("products") | CONNECTORS
    ]
    products = words("products").intersection(bare)
    if not names:
        return len(products) > 1
    if is_brand(" ".join(names)):
        return True
    kinds = [kind_in_name(name) for name in names]
    is_lone = len(names) == 1 and kinds[0] in (Kind.UNKNOWN, Kind.NAME) and not names[0].isupper()
    if "-" in " ".join(names) and Kind.WORD in kinds:
        return False
    if kinds.count(Kind.WORD) > min(1, len(products)) or kinds.count(Kind.UNKNOWN) > MAX_UNKNOWN:
        return False
    return set(kinds) <= IN_NAME | {Kind.WORD} and (bool(products) or is_lone)


def is_part_of_license_sentence(match: re.Match[str]) -> bool:
    """Whether what a sentence is about, if it says so, is a project and not a part of one such as "the docs"."""
    who = (match.groupdict().get("who") or "").split()
    if not who or is_brand(" ".join(who)):
        return True
    kinds = [kind_in_name(word) for word in who if word not in words("products")]
    return bool({Kind.UNKNOWN, Kind.NAME}.intersection(kinds)) and set(kinds) <= IN_NAME
