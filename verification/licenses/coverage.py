"""Check that every word of a file is explained before the file can pass."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from verification.licenses.dictionaries import fold
from verification.licenses.holders import is_firm_name, is_holder_list
from verification.licenses.normalization import Text
from verification.licenses.notices import NoticeReader
from verification.licenses.projects import is_project_name
from verification.licenses.templates import TemplateMatch, load_templates

YEAR = re.compile(r"\b\d{4}\b")
WORD = re.compile(r"[^\W_]+")
ROLE = frozenset({"copyright", "holder", "holders"})  # a name with one is a changed "the copyright holder"
BESIDE_HOLDER = frozenset({"the", "and", "or", "its", "authors", "contributors"})
MIN_SIMILAR_LETTERS = 150  # at its beginning, for a text to count as a changed license
MAX_QUOTED_LENGTH = 60  # characters of an unexplained line that a reason quotes


@dataclass(frozen=True, slots=True)
class Span:
    """Letters, up to before `end`, that are word for word the text of `id`, its notice, or words that belong to it."""

    id: str
    start: int
    end: int
    kind: str = "text"


@dataclass(frozen=True, slots=True)
class Reading:
    """Result of the check for a file: the unchanged texts in it, and what is unexplained.

    Attributes:
        unexplained_lines: The number and the text of each unexplained line.
        share: The share of the letters that is known text.
        choice: The licenses of which the file offers a choice.
        departures: The ID, line, and text of each place where a text that begins like a license differs from it.
    """

    spans: tuple[Span, ...]
    unexplained_lines: tuple[tuple[int, str], ...]
    share: float
    choice: tuple[str, ...] = ()
    departures: tuple[tuple[str, int, str], ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the SPDX IDs of the licenses whose text or notice is in the file, each once, in order."""
        return tuple(dict.fromkeys(span.id for span in self.spans if span.kind != "beside"))

    @property
    def is_complete(self) -> bool:
        """Return whether the file has a license text or a choice, and every line is explained."""
        return bool(self.texts or self.choice) and not self.unexplained_lines


def analyze_coverage(text: Text, ids: Iterable[str], notice_of: tuple[str, ...] = ()) -> Reading:
    """Align the text with the published texts of those licenses and explain the rest.

    `notice_of` contains the licenses of the repository if the text is that of a NOTICE file.
    """
    matches = [
        (template, place)
        for id in ids
        for template in load_templates(id)
        for place in template.find_matches(text.letters)
    ]
    whole = [Span(t.id, p.start, p.end, t.kind) for t, p in matches if p.is_whole and are_slots_valid(text, p)]
    spans = select_outermost_spans(whole)
    named_ids = tuple(dict.fromkeys((*(span.id for span in spans), *notice_of)))
    reader = NoticeReader(named_ids, has_attributions=bool(notice_of))
    unexplained_lines = []
    for start, end in iterate_gaps(spans, len(text.letters)):
        if remainder := reader.find_unexplained(text.get_gap(start, end)):
            place = text.clean.find(remainder, text.find_place(start - 1) if start else 0)
            unexplained_lines.append((text.get_line_number(place), remainder[:MAX_QUOTED_LENGTH]))
        reader.is_at_beginning = False
    share = sum(span.end - span.start for span in spans) / max(len(text.letters), 1)
    aligned_ids = {span.id for span in whole if span.kind == "text"}
    partial_matches = [(t.id, p) for t, p in matches if t.kind == "text" and t.id not in aligned_ids]
    return Reading(spans, tuple(unexplained_lines), share, reader.choice, tuple(find_departures(text, partial_matches)))


def find_departures(text: Text, partial_matches: list[tuple[str, TemplateMatch]]) -> Iterator[tuple[str, int, str]]:
    """Yield where a text that begins like a license first differs from it: (id, line, text)."""
    for id in dict.fromkeys(id for id, _ in partial_matches):
        places = [place for other, place in partial_matches if other == id]
        best = max(places, key=lambda place: place.end - place.start)
        if best.end - best.start < MIN_SIMILAR_LETTERS:
            continue
        at = best.slots[0][1] if best.is_whole and best.slots else best.end
        place = text.find_place(at)
        yield id, text.get_line_number(place), text.clean[place : place + MAX_QUOTED_LENGTH].split("\n")[0].strip()


def are_slots_valid(text: Text, match: TemplateMatch) -> bool:
    """Return whether the content of each slot is valid: a name, or copyright lines."""
    notices = text.clean[: text.find_place(match.start)]
    return all(is_slot_valid(text, notices, *slot) for slot in match.slots)


def is_slot_valid(text: Text, notices: str, kind: str, start: int, end: int) -> bool:
    """Return whether a slot contains copyright lines, a name, or a holder that the notices name."""
    if kind == "fields":  # with the surrounding punctuation, as in "(c)" or in braces around a filled-in field
        return not NoticeReader(()).find_unexplained(re.sub(r"[{}]", " ", text.get_gap(start, end)))
    name = text.get_text(start, end).removeprefix("the ")
    words = set(WORD.findall(fold(name)))
    is_name = is_holder_list(name) or is_project_name(name.split()) or is_firm_name(name.split())
    is_known = kind == "name" or words <= BESIDE_HOLDER.union(WORD.findall(fold(notices)))
    return is_name and is_known and ROLE.isdisjoint(words) and not YEAR.search(name)


def select_outermost_spans(spans: list[Span]) -> tuple[Span, ...]:
    """Return the spans in order, without those inside a longer one."""
    outer_spans: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        if not outer_spans or span.start >= outer_spans[-1].end:
            outer_spans.append(span)
    return tuple(outer_spans)


def iterate_gaps(spans: tuple[Span, ...], end: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of letters that no span covers."""
    place = 0
    for span in spans:
        if span.start > place:
            yield place, span.start
        place = span.end
    if place < end:
        yield place, end
