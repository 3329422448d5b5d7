"""Detection of names that imitate a badge.

Only the program states tiers and listing statuses. A name can contain such a word ("Verified Permissions"), but not as
a claim: alone, after a separator, or together with a product name. Symbols such as check marks are never allowed.
"""

import re
import unicodedata

from django.utils.translation import gettext_noop

from portal.core.name_matching import NAME_WORDS, compute_skeleton, join_letters

BADGE_REFUSAL = gettext_noop("Remove symbols and words such as “verified” from the name. The badge shows the status.")
SYMBOL_CATEGORIES = frozenset({"So", "Sk", "Cn", "Co"})  # pictographs, modifiers, unassigned, private use
INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
JOINER_CHARACTERS = frozenset("\u200c\u200d")  # needed within words of several scripts
ALLOWED_SYMBOLS = frozenset("®™©°№^`´¨¯")
BADGE_SYMBOLS = frozenset("√∨⩗•●■★☆✓✔")
IGNORED_CATEGORIES = frozenset({"Mn", "Me", "Cf"})  # accents that compose with no letter, and joiners
HANGUL_FILLERS = frozenset("\u115f\u1160\u3164\uffa0")  # letters without a glyph
NAME_PUNCTUATION = frozenset("'’,.&!?@#%_")  # parts of company names, such as “O'Neil & Söhne, Inc.”
QUOTED_PATTERN = re.compile(r"(?<!\w)['’](.+?)['’](?!\w)")
WORD_BOUNDARY_PATTERN = re.compile(r"[\W_]+")


def _normalize_word(word: str) -> str:
    # “verlfied” and “v3rified” are read as “verified”.
    return compute_skeleton(word).replace("i", "l").replace("3", "e")


CLAIM_WORDS, PRODUCT_WORDS, FILLER_WORDS = (
    frozenset(map(_normalize_word, words)) for words in (NAME_WORDS.claims, NAME_WORDS.products, NAME_WORDS.fillers)
)


def strip_decoration(name: str) -> str:
    """Return a name as plain text, without symbols and invisible characters, for display next to program statements."""
    characters = "".join(map(_simplify_character, name))
    return " ".join(unicodedata.normalize("NFC", characters).split())[:120] or "Unnamed"


def _simplify_character(char: str) -> str:
    if _is_decoration(char):
        return " "
    return char if char in ALLOWED_SYMBOLS else unicodedata.normalize("NFKC", char)


def is_badge_imitation(name: str) -> bool:
    """Return whether a name imitates a badge."""
    if any(_is_decoration(char) for char in name):
        return True
    # Characters inside a word that aren't letters must not hide it.
    text = "".join(
        char for char in unicodedata.normalize("NFKC", name) if unicodedata.category(char) not in IGNORED_CATEGORIES
    )
    parts = [_split_words(part) for part in _split_parts(text)]
    return (
        any(map(_is_claim, filter(None, parts)))
        or _is_claim(_split_words(text))
        or _has_claim_beside_product(_split_words(text))
    )


def _has_claim_beside_product(words: list[str]) -> bool:
    return not CLAIM_WORDS.isdisjoint(words) and not PRODUCT_WORDS.isdisjoint(words)


def _is_claim(words: list[str]) -> bool:
    """Return whether the words only claim a verification."""
    return any(word in CLAIM_WORDS for word in words) and all(word in CLAIM_WORDS | FILLER_WORDS for word in words)


def _split_parts(text: str) -> list[str]:
    """Return the parts of a name between its separators: dashes, brackets, quotation marks, and symbols."""
    return "".join("|" if _is_separator(char) else char for char in QUOTED_PATTERN.sub(r"|\1|", text)).split("|")


def _is_separator(char: str) -> bool:
    is_name_character = char in NAME_PUNCTUATION or char in ALLOWED_SYMBOLS
    return not is_name_character and unicodedata.category(char).startswith(("P", "S"))


def _split_words(text: str) -> list[str]:
    """Return the words in a form in which look-alikes are equal. Consecutive single letters form one word."""
    words = [word for word in WORD_BOUNDARY_PATTERN.split(text) if word]
    return [key for key in map(_normalize_word, join_letters(words)) if key]


def _is_decoration(char: str) -> bool:
    if char in JOINER_CHARACTERS or char in ALLOWED_SYMBOLS:
        return False
    return (
        char in BADGE_SYMBOLS
        or char in HANGUL_FILLERS
        or unicodedata.category(char) in SYMBOL_CATEGORIES | INVISIBLE_CATEGORIES
        or "\ufe00" <= char <= "\ufe0f"
    )
