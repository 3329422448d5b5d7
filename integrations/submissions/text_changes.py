"""Changes between two versions of a text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

Change = Literal["kept", "removed", "added"]
WORDS = re.compile(r"\S+\s*|\s+")


@dataclass(frozen=True, slots=True)
class TextChange:
    """Part of a text that a new version keeps, removes, or adds."""

    change: Change
    text: str


def compare_parts(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[Change, Sequence[str]]]:
    """Yield runs of parts, such as words or paragraphs, in order, each with what the new version does with them."""
    for name, old_start, old_end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if name == "equal":
            yield "kept", new[new_start:new_end]
            continue
        if old_start < old_end:
            yield "removed", old[old_start:old_end]
        if new_start < new_end:
            yield "added", new[new_start:new_end]


def compare_words(old: str, new: str) -> list[TextChange]:
    """Return the whole text with the words that the new version removes and adds."""
    runs = compare_parts(WORDS.findall(old), WORDS.findall(new))
    return [TextChange(change, "".join(words)) for change, words in runs]
