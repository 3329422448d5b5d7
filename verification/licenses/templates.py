"""Templates of published license texts, matched word for word.

A template is a sequence of pieces: literal text, and places where data/variants.yaml allows alternatives or the
text enumerates. No piece accepts an unknown word; the content of a slot is checked separately.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import NamedTuple

from portal.core.content_files import Content, load_content
from verification.licenses.normalization import tidy

DATA = Path(__file__).with_name("data")
ENUMERATOR = re.compile(r"(?m)^[ \t]*[(\[]?(\d+(?:\.\d+)*|[a-zA-Z]|[ivx]+)[.)\]]+(?=\s)")
OTHERS = r"\d{1,2}|[a-z]|[ivx]{2,4}"
LETTERS = re.compile(r"[^\W_]{2,8}")
SLOT = re.compile(r"\{([a-z ]+)\}")
# Lazy and short, so that a slot ends where the license goes on.
SLOT_LENGTH = {"name": "{1,90}?", "holder": "{1,90}?", "fields": "{0,300}?"}
MARK = re.compile(r"\x01([^\x01\x02]*)\x02|\x03(\d+)\x04")


class Vary(Content):
    """Options that can replace `fragment` (up to and including `to`, if set). The option "" omits it."""

    fragment: str
    options: tuple[str, ...] = ("",)
    to: str = ""


class Form(Content):
    """Part of a license text that must match: from `start` to `end`, without the titles before it.

    `loose`: paragraphs with another letter, or none, in some editions of the text.
    """

    start: str
    end: str = ""
    vary: tuple[Vary, ...] = ()
    loose: tuple[str, ...] = ()


class VariantFile(Content):
    """Content of variants.yaml, whose first lines describe the four parts."""

    groups: dict[str, tuple[str, ...]]
    texts: dict[str, Form]
    notices: dict[str, tuple[Form, ...]]
    beside: dict[str, tuple[Form, ...]]


VARIANTS = load_content(DATA / "variants.yaml", VariantFile)


@dataclass(frozen=True, slots=True)
class TemplateMatch:
    """Match of a template in the letters from `start` to before `end`. `slots`: (kind, start, end) of each slot.

    `is_whole` is False if the text differs from the template at `end`.
    """

    start: int
    end: int
    slots: tuple[tuple[str, int, int], ...] = ()
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class Number:
    """Place of an enumerator: its own number or letter, and the pattern that it may match, which may be empty."""

    own: str
    pattern: re.Pattern[str]


class Mark(NamedTuple):
    """Enumerator as published, and its replacement."""

    own: str
    value: str


@dataclass(frozen=True, slots=True)
class Template:
    """Text of license `id`, a notice that it requires ("notice"), or words that belong to it ("beside")."""

    id: str
    kind: str
    lead: str  # the enumerator of its first line
    pieces: tuple[str | Number | re.Pattern[str], ...]  # the first is a string

    def find_matches(self, letters: str) -> Iterator[TemplateMatch]:
        """Yield the matches that begin like the template, in order, without those inside a whole match."""
        first = str(self.pieces[0])
        place = 0
        while (start := letters.find(first[:40], place)) >= 0:
            match = self._match_at(letters, start)
            yield match
            # A text that begins like a license and then differs can contain the whole license later.
            place = match.end if match.is_whole else start + 1

    def _match_at(self, letters: str, start: int) -> TemplateMatch:
        place = start
        slots = list[tuple[str, int, int]]()
        lead = len(self.lead) if letters.endswith(self.lead, 0, start) else 0
        marks = [Mark(self.lead, self.lead if lead else "")] if self.lead else []
        for piece in self.pieces:
            if isinstance(piece, str):
                if not letters.startswith(piece, place):
                    return TemplateMatch(
                        start - lead, place + count_matching_letters(piece, letters, place), is_whole=False
                    )
                place += len(piece)
                continue
            match = (piece.pattern if isinstance(piece, Number) else piece).match(letters, place)
            if match is None:
                return TemplateMatch(start - lead, place, is_whole=False)
            if isinstance(piece, Number):
                marks.append(Mark(piece.own, match[0]))
            slots += [(name.split("_")[0], *match.span(name)) for name, value in match.groupdict().items() if value]
            place = match.end()
        return TemplateMatch(
            start - lead, place, tuple(slots), all(are_enumerators_consistent(marks, kind) for kind in (True, False))
        )


def are_enumerators_consistent(marks: list[Mark], numbers: bool) -> bool:
    """Return whether all enumerators are as published, all are omitted, or all follow another numbering."""
    of_kind = [mark for mark in marks if mark.own.isdigit() == numbers]
    missing_count = sum(not mark.value for mark in of_kind)
    own = sum(mark.value == mark.own for mark in of_kind)
    return missing_count in (0, len(of_kind)) and (own <= 1 or own + missing_count == len(of_kind))


def count_matching_letters(piece: str, letters: str, place: int) -> int:
    """Return how many letters of the piece match at a position."""
    return next((i for i, letter in enumerate(piece) if not letters.startswith(letter, place + i)), len(piece))


def strip_to_letters(text: str) -> str:
    """Return the letters and digits of a text in lowercase."""
    return tidy(text).letters


def mark_enumerators(text: str) -> str:
    """Return the letters of a text with its enumerators between marks."""
    pieces = []
    last = 0
    for enumerator in ENUMERATOR.finditer(text):
        pieces += [strip_to_letters(text[last : enumerator.start()]), f"\x01{strip_to_letters(enumerator[1])}\x02"]
        last = enumerator.end()
    return "".join([*pieces, strip_to_letters(text[last:])])


def find_fragment(text: str, fragment: str, start: int = 0) -> tuple[int, int]:
    """Return the position of the fragment's letters, ignoring marks. Raises ValueError if there is none."""
    loose = r"[\x01-\x04]?".join(map(re.escape, strip_to_letters(fragment)))
    match = re.compile(loose).search(text, start)
    if match is None:
        raise ValueError(f"The text has no “{fragment}”.")
    return match.start(), match.end()


class TemplateCompiler:
    """Builder of the pieces of a published text: its form, with alternatives and enumerators between letters."""

    def __init__(self, text: str, form: Form) -> None:
        body = text[text.index(form.start) :]
        self.text = mark_enumerators(body[: body.index(form.end) + len(form.end)] if form.end else body)
        self.alternatives: list[tuple[str, tuple[str, ...]]] = []
        self.slots = count()
        self.loose = tuple(map(strip_to_letters, form.loose))
        for vary in form.vary:
            self._mark_alternative(vary)

    def _mark_alternative(self, vary: Vary) -> None:
        start, end = find_fragment(self.text, vary.fragment)
        if vary.to:
            end = find_fragment(self.text, vary.to, start)[1]
        self.alternatives.append((self.text[start:end], vary.options))
        self.text = f"{self.text[:start]}\x03{len(self.alternatives) - 1}\x04{self.text[end:]}"

    def build_template(self, id: str, kind: str) -> Template:
        leading = re.match(r"\x01(.*?)\x02", self.text)
        pieces = tuple(self._build_pieces(self.text[leading.end() :] if leading else self.text))
        return Template(id, kind, leading[1] if leading else "", pieces)

    def _build_pieces(self, text: str) -> Iterator[str | Number | re.Pattern[str]]:
        last = 0
        for mark in MARK.finditer(text):
            if mark.start() > last:
                yield text[last : mark.start()]
            last = mark.end()
            yield re.compile(self._build_choice(int(mark[2]))) if mark[2] else self._build_number(mark[1], text[last:])
        if last < len(text):
            yield text[last:]

    def _build_number(self, own: str, after: str) -> Number | re.Pattern[str]:
        """Return the pattern of an enumerator, which has only one way to match."""
        ahead = LETTERS.match(after)
        others = rf"{own}|{OTHERS}" if ahead and len(own) == 1 else own
        pattern = re.compile(f"(?>(?:{others})(?={ahead[0] if ahead else ''})|)")
        return pattern if self.loose and after.startswith(self.loose) else Number(own, pattern)

    def _build_choice(self, number: int) -> str:
        same, options = self.alternatives[number]
        same = "".join(map(get_pattern_source, self._build_pieces(same)))
        others = [self._build_option(option) for option in options]
        longer = [other for other in others if other.startswith(same)]
        others = [other for other in others if other not in longer]
        # "damages" isn't a prefix of "damage" or "SPDX-License-Identifier"
        longer = [f"{other}(?!pdxlicense)" for other in longer]
        # Atomic: after an alternative matches, a later difference must not try all others.
        return f"(?>{'|'.join([*longer, same, *others])})"

    def _build_option(self, option: str) -> str:
        pieces = SLOT.split(option)
        pieces[1::2] = map(self._build_slot, pieces[1::2])
        pieces[::2] = map(strip_to_letters, pieces[::2])
        return "".join(pieces)

    def _build_slot(self, kind: str) -> str:
        if kind in VARIANTS.groups:
            return f"(?:{'|'.join(map(self._build_option, VARIANTS.groups[kind]))})"
        return f"(?P<{kind}_{next(self.slots)}>.{SLOT_LENGTH[kind]})"


def get_pattern_source(piece: str | Number | re.Pattern[str]) -> str:
    return piece if isinstance(piece, str) else (piece.pattern if isinstance(piece, Number) else piece).pattern


def read_text(name: str) -> str:
    return (DATA / "texts" / name).read_text(encoding="utf-8")


@cache
def load_templates(id: str) -> tuple[Template, ...]:
    """Return the templates of an SPDX ID, its text first, or none without a stored text."""
    forms = [("text", VARIANTS.texts[id])] if id in VARIANTS.texts else []
    forms += [("notice", form) for form in VARIANTS.notices.get(id, ())]
    forms += [("beside", form) for form in VARIANTS.beside.get(id, ())]
    return tuple(TemplateCompiler(read_text(f"{id}.txt"), form).build_template(id, kind) for kind, form in forms)
