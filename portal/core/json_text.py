"""Cleaning of JSON values for storage. Standard library only."""

import json
from typing import Any


def clean_json(value: object) -> Any:
    """Return the value as JSON data, with lists for tuples and without NUL characters and lone surrogates.

    Raises:
        TypeError, ValueError: The value cannot be represented as JSON.
    """
    return _clean_value(json.loads(json.dumps(value, allow_nan=False)))


def _clean_value(value: object) -> object:
    if isinstance(value, str):  # PostgreSQL rejects NUL, and UTF-8 cannot encode lone surrogates
        return value.replace("\x00", "").encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_clean_value(item) for item in value]
    if isinstance(value, dict):
        return {_clean_value(name): _clean_value(item) for name, item in value.items()}
    return value
