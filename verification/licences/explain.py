"""What stands beside a licence's text, and does it say nothing about terms?

Copyright lines, titles, sentences that name the same licence, a project's bare name; all else is unexplained.
"""

import re
from bisect import bisect_left
from itertools import accumulate

from verification.licences import names
from verification.licences.choice import chosen, patterns
from verification.licences.clean import BETWEEN
from verification.licences.titles import titles

COPYRIGHT = re.compile(
    r"(?:\(c\)|copyrighted|copyright|copyrights|copr\.?)(?![^\W_])(?:[\s:]*(?:\(c\)|copyright|notice:|by\b))*", re.I
)
BEFORE = names.words("before.txt")  # what may stand before the word copyright: whose copyright it is
MAX_BEFORE = 6
AUTHOR = re.compile(
    r"(?:original |main |current )?"
    r"(?:authors?|written|created|contributors?|maintainers?|maintained|developed|developers?)"
    r"(?:\(s\))?(?: and (?:contributors|maintainers?))?\s*(?:by\b|:)",
    re.I,
)
TOKEN = re.compile(r"\S+")
BLANK = re.compile(r"(?:(?!\(c\))[\W_])*", re.I)
YEAR = re.compile(r"\b\d{4}\b")
OR = re.compile(r"\bor\b")
LINKS = ("and", "by", "&")
MAX_PROJECT = 4


class Piece:
    """A stretch of text beside the licences, with its words folded."""

    def __init__(self, text: str) -> None:
        self.text = text
        parts = BETWEEN.split(text)
        edges = list(accumulate(map(len, parts), initial=0))
        first, end = int(not parts[0]), len(parts) - (not parts[-1])  # a text may begin or end between words
        words = parts[2 * first : end : 2]
        self.starts = edges[2 * first : end : 2]
        self.ends = edges[2 * first + 1 : end + 1 : 2]
        self.folded = " ".join(words).lower()
        self.offsets = [0, *accumulate(len(word) + 1 for word in words)]
        self.may_choose = bool(OR.search(self.folded))

    def match(self, patterns: tuple[re.Pattern[str], ...], start: int) -> tuple[int, re.Match[str]] | None:
        """The longest match that begins with the first word at or after `start`, and its end in `text`."""
        word = bisect_left(self.starts, start)
        if word == len(self.starts):
            return None
        place = self.offsets[word]
        found = [m for p in patterns if (m := p.match(self.folded, place)) and names.may_be_named(m)]
        best = max(found, key=lambda m: m.end(), default=None)
        if best is None or best.end() == place:
            return None
        return self.ends[bisect_left(self.offsets, best.end()) - 1], best

    def line(self, start: int) -> str:
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else len(self.text)]


class Reader:
    """Reads what is beside the licence texts of one file, item by item. `ids`: the licences found in the file."""

    def __init__(self, ids: tuple[str, ...]) -> None:
        self.named = titles(ids)
        self.choice: tuple[str, ...] = ()  # the licences between which a sentence gives the choice
        self.first = True  # only the first item of a file may be a project's bare name

    def unexplained(self, text: str) -> str:
        """The first line that is no known item, from where it is none; "" when all of it is explained."""
        piece, place, after_holder = Piece(text), 0, False
        while (start := BLANK.match(text, place).end()) < len(text):  # type: ignore[union-attr]
            end, after_holder = self.item(piece, start, after_holder)
            if end is None:
                return piece.line(start).strip()
            place, self.first = end, False
        return ""

    def item(self, piece: Piece, start: int, after_holder: bool) -> tuple[int | None, bool]:
        """(where the item that begins at `start` ends, whether it names a holder); (None, False) if there is none."""
        opened = copyright_at(piece, start) or ((found := AUTHOR.match(piece.text, start)) and found.end())
        if opened and (end := self.holder(piece, opened)):
            return end, True
        choice = piece.match(patterns(), start) if piece.may_choose else None
        if choice:
            self.choice = chosen(choice[1])
            return choice[0], False
        if title := piece.match(self.named, start):
            return title[0], after_holder
        if after_holder and (end := self.continuation(piece, start)):
            return end, True
        if self.first and (end := project(piece, start)):
            return end, False
        return None, False

    def holder(self, piece: Piece, start: int) -> int | None:
        """The end of the names from `start` to the end of the line, or to where another item begins on it."""
        end = start
        for found in TOKEN.finditer(piece.text, start, start + len(piece.line(start))):
            if (end > start and copyright_at(piece, found.start())) or piece.match(self.named, found.start()):
                break
            end = found.end()
        return end if holds_names(piece.text[start:end]) else None

    def continuation(self, piece: Piece, start: int) -> int | None:
        """The end of a further line of holders: one with an address or years, or one linked to the line before."""
        end = self.holder(piece, start)
        tokens = piece.text[start:end].split() if end else []
        if not tokens:
            return None
        linked = tokens[0].lower() in LINKS or any(names.kind(t) == "address" or YEAR.search(t) for t in tokens)
        before = piece.text[:start].rstrip(" \t\n#*/>").lower().endswith((",", " and", " by", "&"))
        return end if linked or before else None


def copyright_at(piece: Piece, start: int) -> int | None:
    """Where the names begin if a copyright line begins at `start`, maybe with words that say of which part."""
    line = piece.line(start)
    found, whose = COPYRIGHT.match(line), []
    for before in list(TOKEN.finditer(line))[:MAX_BEFORE] if not found else ():
        if before[0].strip(names.TRIM).lower() not in BEFORE:
            whose.append(before[0])
        if (found := COPYRIGHT.match(line, before.end() + 1)) and whose and not holds_names(" ".join(whose)):
            return None
        if found:
            break
    return start + found.end() if found else None


def holds_names(text: str) -> bool:
    """Whether there are only names, years, addresses and the words between them; nothing at all will do."""
    return names.is_name(text) or all(names.kind(t) in ("none", "particle", "address") for t in text.split())


def project(piece: Piece, start: int) -> int | None:
    """The end of the bare name of a project."""
    line = piece.line(start)
    return start + len(line) if len(line.split()) <= MAX_PROJECT and names.is_name(line) else None
