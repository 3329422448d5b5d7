"""What of somebody's plain data can be kept and shown? All but NUL and half characters. Standard library only."""

import json
from typing import Any


def clean_json(value: Any) -> Any:
    """The same as plain data, lists for tuples. Raises TypeError and ValueError for what is none."""
    return _clean_value(json.loads(json.dumps(value, allow_nan=False)))


def _clean_value(value: Any) -> Any:
    if isinstance(value, str):  # no database keeps NUL, and half of a pair cannot be written as UTF-8
        return value.replace("\x00", "").encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_clean_value(item) for item in value]
    if isinstance(value, dict):
        return {_clean_value(name): _clean_value(item) for name, item in value.items()}
    return value
