"""Is this a name, and is this a copyright line? Deny by default.

A word that licences use is not part of a name, whatever its case, unless names are known to hold it: "Acme Labs"
is a name, "Acme Evaluation Use" is not.
"""

import re
from functools import cache, lru_cache
from pathlib import Path

WORDS = Path(__file__).with_name("words")


def words(name: str) -> frozenset[str]:
    return frozenset((WORDS / name).read_text(encoding="utf-8").split())


PARTICLES = words("particles.txt")
NAME_WORDS = words("names.txt")
RESTRICTIVE = words("restrictive.txt")
URL = re.compile(r"(?:(?:https?|ftp|git)://|www\.)\S+|[\w-]+(?:\.[\w-]+)*\.(\w+)(?:/\S*)?$")
DOMAINS = words("domains.txt")
EMAIL = re.compile(r"[^\s@]{1,64}@[\w.-]{2,}$|@[\w-]+$")
YEARS = re.compile(r"\d{1,4}x?(?:[-,/~]{1,2}\d{1,4}x?){0,30}(?:[-,/~]*(?:present|current|now|today))?$", re.I)
YEAR = re.compile(r"\b\d{4}\b")
TRIM = "()[]{}<>,;:*'\"`|=-+#!?/\\_."
MAX_TOKENS = 40
PARTIES = words("parties.txt")  # who stands in for a name: never part of one
GROUPS = words("groups.txt")  # what people who share a name call themselves
COMMON = 400  # so many of the words of licences are refused in capitals too


@cache
def words_of_licences(common: bool = False) -> frozenset[str]:
    """Words that stand in lower case in at least two licences of the SPDX list, or in very many."""
    found = (WORDS / "licences.txt").read_text(encoding="utf-8").split()
    return (frozenset(found[: COMMON if common else None]) | RESTRICTIVE) - PARTICLES


@lru_cache(maxsize=10_000)
def kind(token: str) -> str:
    """What a token of a name is: "none" (punctuation, years), "address", "particle", "name", "unknown", "word"."""
    word = token.strip(TRIM)
    low = word.lower()
    if not word or YEARS.match(word):
        return "none"
    if is_address(word):
        return "address"
    if low in PARTICLES:
        return "particle"
    parts = [part for part in re.split(r"[^\w]+|_", word) if len(part) > 1]
    if any(is_word(part, len(parts) > 1) for part in parts):
        return "word"
    return "unknown" if word.islower() else "name"


def is_address(word: str) -> bool:
    url = URL.match(word.lower())
    return bool((url and (url[1] is None or url[1] in DOMAINS)) or EMAIL.match(word))


def is_word(part: str, compound: bool) -> bool:
    """Whether this is a word of licences, not part of a name. In capitals or a compound a rare word may be a name."""
    low = part.lower()
    if part != low or compound:
        return low in words_of_licences(common=True) and low not in NAME_WORDS
    return low in words_of_licences()


def is_name(text: str) -> bool:
    """Whether the text can only be the name of a person, a company or a project, or several of them."""
    tokens = text.split()
    kinds = [kind(token) for token in tokens]
    if "word" in kinds or len(kinds) > MAX_TOKENS:
        return False
    named = {k for k in kinds if k in ("name", "address")}
    loose = [i for i, k in enumerate(kinds) if k == "unknown" and not is_group(tokens, i)]
    # one word in lower case is a user name; beside a name in capitals it could be anything
    return bool(named or "unknown" in kinds) and (not loose or (len(loose) == 1 and "name" not in named))


def is_group(tokens: list[str], at: int) -> bool:
    """Whether the word at that place is a name for people: "the jquery team", "(johndoe)"."""
    following = tokens[at + 1].strip(TRIM).lower() if at + 1 < len(tokens) else ""
    return following in GROUPS or tokens[at][0] in "(<["


def is_holder(text: str) -> bool:
    """Whether the text can only be a name in the place of "the copyright holder"."""
    return is_name(text) and not PARTIES.intersection(re.findall(r"[a-z]+", text.lower())) and not YEAR.search(text)


def may_be_named(match: re.Match[str]) -> bool:
    """Whether what a sentence is about, if it says so, can be a name ("not" cannot)."""
    who = match.groupdict().get("who") or ""
    return all(kind(word) not in ("word", "none") for word in who.split())
