"""Grammar of the lines outside a license text: copyright notices, titles, and references to the license.

docs/reference/license-grammar.md defines the grammar in ABNF. A line that no rule matches needs review.
"""

import re
from bisect import bisect_left
from itertools import islice

from verification.licenses.addresses import is_handle, is_homepage
from verification.licenses.attributions import find_attribution_end
from verification.licenses.dictionaries import fold
from verification.licenses.holders import (
    MAX_LENGTH,
    RIGHTS_FORMULAS,
    are_holders,
    build_alternatives,
    is_holder,
    is_holder_list,
    parse_holders,
)
from verification.licenses.lexicon import TRIM, Kind, is_noun_like, load_words
from verification.licenses.normalization import FoldedText
from verification.licenses.projects import (
    get_kind_in_name,
    is_description,
    is_part_of_license_sentence,
    is_plugin_name,
    is_project_name,
    is_summary,
)
from verification.licenses.restrictions import has_restriction
from verification.licenses.titles import build_choice_patterns, build_mention_patterns, find_chosen_ids

MARKER = re.compile(
    rf"(?:(?:{build_alternatives('copyright_marks')}|{RIGHTS_FORMULAS})\s*(?=\(c\)))?"
    r"(?:spdx-filecopyrighttext\s*:\s*|spdx-filecontributor\s*:\s*)?(?:\(c\)|copyrighted|copyrights?|copr\.?)(?![^\W_])"
    r"(?:[\s:]*(?:\(c\)|copyright|notice:|holders?:|by the following (?:holders|people):|by\b))*"
    r"|spdx-file(?:copyrighttext|contributor)\s*:",
    re.I,
)
AUTHOR = re.compile(
    r"(?:original |main |current |lead )?"
    r"(?:authors?|written|created|contributors?|maintainers?|maintained|developed|developers?)"
    r"(?:\(s\))?(?: and (?:contributors|maintainers?|maintained))?\s*(?:by\b|:)",
    re.I,
)
LICENSE_OF = re.compile(r"license (?:of|for) (.+)", re.I)
VERSION = re.compile(r"(?:^| )v?\d{1,2}(?:\.\d{1,3}){0,2}$")
MAX_SCOPE_WORDS = 8
MAX_TITLE_WORDS = 9
TOKEN = re.compile(r"\S+")
# Longer than any word or URL that a rule derives. The dictionaries would need seconds for one that fills a file.
ENDLESS_WORD = re.compile(r"(?<!\S)(?=\S*?[^\W_])\S{1001}")
BLANK = re.compile(r"(?:(?!\(c\))[\W_])*", re.I)
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
OR = re.compile(r"\bor\b")
OPEN_ENDED = (",", " and", " by", "&", " of", " the", " of the", " for", ";")


class Piece(FoldedText):
    """Part of a text outside the licenses."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.can_choose = bool(OR.search(self.folded))

    def match(self, patterns: tuple[re.Pattern[str], ...], start: int) -> tuple[int, re.Match[str]] | None:
        """Return the longest match that begins with the first word at or after `start`, and its end in `text`."""
        word = bisect_left(self.starts, start)
        if word == len(self.starts):
            return None
        place = self.offsets[word]
        matches = [m for p in patterns if (m := p.match(self.folded, place)) and is_part_of_license_sentence(m)]
        best = max(matches, key=lambda m: m.end(), default=None)
        if best is None or best.end() == place:
            return None
        return self.ends[bisect_left(self.offsets, best.end()) - 1], best

    def get_line(self, start: int) -> str:
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else len(self.text)]


class NoticeReader:
    """Parser of the text outside the license texts of a file, item by item.

    `ids` are the licenses that the file can name. A NOTICE file can also contain attributions of dependencies.
    """

    def __init__(self, ids: tuple[str, ...], *, has_attributions: bool = False) -> None:
        self.mention_patterns = build_mention_patterns(ids)
        self.has_attributions = has_attributions
        self.choice: tuple[str, ...] = ()  # the licenses of which a sentence offers a choice
        self.has_list_below = False  # a notice without holders lists them on the lines below
        self.is_at_beginning = True  # only one line above the notices can be the name of a project

    def find_unexplained(self, text: str) -> str:
        """Return the unmatched part of the first line that matches no rule, or "" if all lines match."""
        piece = Piece(text)
        if endless := ENDLESS_WORD.search(text):
            return piece.get_line(endless.start())
        place = 0
        after_holder = False
        while (start := BLANK.match(text, place).end()) < len(text):  # type: ignore[union-attr]
            end, after_holder = self._read_item(piece, start, after_holder)
            if end is None:
                return piece.get_line(start).strip()
            place = end
        return ""

    def _read_item(self, piece: Piece, start: int, after_holder: bool) -> tuple[int | None, bool]:
        """Return the end of the item that begins at `start` and whether it names a holder, or (None, False)."""
        holders_start = find_notice(piece, start) or ((author := AUTHOR.match(piece.text, start)) and author.end())
        if holders_start and (end := self._read_holders(piece, holders_start)):
            self.is_at_beginning = False
            self.has_list_below = parse_holders(piece.text[holders_start:end]) == ()
            return end, True
        if (
            self.is_at_beginning
            and (plugin_match := LICENSE_OF.match(piece.get_line(start)))
            and is_plugin_name(plugin_match[1])
        ):
            self.is_at_beginning = False
            return start + plugin_match.end(), False
        # A choice begins like a title, so it has to be tried before.
        choice = piece.match(build_choice_patterns(), start) if piece.can_choose else None
        if choice:
            self.choice = find_chosen_ids(choice[1])
            return choice[0], False
        if title := piece.match(self.mention_patterns, start):
            return title[0], after_holder
        if after_holder and (end := self._read_continuation(piece, start)):
            return end, True
        return self._read_plain_line(piece, start), False

    def _read_plain_line(self, piece: Piece, start: int) -> int | None:
        """Return the end of an attribution, the name of a project, or a homepage that begins at `start`."""
        if end := find_attribution_end(piece.text, start, is_notice=self.has_attributions):
            self.is_at_beginning = False
            return end
        line = piece.get_line(start)
        below = BLANK.match(piece.text, start + len(line)).end()  # type: ignore[union-attr]
        is_begin = BLANK.fullmatch(piece.text, piece.text.rfind("\n", 0, start) + 1, start)
        is_title_place = is_begin and (self.is_at_beginning or MARKER.match(piece.text, below))
        if is_title_place and is_project_title(line, is_notice=self.has_attributions):
            self.is_at_beginning = False
            return start + len(line)
        return start + len(line) if is_homepage(line.strip(TRIM + "<>()/")) else None

    def _read_holders(self, piece: Piece, start: int) -> int | None:
        """Return the end of the holders that begin at `start`: the end of the line, or the next item on it."""
        line = piece.get_line(start)
        pieces = parse_holders(line)
        is_whole = are_holders(pieces)
        first_below = piece.get_line(start + len(line) + 1).lstrip(TRIM + "/>").partition(" ")[0]
        if fold(first_below.strip(TRIM)) in load_words("groups"):
            # The name of a group continues on the next line: "The Go" above "Authors".
            is_whole = False
        # A line that ends in "and" or a comma goes on below.
        if is_whole and pieces and not line.rstrip().lower().endswith(OPEN_ENDED):
            return start + len(line)
        following = start + len(line) + 1
        joined_line = f"{line} {piece.get_line(following).strip(TRIM + '/>')}" if following < len(piece.text) else line
        if line.strip() and joined_line != line and is_holder_list(joined_line):
            return following + len(piece.get_line(following))
        if is_whole:
            return start + len(line)
        # No longer text is a list of holders.
        for token in TOKEN.finditer(piece.text, start + 1, start + min(len(line), MAX_LENGTH + 1)):
            place = token.start()
            # "Site License" isn't a holder "Site" before a title "License"
            title = line[place - start :].strip(TRIM + "<>()[]").lower() != "license" and piece.match(
                self.mention_patterns, place
            )
            is_end = find_notice(piece, place) or title or piece.match(build_choice_patterns(), place)
            if is_end and is_holder_list(piece.text[start:place]):
                return max(place, start + 1)
        return start if piece.match(self.mention_patterns, start) else None

    def _read_continuation(self, piece: Piece, start: int) -> int | None:
        """Return the end of another line of holders that is linked to the one before, or has an address or years."""
        end = self._read_holders(piece, start)
        if not end:
            return None
        line = piece.text[start:end].lower()
        is_listed = piece.text[:start].rpartition("\n")[2].strip() == "-"
        is_linked = (
            is_listed or line.startswith(("and ", "by ", "& ")) or "@" in line or "http" in line or YEAR.search(line)
        )
        before = piece.text[:start].rstrip(" \t\n#*/>-").lower().endswith(OPEN_ENDED)
        return end if is_linked or before or self.has_list_below else None


def find_notice(piece: Piece, start: int) -> int | None:
    """Return where the holders begin if a copyright notice, with or without a scope, begins at `start`."""
    line = piece.get_line(start)
    if match := MARKER.match(line):
        return start + match.end()
    whose = []
    for before in islice(TOKEN.finditer(line), MAX_SCOPE_WORDS):
        if before[0].strip(TRIM).lower() not in load_words("scopes"):
            whose.append(before[0])
        if match := MARKER.match(line, before.end() + 1):
            return start + match.end() if not whose or is_holder_list(" ".join(whose)) else None
    return None


def is_project_title(line: str, is_notice: bool = False) -> bool:
    """Return whether the line names a project: "Terraform Provider for Acme", in a NOTICE file also "Acme Rocket"."""
    text = VERSION.sub("", line.strip(TRIM + "()[]"))
    before, _, last = text.rpartition(" ")
    if last.lower() == "license" and is_handle(before):
        return True
    name, _, summary = re.sub(r"\s-+\s", "\t", text).partition("\t")
    if summary and is_summary(summary.split()) and is_project_name(name.split()):
        return True
    tokens = text.split()
    if not tokens or len(tokens) > MAX_TITLE_WORDS or has_restriction(text):
        return False
    if is_handle(text) or (is_holder(text) and not text.isupper()):
        return True
    kinds = [get_kind_in_name(token.strip(TRIM)) for token in tokens]
    is_pair = sorted(kinds) == [Kind.UNKNOWN, Kind.WORD] and all(map(is_noun_like, tokens))
    return is_description(tokens) or (is_notice and (is_pair or is_project_name(tokens)))
