"""Types of the fields of an edition's file."""

import re
from datetime import date
from functools import cache
from typing import Annotated, Literal
from zoneinfo import available_timezones

from pydantic import AfterValidator, BeforeValidator, Field as Key, StringConstraints
from pydantic_core import PydanticCustomError

from portal.core.content_errors import NO_MATCH
from portal.core.content_files import TextPattern

Text = Annotated[str, StringConstraints(min_length=1)]
Url = Annotated[str, TextPattern(r"https?://[a-z0-9.-]+(:[0-9]+)?(/.*)?", "a URL that starts with https://")]
Email = Annotated[str, TextPattern(r"[^@\s]+@[^@\s]+\.[^@\s]+", "an email address")]
# As long as the columns that store keys and IDs. SQLite wouldn't refuse longer ones.
MAX_KEY_LENGTH = 40
Slug = Annotated[
    str,
    StringConstraints(max_length=MAX_KEY_LENGTH),
    TextPattern(r"[a-z0-9]+([-_][a-z0-9]+)*", "lowercase letters and digits, joined by single hyphens or underscores"),
]
RequirementId = Annotated[  # part of addresses
    str,
    TextPattern(
        f"[A-Za-z0-9_-]{{1,{MAX_KEY_LENGTH}}}", f"up to {MAX_KEY_LENGTH} letters, digits, hyphens, and underscores"
    ),
]
EditionDate = Annotated[
    str, TextPattern(r"20[0-9]{2}-(0[1-9]|1[0-2])", 'a year and a month in quotes, such as "2026-09"')
]
Count = Annotated[int, Key(ge=1)]
CountryCode = Annotated[str, TextPattern(r"[A-Z]{2}", "an ISO 3166-1 code of two capital letters, such as US")]
FieldType = Literal["text", "lines", "url", "email", "choice", "choices", "number", "date", "yes"]
FileKind = Literal["pdf", "png", "jpeg", "svg", "txt", "zip"]


def _convert_mapping_to_pairs(value: object) -> object:
    """Return the items of a mapping as pairs in their order, and anything else unchanged."""
    return tuple(value.items()) if isinstance(value, dict) else value


# Mappings in the file, but hashable and immutable in the edition.
Pairs = Annotated[
    tuple[tuple[str, str], ...], BeforeValidator(_convert_mapping_to_pairs, json_schema_input_type=dict[str, str])
]


_list_time_zones = cache(available_timezones)  # it reads many files


def _check_time_zone(value: str) -> str:
    if value not in _list_time_zones():
        expected = "a name of the IANA time zone database, such as America/Los_Angeles"
        raise PydanticCustomError(NO_MATCH, "Text must match", {"expected": expected})
    return value


def _check_day(value: str) -> str:
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise PydanticCustomError(NO_MATCH, "Text must match", {"expected": "a date such as 2026-12-24"}) from None


def _check_regular_expression(value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        expected = f"a valid regular expression: {error}"
        raise PydanticCustomError(NO_MATCH, "Text must match", {"expected": expected}) from None
    return value


# Checked here, because it is used first when a partner enters something.
RegularExpression = Annotated[str, AfterValidator(_check_regular_expression)]
Day = Annotated[str, Key(json_schema_extra={"format": "date"}), AfterValidator(_check_day)]
TimeZone = Annotated[str, AfterValidator(_check_time_zone)]
