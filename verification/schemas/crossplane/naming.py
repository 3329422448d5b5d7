"""Crossplane's names for Terraform's fields, groups and kinds, and the plurals of kinds.

Acronyms count in kinds and in the names of secret references, not in the names of other fields.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from portal.core.content_files import Content, load_content


class GeneratorWords(Content):
    """Content of words.yaml.

    Attributes:
        special_words: Words with their own spelling in kinds.
        acronyms: Words that kinds write in capitals.
        plural_acronyms: Acronyms whose plural adds s or es.
        plural_endings: The plural ending by the ending, in the order of the rules.
    """

    special_words: dict[str, str]
    acronyms: frozenset[str]
    plural_acronyms: frozenset[str]
    irregular_plurals: dict[str, str]
    plural_endings: dict[str, str]


WORDS = load_content(Path(__file__).parent.parent / "data" / "words.yaml", GeneratorWords)
PLURALS = frozenset(WORDS.irregular_plurals.values())
INITIAL_PATTERN = re.compile(r"(?<![^\W\d])[a-z]")  # no letter comes before it
CAPITAL_RUN_PATTERN = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z][a-z]+|[A-Z]+|[a-z]+|\d+")


def build_camel_word(word: str) -> str:
    """Capitalize the first letter of a word and each letter after a digit, and drop other characters."""
    return re.sub(r"\W", "", INITIAL_PATTERN.sub(lambda match: match[0].upper(), word))


def build_field_name(snake: str) -> str:
    """Return the field name in Kubernetes: group_object_id becomes groupObjectId."""
    first, *rest = (build_camel_word(word) for word in snake.split("_"))
    return first.lower() + "".join(rest)


def build_go_name(snake: str) -> str:
    """Return the name with acronyms, as for kinds: group_object_id becomes GroupObjectID."""
    return "".join(_format_known_word(word) or build_camel_word(word) for word in snake.split("_"))


def _format_known_word(word: str) -> str:
    lower = word.lower()
    return WORDS.special_words.get(lower) or (lower.upper() if lower in WORDS.acronyms else "")


def build_secret_name(snake: str) -> str:
    """Return the name of a secret reference, which splits acronyms at their capitals."""
    return build_field_name(
        "_".join(part.lower() for part in CAPITAL_RUN_PATTERN.findall(build_go_name(snake) + "SecretRef"))
    )


@dataclass(frozen=True, slots=True)
class GroupKind:
    """Short group ("" for the root group) and kind."""

    group: str
    kind: str

    def __str__(self) -> str:
        return f"{self.group}/{self.kind}"


def derive_group_kind(resource: str) -> GroupKind:
    """Return the default group and kind: the second word and the rest. Of two words, the first is the group.

    >>> str(derive_group_kind("aws_rds_cluster_parameter_group"))
    'rds/ClusterParameterGroup'
    """
    words = resource.split("_")
    # The generator's own default: without a third word, the provider is the group.
    if len(words) < 3:
        return GroupKind(words[0].lower(), build_go_name(words[-1]))
    return GroupKind(words[1].lower(), build_go_name("_".join(words[2:])))


def list_group_kinds(resource: str) -> tuple[GroupKind, ...]:
    """Return all possible groups and kinds of a name, the generator's default first."""
    words = resource.split("_")
    candidates = [derive_group_kind(resource)]
    # Other splits of the words are the plausible names if two resources have the same default.
    for cut in range(1, len(words)):
        group = "".join(words[1:cut]) or words[0]
        candidates.append(GroupKind(group.lower(), build_go_name("_".join(words[cut:]))))
    return tuple(dict.fromkeys(candidates))


def pluralize(kind: str) -> str:
    """Return the plural of a kind in lowercase, as in URLs: SearchIndex becomes searchindices.

    As for the generator, only the last word counts, and the tables are not always English: a repo becomes repoes.
    """
    last = get_last_word(kind)
    return kind[: len(kind) - len(last)].lower() + _pluralize_word(last.lower())


def get_last_word(kind: str) -> str:
    """Return the last word of a name in camel case. An acronym ends a word."""
    if kind.upper() in WORDS.plural_acronyms:
        return kind
    word = ""
    before = ""
    for letter in kind:
        if letter.isupper() and (not before.isupper() or word.upper() in WORDS.plural_acronyms):
            word = ""
        word += letter
        before = letter
    return word


def _pluralize_word(word: str) -> str:
    # The generator's library takes an acronym as a whole, so none of its endings is replaced.
    if word.upper() in WORDS.plural_acronyms:
        return word + ("es" if word.endswith("s") else "s")
    if word in PLURALS or word in WORDS.irregular_plurals:
        return WORDS.irregular_plurals.get(word, word)
    for ending, plural_ending in WORDS.plural_endings.items():
        if word.endswith(plural_ending):
            return word
        if word.endswith(ending):
            return word[: -len(ending)] + plural_ending
    return word if word.endswith("s") else word + "s"


def quote_go(text: str) -> str:
    """Return a Go string. Go refuses the surrogate pairs with which JSON escapes some letters by default."""
    return json.dumps(text, ensure_ascii=False)
