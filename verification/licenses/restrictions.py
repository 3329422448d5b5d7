"""Territories, and restrictions of several words or syllables that can each be part of a name."""

import re
from functools import cache

from verification.licenses.dictionaries import fold
from verification.licenses.lexicon import TRIM, load_lines

COMPASS = re.compile(r"^(?:(?:north|south|east|west)(?:ern)?|central|middle|mainland|greater|continental)[ -]")


@cache
def build_restriction_pattern() -> re.Pattern[str]:
    """Return a pattern of restrictions that are written as several syllables: "noi bo"."""
    return re.compile(rf"\b(?:{'|'.join(load_lines('restriction_phrases'))})\b")


def has_restriction(text: str) -> bool:
    """Return whether syllables that can each be part of a name form a restriction."""
    return build_restriction_pattern().search(fold(text)) is not None


@cache
def load_territories() -> frozenset[str]:
    """Return the folded names of countries, continents, and regions, without cardinal directions."""
    return frozenset(name for line in load_lines("territories") for name in fold(line).split(", "))


def is_territory(text: str) -> bool:
    """Return whether a text is a territory, which isn't a holder: "North America"."""
    name = fold(text).strip(TRIM).removeprefix("the ")
    return name in load_territories() or COMPASS.sub("", name) in load_territories()
