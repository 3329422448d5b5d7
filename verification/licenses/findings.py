"""Places of a license file that need review: the line, its text, and the problem."""

from dataclasses import dataclass
from enum import StrEnum

from verification.licenses.lexicon import find_first_term
from verification.licenses.normalization import unmark
from verification.licenses.notices import MARKER


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
        place, text = f"Line {self.line} needs review: ", unmark(self.text)
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
