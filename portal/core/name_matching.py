"""When are two names the same, or too alike? Plain Python over the Unicode confusables table."""

import re
import unicodedata

from confusable_homoglyphs import confusables

COMPANY_WORDS = {
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
DIGIT_TWINS = str.maketrans("01", "ol")


def plain(text: str) -> str:
    """Compatibility form, lower case, accents taken off."""
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def skeleton(name: str) -> str:
    """A form in which look-alike names are equal: "HаshiCorp" with a Cyrillic а becomes "hashicorp"."""
    latin = "".join(_latin_twin(c) for c in name)
    # A capital I inside a word is drawn like a small l; digits stand for the letters they look like.
    drawn = re.sub(r"(?<=[A-Za-z])I(?=[a-z])|(?<=[a-z])I", "l", latin)
    return re.sub(r"[\W_]+", "", plain(drawn).translate(DIGIT_TWINS))[:160]


def _latin_twin(char: str) -> str:
    if char.isascii():
        return char
    found = confusables.is_confusable(char, preferred_aliases=["latin"], greedy=True)
    if not found:
        return char
    twins = [h["c"] for h in found[0]["homoglyphs"] if h["c"].isascii()]
    return twins[0] if twins else char


def name_key(name: str) -> str:
    """A form in which names of one thing agree: punctuation and company forms left out, words joined."""
    words = [w for w in re.split(r"[\W_]+", plain(name)) if w]
    kept = [w for w in words if w not in COMPANY_WORDS] or words
    return "".join(kept)[:120]


def mixes_scripts(name: str) -> bool:
    """Whether letters of several scripts stand in one name, as in an imitation."""
    return bool(confusables.is_mixed_script(name)) and bool(confusables.is_dangerous(name))
