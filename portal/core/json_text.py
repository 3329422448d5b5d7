"""Cleaning of JSON values for storage. Standard library only."""

import json
import sys
from typing import Any


def clean_json(value: object, *, max_depth: int = sys.maxsize) -> Any:
    """Return the value as JSON data, with lists for tuples and without NUL characters and lone surrogates.

    Raises:
        TypeError, ValueError: The value cannot be represented as JSON, or has more levels than `max_depth`.
        RecursionError: The value has more levels than Python can nest calls.
    """
    # NaN and infinity are not JSON, and PostgreSQL refuses them.
    return _clean_value(json.loads(json.dumps(value, allow_nan=False)), max_depth)


def clean_string(text: str) -> str:
    """Return the text without NUL, which PostgreSQL rejects, and with "?" for surrogates, which UTF-8 can't encode."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def _clean_value(value: object, max_depth: int) -> object:
    if max_depth < 0:
        raise ValueError("too many levels")
    if isinstance(value, str):
        return clean_string(value)
    if isinstance(value, list):
        return [_clean_value(item, max_depth - 1) for item in value]
    if isinstance(value, dict):
        return {_clean_value(name, 0): _clean_value(item, max_depth - 1) for name, item in value.items()}
    return value
