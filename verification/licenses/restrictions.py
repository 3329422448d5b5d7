"""Restrictions that are written as several syllables, each of which may be part of a name."""

import re
from functools import cache

from verification.licenses.dictionaries import fold
from verification.licenses.lexicon import lines


@cache
def restriction_phrases() -> re.Pattern[str]:
    """Return a pattern of restrictions that are written as several syllables: "noi bo"."""
    return re.compile(rf"\b(?:{'|'.join(lines('restriction_phrases'))})\b")


def holds_restriction(text: str) -> bool:
    """Return whether syllables that each may be part of a name together restrict."""
    return restriction_phrases().search(fold(text)) is not None
