"""When are two names the same, or too alike? Plain Python over the Unicode confusables table."""

import re
import unicodedata

from confusable_homoglyphs import confusables

COMPANY_SUFFIXES = {
    "inc",
    "ltd",
    "llc",
    "gmbh",
    "ag",
    "sa",
    "sas",
    "bv",
    "oy",
    "ab",
    "corp",
    "corporation",
    "company",
    "co",
    "limited",
}
DIGIT_LOOKALIKES = str.maketrans("01", "ol")


def normalize_text(text: str) -> str:
    """Compatibility form, lower case, accents taken off."""
    base_text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return "".join(c for c in base_text if not unicodedata.combining(c))


def compute_skeleton(name: str) -> str:
    """A form in which look-alike names are equal: "HаshiCorp" with a Cyrillic а becomes "hashicorp"."""
    latin = "".join(_to_latin(c) for c in name)
    # A capital I inside a word is drawn like a small l; digits stand for the letters they look like.
    letters = re.sub(r"(?<=[A-Za-z])I(?=[a-z])|(?<=[a-z])I", "l", latin)
    return re.sub(r"[\W_]+", "", normalize_text(letters).translate(DIGIT_LOOKALIKES))[:160]


def _to_latin(char: str) -> str:
    if char.isascii():
        return char
    confusable = confusables.is_confusable(char, preferred_aliases=["latin"], greedy=True)
    if not confusable:
        return char
    lookalikes = [h["c"] for h in confusable[0]["homoglyphs"] if h["c"].isascii()]
    return lookalikes[0] if lookalikes else char


def compute_name_key(name: str) -> str:
    """A form in which names of one thing agree: punctuation and company forms left out, words joined."""
    words = [w for w in re.split(r"[\W_]+", normalize_text(name)) if w]
    key_words = [w for w in words if w not in COMPANY_SUFFIXES] or words
    return "".join(key_words)[:120]


def has_mixed_scripts(name: str) -> bool:
    """Whether letters of several scripts stand in one name, as in an imitation."""
    return bool(confusables.is_mixed_script(name)) and bool(confusables.is_dangerous(name))
