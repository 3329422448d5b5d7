"""Would a name pass for a badge? Plain Python: what partners may be called, and how their names stand beside ours.

Tiers and standings are the program's words. A name may hold one of them ("Verified Permissions"), but not as a claim:
alone, behind a bar, or beside the name of a product. Signs like a tick are in no name.
"""

import re
import unicodedata
from collections.abc import Iterable

from django.utils.translation import gettext_noop

from portal.core.name_matching import compute_skeleton

BADGE_REFUSAL = gettext_noop(
    "This name reads like a badge. Leave out signs such as ticks and stars, and words such as “verified” beside a "
    "product’s name: the badge says it for you."
)
SYMBOL_CATEGORIES = frozenset({"So", "Sk", "Cn", "Co"})  # pictures, letters in circles, what no font knows
INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
JOINER_CHARACTERS = frozenset("\u200c\u200d")  # needed within words of several scripts
ALLOWED_SYMBOLS = frozenset("®™©°№^`´¨¯")
BADGE_SYMBOLS = frozenset("√∨⩗•●■★☆✓✔")
SEPARATOR_PATTERN = re.compile(r"[|:/\\()\[\]{}<>·–—-]+")
WORD_BOUNDARY_PATTERN = re.compile(r"[\W_]+")


def _normalize_word(word: str) -> str:
    return compute_skeleton(word).replace("i", "l").replace("3", "e")


CLAIM_WORDS = frozenset(
    map(
        _normalize_word,
        ("accredited", "approved", "authorized", "authorized", "badge", "certified", "endorsed", "official",
         "officially", "partner", "premier", "validated", "verified"),
    )
)  # fmt: skip
PRODUCT_WORDS = frozenset(
    map(_normalize_word, ("consul", "hashicorp", "hcp", "nomad", "packer", "registry", "terraform", "vault"))
)
FILLER_WORDS = frozenset(
    map(_normalize_word, ("a", "an", "and", "by", "for", "in", "is", "of", "the", "integration", "provider"))
)


def strip_decoration(name: str) -> str:
    """A name as it stands beside what the program says: plain letters, without signs and what cannot be seen."""
    characters = "".join(
        " " if _is_decoration(char) else char if char in ALLOWED_SYMBOLS else _normalize_character(char)
        for char in name
    )
    return " ".join(unicodedata.normalize("NFC", characters).split())[:120] or "Unnamed"


def is_badge_imitation(name: str) -> bool:
    """Whether a name would pass for a badge."""
    if any(_is_decoration(char) for char in name):
        return True
    text = unicodedata.normalize("NFKC", name)
    parts = [_split_words(part) for part in SEPARATOR_PATTERN.split(text)]
    return (
        any(map(_is_claim, filter(None, parts)))
        or _is_claim(_split_words(text))
        or _has_claim_beside_product(_split_words(text))
    )


def _has_claim_beside_product(words: list[str]) -> bool:
    return not CLAIM_WORDS.isdisjoint(words) and not PRODUCT_WORDS.isdisjoint(words)


def _is_claim(words: list[str]) -> bool:
    """Whether nothing is said but that something is verified."""
    return any(word in CLAIM_WORDS for word in words) and all(word in CLAIM_WORDS | FILLER_WORDS for word in words)


def _split_words(text: str) -> list[str]:
    """The words in a form in which look-alikes are equal; letters that stand alone in a row are one word."""
    words = [word for word in WORD_BOUNDARY_PATTERN.split(text) if word]
    return [key for key in map(_normalize_word, _join_letters(words)) if key]


def _join_letters(words: Iterable[str]) -> Iterable[str]:
    letters = ""
    for word in words:
        if len(word) == 1:
            letters += word
            continue
        if letters:
            yield letters
            letters = ""
        yield word
    if letters:
        yield letters


def _normalize_character(char: str) -> str:
    return unicodedata.normalize("NFKC", char)


def _is_decoration(char: str) -> bool:
    if char in JOINER_CHARACTERS or char in ALLOWED_SYMBOLS:
        return False
    return (
        char in BADGE_SYMBOLS
        or unicodedata.category(char) in SYMBOL_CATEGORIES | INVISIBLE_CATEGORIES
        or "\ufe00" <= char <= "\ufe0f"
    )
