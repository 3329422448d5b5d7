"""Grammar of project names: "acme", "Terraform Provider for Acme", "Acme SDK for Go"."""

import re

from verification.licenses.addresses import is_handle
from verification.licenses.dictionaries import fold
from verification.licenses.lexicon import (
    TRIM,
    Kind,
    get_kind,
    has_capitals,
    is_brand,
    is_noun_like,
    is_singular,
    load_words,
)

CONNECTORS = frozenset(
    {"for", "a", "an", "the", "by", "from", "in", "of", "and", "official", "unofficial", "community", "", "&"}
)
# Only plugins of HashiCorp's products get these rules, because their names describe a purpose in ordinary words.
HOSTS = frozenset({"terraform", "opentofu", "packer", "vault", "nomad", "consul", "boundary", "vagrant", "sentinel"})
PLUGINS = frozenset({"provider", "plugin", "module", "driver", "builder", "provisioner"})
MAX_WORDS = 4
MAX_PLUGIN_WORDS = 2  # words for the purpose of a plugin
MAX_VERSION_DIGITS = 2
MAX_CAPITALS = 6  # letters of a word in capitals that counts as an acronym
IN_NAME = frozenset({Kind.UNKNOWN, Kind.NAME, Kind.NAME_OR_WORD, Kind.NEUTRAL, Kind.INITIALS})


def is_emblem_name(tokens: list[str]) -> bool:
    """Return whether these are two words of a brand, one of them an emblem: "Copper Kettle", "Fox & Hill"."""
    pair = [token for token in tokens if token not in ("&", "The", "the")]
    if len(pair) != 2 or not all(token[:1].isupper() and token[1:].islower() for token in pair):
        return False
    others = [token for token in pair if fold(token) not in load_words("emblems")]
    is_pair = all(get_kind(token) in IN_NAME | {Kind.WORD} and is_noun_like(token) for token in others)
    return is_pair and len(others) < 2


def is_project_name(tokens: list[str], max_words: int = 1, *, max_unknown: int = 1, is_title: bool = False) -> bool:
    """Return whether words can name a project: a single word, or a proper name and words that are part of names."""
    tokens = [token.strip(TRIM + "()") for token in tokens]
    # Of "contributors to the team", no word is left.
    if not tokens:
        return False
    if is_brand(" ".join(tokens)) or is_emblem_name(tokens) or (not is_title and is_description(tokens)):
        return True
    if len(tokens) > 1 and re.fullmatch(r"\d{1,2}", tokens[-1]):
        tokens = tokens[:-1]  # "Acme 2"
    kinds = [get_kind_in_name(token) for token in tokens]
    if len(kinds) > MAX_WORDS or not set(kinds) <= IN_NAME | {Kind.WORD}:
        return False
    if len(kinds) == 1:
        return kinds[0] is not Kind.WORD or (max_words > 0 and is_singular(fold(tokens[0])))
    is_capitalized = all(token[0].isupper() or token[0].isdigit() for token in tokens)
    name_count = sum(kinds.count(kind) for kind in (Kind.UNKNOWN, Kind.NAME, Kind.INITIALS))
    return is_capitalized and name_count > 0 and kinds.count(Kind.UNKNOWN) <= max_unknown and Kind.WORD not in kinds


def get_kind_in_name(token: str) -> Kind:
    """Return the kind of a word in a project's name. A script without capitals doesn't mark names."""
    if is_handle(token):
        return Kind.UNKNOWN
    word_kind = get_kind(token)
    if word_kind is Kind.UNKNOWN and (not has_capitals(token) or (token.isupper() and len(token) > MAX_CAPITALS)):
        return Kind.NONE
    return word_kind


def is_description(tokens: list[str]) -> bool:
    """Return whether these are a proper name and words for a kind of project, in any order."""
    bare = [fold(token.strip(TRIM + "()")) for token in tokens]
    if bare[0] in CONNECTORS - {"the", "official", "unofficial", "community", "a", "an"} or bare[-1] in CONNECTORS:
        return False
    known_words = load_words("products") | load_words("neutral")
    tokens = [t for t in tokens if "-" not in t or not known_words.issuperset(fold(t).split("-"))]
    bare = [fold(token.strip(TRIM + "()")) for token in tokens]
    others = load_words("products") | CONNECTORS
    names = [t.strip(TRIM + "()") for t, word in zip(tokens, bare, strict=True) if word not in others]
    products = load_words("products").intersection(bare)
    # Two product words name a product together: "Terraform SDK".
    if not names:
        return len(products) > 1
    if is_brand(" ".join(names)):
        return True
    if is_plugin(bare) and len(names) <= MAX_PLUGIN_WORDS and all(map(is_plugin_target, names)):
        return True
    return (bool(products) or len(names) == 1) and is_project_name_in_title(names, bool(products))


def is_summary(tokens: list[str]) -> bool:
    """Return whether words describe a program by a product and without terms: "A C parser in Python"."""
    bare = [fold(token.strip(TRIM + "()")) for token in tokens]
    is_of_product = not load_words("products").isdisjoint(part for word in bare for part in word.split("."))
    if not (load_words("works") - load_words("products")).isdisjoint(bare):
        return False
    plain = (token.strip(TRIM + "()") for token, word in zip(tokens, bare, strict=True) if word not in CONNECTORS)
    return is_of_product and {Kind.TERM, Kind.NONE}.isdisjoint(map(get_kind, plain))


def is_plugin_name(text: str) -> bool:
    """Return whether words name a plugin: "terraform-provider-acme", "the Terraform Provider for Acme"."""
    tokens = text.strip(TRIM).removeprefix("the ").split()
    folded_words = [part for token in tokens for part in re.split(r"[-_]", fold(token))]
    return is_plugin(folded_words) and (is_handle(text.strip(TRIM)) or is_description(tokens))


def is_plugin_target(word: str) -> bool:
    """Return whether a word can name the purpose of a plugin: not a term, a verb, or an English plural."""
    if word.isdigit():
        return len(word) <= MAX_VERSION_DIGITS
    word_kind = get_kind_in_name(word)
    return word_kind in IN_NAME or (word_kind is Kind.WORD and is_singular(fold(word)))


def is_project_name_in_title(names: list[str], has_products: bool) -> bool:
    """Return whether the words of a title, except product words, name a project."""
    if "-" in " ".join(names) and any(get_kind_in_name(name) is Kind.WORD for name in names):
        return False
    if not has_products and (names[0].isupper() or get_kind_in_name(names[0]) not in (Kind.UNKNOWN, Kind.NAME)):
        return False
    return is_project_name(names, max_words=int(has_products), is_title=True)


def is_part_of_license_sentence(match: re.Match[str]) -> bool:
    """Return whether the subject of a sentence, if any, is a project and not a part of one such as "the docs"."""
    who = (match.groupdict().get("who") or "").split()
    if not who or is_brand(" ".join(who)):
        return True
    kinds = [get_kind_in_name(word) for word in who if word not in load_words("products") and word not in CONNECTORS]
    if is_plugin(who):
        return set(kinds) <= IN_NAME | {Kind.WORD} and len(kinds) <= MAX_PLUGIN_WORDS
    return bool({Kind.UNKNOWN, Kind.NAME}.intersection(kinds)) and set(kinds) <= IN_NAME and len(who) <= MAX_WORDS


def is_plugin(folded_words: list[str]) -> bool:
    """Return whether words say that something is a plugin of a HashiCorp product: "Terraform provider"."""
    return not HOSTS.isdisjoint(folded_words) and not PLUGINS.isdisjoint(folded_words)
