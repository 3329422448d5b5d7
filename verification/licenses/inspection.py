"""Facts about a file's license, independent of any policy and read once per content."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from licenseclassifier import identify_license

from verification.licenses.coverage import Reading, analyze_coverage
from verification.licenses.lexicon import find_first_term
from verification.licenses.normalization import MAX_BYTES, decode, tidy, unmark
from verification.licenses.notices import MARKER
from verification.licenses.templates import VARIANTS

COMMONS_CLAUSE = re.compile(r"commonsclauselicensecondition|commonsclause(?:restriction)?v?10")
MAX_CACHED_ANALYSES = 5_000  # most repositories have the same few files
EMPTY_READING = Reading((), (), 0.0)
# Percentage of the text that looks like licenses. Every region counts, because the check covers the rest.
MIN_COVERAGE = 0.0


class Problem(StrEnum):
    """Why a place needs review."""

    TERMS = "terms"  # a line outside the license text has a word that can set terms
    UNKNOWN_HOLDER = "unknown_holder"  # a copyright notice whose holder isn't recognized as a name
    UNKNOWN_TEXT = "unknown_text"  # a line outside the license text isn't a notice, title, or reference
    CHANGED_TEXT = "changed_text"  # the text differs from the license here
    SIMILAR_TEXT = "similar_text"  # a text resembles a license but matches none


@dataclass(frozen=True, slots=True)
class Finding:
    """Place that needs review. `line` is 0 if unknown. `license` is the SPDX ID of the license concerned, if any."""

    problem: Problem
    line: int = 0
    text: str = ""
    license: str = ""

    @property
    def message(self) -> str:
        """Return a sentence that says which line needs review, and why."""
        if self.problem is Problem.SIMILAR_TEXT:
            return f"Part of the text resembles {self.license} but does not match it word for word."
        place = f"Line {self.line} needs review: "
        text = unmark(self.text)
        if self.problem is Problem.CHANGED_TEXT:
            return f"{place}the text differs from {self.license} at “{text}”."
        if self.problem is Problem.TERMS:
            return f"{place}“{text}” contains “{find_first_term(self.text)}”, which can set terms."
        if self.problem is Problem.UNKNOWN_HOLDER:
            return f"{place}the holder in “{text}” is not recognized as a person, an organization, or a project."
        return f"{place}“{text}” is not a copyright notice, a title, or part of a known license."

    def as_dict(self) -> dict[str, str | int]:
        """Return the finding with its message as JSON data."""
        return {
            "problem": str(self.problem),
            "line": self.line,
            "text": unmark(self.text),
            "license": self.license,
            "message": self.message,
        }


def build_line_finding(line: int, text: str) -> Finding:
    """Return the finding for a line outside the license text that no rule of the grammar matches."""
    if find_first_term(text):
        return Finding(Problem.TERMS, line, text)
    return Finding(Problem.UNKNOWN_HOLDER if MARKER.match(text) else Problem.UNKNOWN_TEXT, line, text)


@dataclass(frozen=True, slots=True)
class FileAnalysis:
    """License IDs that the identifier and the check found in a file, and the share of the text that resembles each.

    `read_error` says why the file can't be read. `restriction` names a known restriction in it.
    """

    ids: tuple[str, ...]
    shares: tuple[tuple[str, float], ...]
    reading: Reading
    read_error: str = ""
    restriction: str = ""

    @property
    def is_clean(self) -> bool:
        """Return whether every word is explained and the identifier found no license that the check didn't find."""
        return self.reading.is_complete and set(self.ids) <= {*self.reading.texts, *self.reading.choice}

    @property
    def share(self) -> float:
        return max(self.reading.share, self.calculate_share(self.ids))

    @property
    def expression(self) -> str:
        if self.reading.choice:
            return " OR ".join(self.reading.choice)
        return " AND ".join(self.ids)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return the places that need review, most important first."""
        reading = self.reading
        changes = [Finding(Problem.CHANGED_TEXT, line, text, id) for id, line, text in reading.departures]
        # The title of a text that doesn't match is explained when the text matches.
        unexplained_lines = reading.unexplained_lines if reading.texts or not changes else ()
        line_findings = [build_line_finding(line, text) for line, text in unexplained_lines]
        extra = [id for id in self.ids if id not in (*reading.texts, *reading.choice)]
        return (*changes, *line_findings, *(Finding(Problem.SIMILAR_TEXT, license=id) for id in extra))

    def calculate_share(self, ids: Iterable[str]) -> float:
        """Return the share of the text, from 0 to 1, that looks like these licenses."""
        return min(1.0, sum(share for id, share in self.shares if id in ids))


_cache: dict[tuple[bytes, tuple[str, ...]], FileAnalysis] = {}


def analyze_file(raw: bytes, notice_of: tuple[str, ...] = ()) -> FileAnalysis:
    """Analyze a file. Each process analyzes the same content once. `notice_of` is that of `analyze_coverage`."""
    # The contents themselves, of up to 200 kB each, would fill the memory of every process.
    key = hashlib.sha256(raw).digest(), notice_of
    if key not in _cache:
        if len(_cache) >= MAX_CACHED_ANALYSES:
            _cache.clear()
        _cache[key] = analyze_content(raw, notice_of)
    return _cache[key]


def analyze_content(raw: bytes, notice_of: tuple[str, ...] = ()) -> FileAnalysis:
    """Analyze a content without the cache."""
    if len(raw) > MAX_BYTES:
        return FileAnalysis((), (), EMPTY_READING, read_error=f"The file is larger than {MAX_BYTES // 1000} kB.")
    text = tidy(decode(raw))
    reading = analyze_coverage(text, VARIANTS.texts, notice_of)
    # The library's templates have wildcards, so its result is a hint and never a decision. It takes most of the time,
    # and adds nothing if every word is explained.
    regions = [] if reading.is_complete else identify_license(text.clean, MIN_COVERAGE)
    identified_ids = tuple(dict.fromkeys(region.id for region in regions))
    if identified_ids:
        reading = analyze_coverage(text, identified_ids, notice_of)
    ids = tuple(dict.fromkeys((*reading.texts, *identified_ids)))
    shares = tuple((region.id, (region.end - region.start) / len(text.clean)) for region in regions)
    clause = "The Commons Clause takes away the right to sell." if COMMONS_CLAUSE.search(text.letters) else ""
    return FileAnalysis(ids, shares, reading, restriction=clause)
