"""Deterministic YAML output: keys in alphabetical order, indented by two spaces.

It supports JSON values only. Text that YAML could parse as another type is quoted as in JSON.
"""

import json
import re
from collections.abc import Iterator, Mapping

from portal.core.value_types import JsonObject

# text without quotes: starts with a letter and contains no special characters
PLAIN_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9_.()/-]*( [A-Za-z0-9_.()/-]+)*")
NON_ASCII_PATTERN = re.compile(r"[^ -~]")
RESERVED_WORDS = frozenset(["true", "false", "yes", "no", "on", "off", "null", "y", "n"])


def dump(data: object) -> str:
    """Render data as a YAML document with a start marker."""
    lines = ["---", *(_render_lines(data, 0) if isinstance(data, dict | list) and data else [_render_scalar(data)])]
    return "\n".join(lines) + "\n"


def _render_lines(data: JsonObject | list[object], depth: int) -> Iterator[str]:
    return _render_mapping(data, depth) if isinstance(data, dict) else _render_list(data, depth)


def _render_mapping(data: Mapping[str, object], depth: int) -> Iterator[str]:
    blanks = "  " * depth
    for key in sorted(data):
        value = data[key]
        if isinstance(value, dict | list) and value:
            yield f"{blanks}{_render_scalar(key)}:"
            yield from _render_lines(value, depth if isinstance(value, list) else depth + 1)
        else:
            yield f"{blanks}{_render_scalar(key)}: {_render_scalar(value)}"


def _render_list(data: list[object], depth: int) -> Iterator[str]:
    blanks = "  " * depth
    for value in data:
        if not (isinstance(value, dict | list) and value):
            yield f"{blanks}- {_render_scalar(value)}"
            continue
        first, *rest = _render_lines(value, depth + 1)
        yield f"{blanks}- {first[len(blanks) + 2 :]}"
        yield from rest


def _render_scalar(value: object) -> str:
    if isinstance(value, str) and PLAIN_PATTERN.fullmatch(value) and value.lower() not in RESERVED_WORDS:
        return value
    if isinstance(value, dict | list) and not value:
        return "{}" if isinstance(value, dict) else "[]"
    return NON_ASCII_PATTERN.sub(_escape_character, json.dumps(value, ensure_ascii=False))


def _escape_character(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\u{code:04x}" if code < 2**16 else f"\\U{code:08x}"
