"""Grammar of the names of persons, in scripts with and without capitals."""

import re

from verification.licenses.dictionaries import (
    fold,
    load_common_english_words,
    load_family_names,
    load_function_words,
    load_given_names,
    romanize,
)
from verification.licenses.legal_forms import split_legal_form
from verification.licenses.lexicon import (
    TRIM,
    Kind,
    get_kind,
    get_script,
    has_capitals,
    is_phrase_in_one_word,
    is_singular,
    is_term,
    load_words,
)

MAX_PERSON_WORDS = 5
MAX_PLAIN = 4  # words of a name in a script whose ordinary words or restrictions are listed
PLAIN_SCRIPTS = frozenset({"ARABIC", "HEBREW", "DEVANAGARI", "BENGALI", "TAMIL", "THAI", "ARMENIAN", "GUJARATI"})
MAX_LISTED = 3  # words of a name in a script without capitals
MAX_UNKNOWN = 2  # unlisted words of a name without a listed word
MAX_UNKNOWN_LETTERS = 24  # total letters of these words; transliterated sentences have longer words than names
MAX_ACRONYM = 3  # letters of an acronym next to other names of a person
MAX_NAME = 20  # letters of an unlisted name
IN_PERSON = frozenset({Kind.NAME, Kind.NAME_OR_WORD, Kind.INITIALS, Kind.PARTICLE, Kind.UNKNOWN, Kind.WORD})
NAME_KINDS = frozenset({Kind.NAME, Kind.NAME_OR_WORD, Kind.INITIALS})
MAX_INITIALS = 6  # characters of initials: "J. R."
# As given names of Korea and China in Latin letters
HYPHENATED_NAME = re.compile(r"[A-Z][a-z]{1,5}-[A-Za-z][a-z]{1,5}")
SON_OF = frozenset({"bin", "bint", "binti", "binte", "ibn", "ben", "بن", "ابن", "בן", "בת"})
NICKNAME = re.compile(r"(?:(?<!\S)\"|\()(?:([A-Z][a-z]{2,11})[\")](?=\s)|([a-z][a-z0-9]{2,20})[\")](?=[\s,.;]|$))")


def strip_nicknames(text: str) -> str:
    """Return the text without nicknames in quotes or brackets."""
    return NICKNAME.sub(lambda nick: " " if is_nickname(nick[1] or nick[2]) else nick[0], text)


def is_nickname(word: str) -> bool:
    """Return whether a word can be a nickname. A lowercase nickname must not be listed."""
    return get_kind(word) in ({Kind.UNKNOWN} if word.islower() else NAME_KINDS | {Kind.UNKNOWN, Kind.WORD})


def is_person(text: str) -> bool:
    """Return whether a text is the name of a person: listed names, or capitalized words of no language."""
    tokens = [t for token in text.split() if (t := token.strip(TRIM)) and fold(t) not in load_words("honorifics")]
    if len(tokens) == 1 or (len(tokens) == 2 and set(map(get_script, tokens)) == {"HANGUL"}):
        return is_joined_name("".join(tokens))
    if not tokens or len({get_script(token) for token in tokens} - {""}) != 1:
        return False
    if get_script(tokens[0]) == "HAN":
        return is_written_without_capitals(tokens)
    is_lower = text.islower() and has_capitals(tokens[-1])  # "somchai rattanaporn"
    kinds = list_kinds_in_person([token.title() for token in tokens] if is_lower else tokens)
    if is_lower and not any(
        k is Kind.NAME and t not in load_common_english_words() for k, t in zip(kinds, tokens, strict=True)
    ):
        return False
    unlisted = [word_kind for word_kind in kinds if word_kind not in NAME_KINDS]
    capitals = [t for t in tokens if t.isupper() and len(t) > MAX_ACRONYM and get_kind(t) is not Kind.NAME]
    if len(capitals) > 1 or (text.isupper() and len(text) > MAX_INITIALS and unlisted not in ([], [Kind.UNKNOWN])):
        return False
    max_words = MAX_PERSON_WORDS + kinds.count(Kind.PARTICLE)
    if not set(kinds) <= IN_PERSON or kinds[-1] is Kind.PARTICLE or len(kinds) > max_words:
        return False
    full = [(k, fold(t)) for k, t in zip(kinds, tokens, strict=True) if k not in (Kind.PARTICLE, Kind.INITIALS)]
    full_kinds: list[Kind] = [k for k, _ in full]
    if set(full_kinds) == {Kind.UNKNOWN} and is_firm_or_phrase(tokens):
        return False
    return bool(full) and are_names(full_kinds, [t for _, t in full], has_capitals(tokens[-1]) and not is_lower)


def is_firm_or_phrase(tokens: list[str]) -> bool:
    """Return whether unlisted words end in a legal form in capitals, or one is a phrase: "Pasdevente SARL"."""
    is_firm = tokens[-1].isupper() and split_legal_form(tokens) is not None
    return is_firm or any(map(is_phrase_in_one_word, tokens))


def list_kinds_in_person(tokens: list[str]) -> list[Kind]:
    """Return the kinds of the words of a person's name. The position makes some words names or particles."""
    kinds = [get_kind_in_person(token) for token in tokens]
    if not SON_OF.isdisjoint(token.lower() for token in tokens[1:-1]):
        kinds = [Kind.NAME if word_kind is Kind.WORD else word_kind for word_kind in kinds]
    either = [fold(token) in load_words("given_names_that_are_terms") for token in tokens]
    if {k for k, is_either in zip(kinds, either, strict=True) if not is_either} == {Kind.NAME}:
        return [Kind.NAME] * len(kinds)  # "Per Lindqvist"
    if kinds[0] is Kind.PARTICLE and is_term(fold(tokens[0])):
        kinds[0] = Kind.TERM  # "Ní" begins a name only after a given name
    for place, token in enumerate(tokens[1:], 1):
        is_inner = place < len(kinds) - 1 and kinds[place + 1] in (Kind.NAME, Kind.NAME_OR_WORD, Kind.UNKNOWN)
        if is_inner and token.islower() and token in load_words("particles"):
            kinds[place] = Kind.PARTICLE  # "ten Brinke"
    if kinds[0] is Kind.PARTICLE and fold(tokens[0]) in load_given_names() and tokens[0][0].isupper():
        kinds[0] = Kind.NAME
    if kinds[-1] is Kind.PARTICLE and fold(tokens[-1]) in load_family_names() and tokens[-1][0].isupper():
        kinds[-1] = Kind.NAME  # "John Lê"
    return kinds


def are_names(kinds: list[Kind], folded_words: list[str], are_capitalized: bool) -> bool:
    """Return whether words of these kinds, without initials, are recognizable as names."""
    name_count, unknown, plain = (kinds.count(kind) for kind in (Kind.NAME, Kind.UNKNOWN, Kind.WORD))
    if get_script(folded_words[0]) in PLAIN_SCRIPTS and kinds[0] in NAME_KINDS:
        return plain < 2 and 1 < len(kinds) <= MAX_PLAIN
    if plain:
        return are_capitalized and plain == 1 and is_surname_among(kinds, folded_words)
    if not are_capitalized:
        is_listed = len(kinds) <= MAX_LISTED and (not unknown or (name_count > 0 and unknown == 1))
        max_words = MAX_PLAIN if name_count else MAX_LISTED
        is_plain = len(kinds) <= max_words and get_script(folded_words[0]) in PLAIN_SCRIPTS
        return len(kinds) > 1 and (is_listed or is_plain)
    if name_count:
        return True
    if unknown == len(kinds):
        return unknown <= MAX_UNKNOWN and sum(map(len, folded_words)) <= MAX_UNKNOWN_LETTERS
    is_family = kinds[-1] is Kind.UNKNOWN or folded_words[-1] in load_family_names()
    is_given = folded_words[0] in load_given_names() or kinds[0] is Kind.UNKNOWN
    return len(kinds) == 2 and is_given and is_family


def is_surname_among(kinds: list[Kind], folded_words: list[str]) -> bool:
    """Return whether the single ordinary word among listed names can be a name: "David Cramer"."""
    word = folded_words[kinds.index(Kind.WORD)]
    is_rare = word not in load_common_english_words()
    if len(kinds) == 2 and Kind.UNKNOWN in kinds:  # a phrase of another language has no common English word
        return not is_rare and word not in load_function_words(get_script(word))
    if len(kinds) == 2 and folded_words[0] in load_given_names():
        return is_rare or (kinds[0] is Kind.NAME and is_singular(word))
    name_count = kinds.count(Kind.NAME)
    either = kinds.count(Kind.NAME_OR_WORD)
    return name_count > 0 and name_count + either == len(kinds) - 1 and is_rare and is_singular(word)


def get_kind_in_person(token: str) -> Kind:
    """Return the kind of a word in a person's name. Without a capital letter, it is a particle or none."""
    if HYPHENATED_NAME.fullmatch(token) and not any(is_plain_part(part) for part in fold(token).split("-")):
        return Kind.TERM if is_term(fold(token)) else Kind.NAME
    word_kind = get_kind(token)
    if word_kind is Kind.NEUTRAL:
        return Kind.WORD
    if word_kind is Kind.TERM and not token.isascii() and fold(token) in load_words("particles"):
        return Kind.PARTICLE  # "Ní"
    if not has_capitals(token) or word_kind in (Kind.PARTICLE, Kind.INITIALS, Kind.TERM):
        return word_kind
    if not any(part[:1].isupper() for part in re.split(r"[-'’]", token)):
        return Kind.NONE
    if word_kind is Kind.UNKNOWN and (len(token) > MAX_NAME or re.search(r"[._\d]|[a-z][A-Z].*[A-Z]", token)):
        return Kind.NONE
    return word_kind


def is_plain_part(part: str) -> bool:
    """Return whether a part of a hyphenated word is an English word and not a name."""
    return part in load_common_english_words() and part not in load_given_names()


def is_joined_name(token: str) -> bool:
    """Return whether a word is a family and a given name in Chinese, Japanese, or Korean."""
    if is_term(fold(token)):
        return False
    script = get_script(token)
    if script == "HANGUL":
        is_double = token[:2] in load_family_names() and len(token) in (3, 4)  # "남궁" has no other meaning
        return is_double or (token[:1] in load_family_names() and token[1:] in load_given_names())
    if script != "HAN":
        return False
    return any(token[:n] in load_family_names() and is_given_name(token[n:]) for n in (1, 2, 3))


def is_written_without_capitals(tokens: list[str]) -> bool:
    """Return whether these are a Chinese or Japanese family name and a given name, or names in kana."""
    if len(tokens) != 2 or any(map(is_term, tokens)):
        return False
    is_kana = all(not load_given_names().isdisjoint(romanize(token)) for token in tokens)
    return is_kana or (tokens[0] in load_family_names() and len(tokens[1]) <= 3)


def is_given_name(rest: str) -> bool:
    """Return whether a text can follow a family name without a space: two characters, or a name in kana."""
    return 1 <= len(rest) <= 2 or not load_given_names().isdisjoint(romanize(rest))
