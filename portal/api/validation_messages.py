"""Messages about input that doesn't match its schema, as sentences for the types of Pydantic's errors."""

import re
from collections.abc import Iterable, Sequence

from portal.core.value_types import JsonObject

OBJECT_MESSAGE = "Send a JSON object."
ARRAY_MESSAGE = "Send a JSON array."
NUMBER_MESSAGE = "Send a whole number."
DATE_MESSAGE = "Enter a date, such as 2026-04-14."
TIME_MESSAGE = "Enter a time with its UTC offset, such as 2026-04-14T09:00:00Z."
MESSAGES = {
    "bool_parsing": "Send true or false.",
    "bool_type": "Send true or false.",
    "date_from_datetime_inexact": DATE_MESSAGE,
    "date_from_datetime_parsing": DATE_MESSAGE,
    "date_parsing": DATE_MESSAGE,
    "date_type": DATE_MESSAGE,
    "datetime_from_date_parsing": TIME_MESSAGE,
    "datetime_parsing": TIME_MESSAGE,
    "datetime_type": TIME_MESSAGE,
    "dict_type": OBJECT_MESSAGE,
    "extra_forbidden": "Unknown field.",
    "greater_than_equal": "Send a number of at least {ge}.",
    "int_from_float": NUMBER_MESSAGE,
    "int_parsing": NUMBER_MESSAGE,
    "int_parsing_size": NUMBER_MESSAGE,
    "int_type": NUMBER_MESSAGE,
    "less_than_equal": "Send a number of at most {le}.",
    "list_type": ARRAY_MESSAGE,
    "missing": "This field is required.",
    "model_attributes_type": OBJECT_MESSAGE,
    "string_pattern_mismatch": "Use the format {pattern}.",
    "string_too_long": "Too long. Maximum number of characters: {max_length}.",
    "string_too_short": "Too short. Minimum number of characters: {min_length}.",
    "string_type": "Send a text.",
    "string_unicode": "Remove the invalid characters.",
    "timezone_aware": TIME_MESSAGE,
    "too_long": "Too many items. Maximum number: {max_length}.",
    "too_short": "Too few items. Minimum number: {min_length}.",
    "uuid_parsing": "Enter a UUID.",
    "uuid_type": "Enter a UUID.",
}
DEFAULT_MESSAGE = "Enter a valid value."


def build_choice_message(values: Iterable[str]) -> str:
    """Return the message about a value that isn't one of `values`."""
    return f"Use one of: {', '.join(value for value in values if value)}."


def get_field_path(location: Sequence[object]) -> str:
    """Return the path of a field without the name of the function parameter."""
    # Pydantic's location begins with where the value was sent, and for bodies with the parameter's name.
    # For a key of an object, it ends with “[key]”.
    parts = [str(part) for part in location[1:] if part != "[key]"]
    return ".".join(parts[1:] if location and location[0] == "body" and parts else parts)


def get_validation_message(error: JsonObject) -> str:
    """Return the sentence for an error of Pydantic."""
    kind = error["type"]
    if kind == "missing" and not get_field_path(error["loc"]):
        return "Send a JSON body. An empty one is {}."
    if kind in ("literal_error", "enum"):
        return build_choice_message(re.findall(r"'([^']*)'", error["ctx"]["expected"]))
    return MESSAGES.get(kind, DEFAULT_MESSAGE).format_map(error.get("ctx", {}))
