"""Gate that explains every word of a file: deny by default, the identifier only says where to look."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from verification.licenses.holders import is_firm_name, is_holder_list
from verification.licenses.normalization import Text
from verification.licenses.notices import Reader
from verification.licenses.projects import is_project_name
from verification.licenses.templates import Found, templates

YEAR = re.compile(r"\b\d{4}\b")
SIMILAR = 150  # letters that agree before a text is said to begin like a licence
SHOWN = 60  # characters of an unexplained line that a reason quotes


@dataclass(frozen=True, slots=True)
class Span:
    """Letters `start` to before `end` are, word for word, the text of `id`, its notice, or words that belong to it."""

    id: str
    start: int
    end: int
    kind: str = "text"


@dataclass(frozen=True, slots=True)
class Reading:
    """Result of the gate for a file: the texts that stand in it unchanged, and what it could not explain.

    `unexplained` pairs a line number with the words there; `share` is the part of the letters that is
    known text; `choice` holds the licences between which the file gives the choice;
    `departures` says where a text that begins like a licence goes another way: (id, line, the words there).
    """

    spans: tuple[Span, ...]
    unexplained: tuple[tuple[int, str], ...]
    share: float
    choice: tuple[str, ...] = ()
    departures: tuple[tuple[str, int, str], ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """SPDX ids of the licences whose text or notice stands in the file, each once, in order."""
        return tuple(dict.fromkeys(span.id for span in self.spans if span.kind != "beside"))


def read(text: Text, ids: Iterable[str], notice_of: tuple[str, ...] = ()) -> Reading:
    """Align the text with the published texts of those licenses and explain the rest.

    `notice_of` holds the licenses of the repository where the text is that of a NOTICE file.
    """
    found = [(template, place) for id in ids for template in templates(id) for place in template.find(text.letters)]
    whole = [Span(t.id, p.start, p.end, t.kind) for t, p in found if p.whole and slots_hold(text, p)]
    spans = outermost(whole)
    named = tuple(dict.fromkeys((*(span.id for span in spans), *notice_of)))
    reader, unexplained = Reader(named, has_attributions=bool(notice_of)), []
    for start, end in gaps(spans, len(text.letters)):
        if left := reader.find_unexplained(text.gap(start, end)):
            unexplained.append((text.line(text.clean.find(left, text.place(start - 1) if start else 0)), left[:SHOWN]))
        reader.first = False
    share = sum(span.end - span.start for span in spans) / max(len(text.letters), 1)
    aligned = {span.id for span in whole if span.kind == "text"}
    lost = [(t.id, p) for t, p in found if t.kind == "text" and t.id not in aligned]
    return Reading(spans, tuple(unexplained), share, reader.choice, tuple(departures(text, lost)))


def departures(text: Text, lost: list[tuple[str, Found]]) -> Iterator[tuple[str, int, str]]:
    """Yield where a text that begins like a licence first goes another way: (id, line, the words there)."""
    for id in dict.fromkeys(id for id, _ in lost):
        best = max((place for other, place in lost if other == id), key=lambda place: place.end - place.start)
        if best.end - best.start < SIMILAR:
            continue
        at = best.slots[0][1] if best.whole and best.slots else best.end
        place = text.place(at)
        yield id, text.line(place), text.clean[place : place + SHOWN].split("\n")[0].strip()


def slots_hold(text: Text, found: Found) -> bool:
    """Return whether in each slot stands what it is for: a name, or copyright lines."""
    return all(slot_holds(text, *slot) for slot in found.slots)


def slot_holds(text: Text, kind: str, start: int, end: int) -> bool:
    if kind == "name":
        name = text.between(start, end)
        is_name = is_holder_list(name) or is_project_name(name.split()) or is_firm_name(name.split())
        return is_name and not YEAR.search(name)
    # with the punctuation around it: "(c)" begins with some; blanks may be filled in with their braces
    return not Reader(()).find_unexplained(re.sub(r"[{}]", " ", text.gap(start, end)))


def outermost(spans: list[Span]) -> tuple[Span, ...]:
    """The spans in order, without those that stand inside a longer one."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return tuple(kept)


def gaps(spans: tuple[Span, ...], end: int) -> Iterator[tuple[int, int]]:
    """The stretches of letters that no span covers."""
    place = 0
    for span in spans:
        if span.start > place:
            yield place, span.start
        place = span.end
    if place < end:
        yield place, end
