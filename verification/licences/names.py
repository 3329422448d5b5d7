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
ABBREVIATION = re.compile(r"[^\W\d_]{1,4}\.|(?:[^\W\d_]\.)+|\W*\.", re.I)  # "Inc.", "J.", "S.A.", "..."
DASH = re.compile(r"[-\u2013\u2014=:|~]+")
COUNTRY = re.compile(r"\.(?:no|ai)(?![\w-])")  # domains that are words too
HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
HAN_TERMS = frozenset("禁止仅僅只不勿非未无無限用售卖賣")  # what such scripts forbid with, as letters of a word
COMPANY_LIMITED = re.compile("有限公司|有限責任|有限责任")
IN_ADDRESSES = frozenset({"license", "licence", "term", "terms", "user", "users", "business"})
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
    if forbids_in_han(word):
        return "word"
    parts = [part for part in re.split(r"[^\w]+|_", word) if len(part) > 1]
    if any(is_word(part, len(parts) > 1) for part in parts):
        return "word"
    return "unknown" if word.islower() else "name"


def is_address(word: str) -> bool:
    """Whether this is an address, and not terms in the clothes of one."""
    said = re.findall(r"[a-z0-9]+", COUNTRY.sub("", word.lower()))
    if RESTRICTIVE.difference(IN_ADDRESSES).intersection(said) or forbids_in_han(word):
        return False
    url = URL.match(word.lower())
    return bool((url and (url[1] is None or url[1] in DOMAINS)) or EMAIL.match(word))


def forbids_in_han(word: str) -> bool:
    """Whether a word of such a script holds a letter that forbids; names of people and companies have none."""
    return bool(HAN.search(word) and HAN_TERMS.intersection(COMPANY_LIMITED.sub("", word)))


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
    if "word" in kinds or len(kinds) > MAX_TOKENS or goes_on(tokens, kinds):
        return False
    named = {k for k in kinds if k in ("name", "address")}
    loose = [i for i, k in enumerate(kinds) if k == "unknown" and not is_group(tokens, i)]
    # one word in lower case is a user name; beside a name in capitals it could be anything
    return bool(named or "unknown" in kinds) and (not loose or (len(loose) == 1 and "name" not in named))


def goes_on(tokens: list[str], kinds: list[str]) -> bool:
    """Whether words follow the end of a sentence or a dash: names end there, but for addresses and years."""
    ends = (i for i, t in enumerate(tokens) if DASH.fullmatch(t) or (t.endswith(".") and not ABBREVIATION.fullmatch(t)))
    first = next((i for i in ends if any(k in ("name", "unknown") for k in kinds[: i + 1])), len(tokens))
    return any(k in ("name", "unknown") for k in kinds[first + 1 :])


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
