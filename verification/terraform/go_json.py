"""JSON responses as Terraform reads them: only the first value, names in any case, null as a missing value.

Raises JsonReadError with Terraform's message, or its beginning. Standard library only.
"""

import json
import re
from collections.abc import Iterable
from typing import NoReturn

from portal.core.value_types import JsonObject
from verification.terraform.messages import quote, render_message

WHITESPACE = " \t\r\n"
# A pair of surrogates, or one without the other. The first alternative skips escaped backslashes before them.
SURROGATE_PATTERN = re.compile(
    r"(?P<valid>\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
ASCII_EQUIVALENTS = {0x17F: "s", 0x212A: "k"}  # letters that Go treats as equal to ASCII letters
TYPE_NAMES = ((bool, "bool"), (str, "string"), (int, "number"), (float, "number"), (list, "array"), (dict, "object"))


class JsonReadError(ValueError):
    """Unexpected JSON. The message is Terraform's."""


def decode_json(body: bytes) -> object:
    """Return the first JSON value in the body, with the names that Go matches to fields. Raises JsonReadError."""
    text = body.decode("utf-8", "replace").lstrip(WHITESPACE)
    if not text:
        raise JsonReadError(render_message("json_end"))
    try:
        # Python refuses integers of more than 4,300 digits, and no field is a number.
        decoder = json.JSONDecoder(parse_int=float, parse_constant=_reject_constant, object_pairs_hook=_merge)
        return decoder.raw_decode(SURROGATE_PATTERN.sub(_replace_lone_surrogate, text))[0]
    except RecursionError as error:
        raise JsonReadError("") from error
    except json.JSONDecodeError as error:
        raise JsonReadError(_describe_error(text, body.lstrip(WHITESPACE.encode())[0], error)) from error


def _replace_lone_surrogate(match: re.Match[str]) -> str:
    return match["valid"] or r"\ufffd"


def _merge(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    """Build an object with lowercase names. The last of duplicate values counts; duplicate objects are merged."""
    result: JsonObject = {}
    _merge_into(result, ((name.lower().translate(ASCII_EQUIVALENTS), value) for name, value in pairs))
    return result


def _merge_into(target: dict[str, object], pairs: Iterable[tuple[str, object]]) -> None:
    """Add values to an object in place, so that every value is moved once per level at most."""
    for name, value in pairs:
        current = target.get(name)
        if isinstance(current, dict) and isinstance(value, dict):
            _merge_into(current, value.items())
        elif value is not None or current is None:  # null does not change a field
            target[name] = value


def _reject_constant(name: str) -> NoReturn:
    # After a minus sign, Go has another message, which isn't predicted.
    raise JsonReadError("" if name.startswith("-") else render_message("json_start", char=repr(name[0])))


def _describe_error(text: str, first: int, error: json.JSONDecodeError) -> str:
    if error.pos == 0 and error.msg == "Expecting value" and text[0] not in "tfn":
        # Go reads bytes and shows the first one as a character, such as 'ï' for a byte order mark in UTF-8.
        char = r"\'" if first == ord("'") else quote(chr(first))[1:-1]
        return render_message("json_start", char=f"'{char}'")
    is_truncated = error.pos >= len(text) or error.msg.startswith("Unterminated string")
    return render_message("json_cut") if is_truncated else ""


def expect_object(value: object) -> dict[str, object]:
    """Return an object; null is an empty one. Raises JsonReadError for anything else."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise JsonReadError(render_message("json_top", kind=get_type_name(value)))
    return value


def expect_string(value: object, field: str) -> str:
    """Return a string; null is an empty one. Raises JsonReadError with the field's name for anything else."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise JsonReadError(render_message("json_field", kind=get_type_name(value), field=field, wanted="string"))
    return value


def expect_strings(value: object, field: str) -> tuple[str, ...]:
    """Return a list of strings; null is an empty one. Raises JsonReadError."""
    if value is None:
        return ()
    if not isinstance(value, list):
        raise JsonReadError(render_message("json_field", kind=get_type_name(value), field=field, wanted="[]string"))
    return tuple(expect_string(item, field) for item in value)


def expect_objects(value: object) -> tuple[dict[str, object], ...]:
    """Return a list of objects; null is an empty one. Raises JsonReadError with the start of Terraform's message."""
    if value is None:
        return ()
    if not isinstance(value, list) or not all(item is None or isinstance(item, dict) for item in value):
        invalid = value if not isinstance(value, list) else next(item for item in value if not isinstance(item, dict))
        raise JsonReadError(f"json: cannot unmarshal {get_type_name(invalid)} into Go ")
    return tuple(item or {} for item in value)


def get_type_name(value: object) -> str:
    return next((kind for python_type, kind in TYPE_NAMES if isinstance(value, python_type)), "null")
