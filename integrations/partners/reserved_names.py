"""Names that look like those of the program's owner, its products, or other companies.

A name is compared in a folded form, in which letters that look alike are equal: "V4uIt", "Vаult", and "vault".
"""

import re
import unicodedata
from itertools import pairwise

from confusable_homoglyphs import confusables

from portal.core.content_files import Content, load_content
from portal.core.name_matching import NAME_WORDS, WORD_PATTERN, join_letters, normalize_text, to_latin

LOOKALIKE_DIGITS = str.maketrans("01345789", "oleastbg")
LOOKALIKE_SYMBOLS = str.maketrans("@$!|€", "aslle")
LOOKALIKE_PAIRS = (("rn", "m"), ("vv", "w"))
LATIN_LETTER_PATTERN = re.compile(
    r"LATIN (?:(?:SMALL|CAPITAL) LETTER|LETTER SMALL CAPITAL) (?P<letter>[A-Z])(?: WITH .+)?"
)
DIGITS = "0123456789"
MAX_KEY_LENGTH = 120
MIN_PLURAL_LENGTH = 4


class ReservedNames(Content):
    """Content of reserved_names.yaml."""

    distinctive: tuple[str, ...]
    ordinary: tuple[str, ...]
    products: tuple[str, ...]
    additions: tuple[str, ...]


def _fold_word(word: str) -> str:
    """Return a lowercase word in which letters that look alike are equal."""
    # A capital I looks like a lowercase l, and the case is already lost.
    folded = word.translate(LOOKALIKE_DIGITS).replace("i", "l")
    for pair, letter in LOOKALIKE_PAIRS:
        folded = folded.replace(pair, letter)
    return folded


def _collapse(word: str) -> str:
    """Return a word without repeated letters, as in "Terrraform" and "Teraform"."""
    return re.sub(r"(.)\1+", r"\1", word)


def _split(name: str) -> list[str]:
    """Return the words of a name in lowercase, without accents, and with lookalikes replaced by Latin letters."""
    return WORD_PATTERN.findall(normalize_text("".join(map(_to_ascii, unicodedata.normalize("NFKC", name)))))


def _to_ascii(char: str) -> str:
    """Return the ASCII letter that a character of any script looks like, such as "o" for "ø" and "a" for "ɑ"."""
    if match := LATIN_LETTER_PATTERN.fullmatch(unicodedata.name(char, "")):
        return match["letter"].lower()
    latin = to_latin(char)
    if latin.isascii() or not latin.isalpha():
        return latin
    confusable = confusables.is_confusable(latin, greedy=True) or [{"homoglyphs": []}]
    return next((each["c"] for each in confusable[0]["homoglyphs"] if each["c"].isascii()), latin)


def _fold_all(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_collapse(_fold_word("".join(_split(word)))) for word in words)


NAMES = load_content("integrations/partners/content/reserved_names.yaml", ReservedNames)
ORDINARY = _fold_all(NAMES.ordinary)
ADDITIONS = _fold_all(NAMES.additions)
DISTINCTIVE = dict(zip(_fold_all(NAMES.distinctive), NAMES.distinctive, strict=True))
PRODUCTS = dict(zip(_fold_all(NAMES.products), NAMES.products, strict=True))
PRODUCT_PATTERN = re.compile(rf"(?:{'|'.join(ADDITIONS)})*(?P<product>{'|'.join(PRODUCTS)})(?:{'|'.join(ADDITIONS)})*")


def find_reserved_name(name: str) -> str:
    """Return the reserved name that a company's name contains or looks like, or an empty string."""
    # Each reading finds what the others miss, such as letters whose lowercase form looks different, or symbols.
    readings = (name, name.casefold(), name.translate(LOOKALIKE_SYMBOLS))
    return next(filter(None, (_find_in_words(list(join_letters(_split(reading)))) for reading in readings)), "")


def _find_in_words(words: list[str]) -> str:
    """Return the reserved name in a word, in the whole name without additions, or in two neighboring words."""
    # Digits at the ends may be letters in disguise or just digits, as in "Vault2".
    folded = [_collapse(_fold_word(form)) for word in words for form in {word, word.strip(DIGITS)}]
    own_words = [word for word in words if word not in NAME_WORDS.company_suffixes and word not in NAMES.additions]
    whole_name = _collapse(_fold_word("".join(own_words)))
    pairs = [_collapse(_fold_word(first + second)) for first, second in pairwise(words)]
    matches = (
        # A distinctive name counts inside a word, and a product only as a word of its own: "nomadic" is an ordinary
        # word.
        *(_find_distinctive(word) for word in folded if word not in ORDINARY),
        *(DISTINCTIVE.get(joined, "") for joined in (whole_name, *pairs)),
        *(_find_product(word) for word in (*folded, whole_name)),
    )
    return next(filter(None, matches), "")


def _find_distinctive(word: str) -> str:
    return next((name for folded, name in DISTINCTIVE.items() if folded in word), "")


def _find_product(word: str) -> str:
    match = PRODUCT_PATTERN.fullmatch(word)
    return PRODUCTS[match["product"]] if match else ""


def compute_lookalike_key(name: str) -> str:
    """Return the folded name in the singular, without legal forms and "and". Names with the same key look alike."""
    words = list(join_letters(_split(name)))  # for legal forms such as "S.A."
    # A company whose whole name is a legal form would have an empty key, equal to all others of that kind.
    key_words = [word for word in words if word not in NAME_WORDS.company_suffixes and word != "and"] or words
    return "".join(_fold_word(_remove_plural(word)) for word in key_words)[:MAX_KEY_LENGTH]


def _remove_plural(word: str) -> str:
    # Harman's S-stemmer (1991) for words of four letters or more. It needs no dictionary: what it returns isn't always
    # a word, but the same for both forms of most words.
    if len(word) < MIN_PLURAL_LENGTH:
        return word
    return re.sub(r"(?<=[^us])s$", "", re.sub(r"(?<=[^ae])ies$", "y", word))
