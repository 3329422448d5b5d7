"""Rules of Kubernetes: the names of a definition, and an object against a structural schema as the API server does."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from portal.core.value_types import JsonObject

NAME_PATTERN = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
KIND_PATTERN = re.compile(r"[A-Z][A-Za-z0-9]*")
# Plurals and singulars are DNS labels, which RFC 1035 limits.
MAX_NAME_CHARACTERS = 63
PRESERVE_UNKNOWN_FIELDS = "x-kubernetes-preserve-unknown-fields"
ProblemKind = Literal["unknown", "missing", "type", "value"]
MAX_PROBLEMS = 5
PYTHON_TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": int | float}


def find_name_violations(definition: JsonObject) -> Iterator[str]:
    """Yield the names of a definition that Kubernetes would reject."""
    spec = definition["spec"]
    names = spec["names"]
    if not NAME_PATTERN.fullmatch(spec["group"]) or "." not in spec["group"]:
        yield f"the group {spec['group']} is not a domain name"
    if not KIND_PATTERN.fullmatch(names["kind"]):
        yield f"the kind {names['kind']} is not valid"
    for key in ("plural", "singular"):
        if not NAME_PATTERN.fullmatch(names[key]) or len(names[key]) > MAX_NAME_CHARACTERS:
            yield f"the {key} {names[key]} is not a valid name of at most {MAX_NAME_CHARACTERS} characters"


@dataclass(frozen=True, slots=True)
class ObjectProblem:
    """Field that doesn't match the schema. `expected` is the type or the allowed values."""

    path: str
    kind: ProblemKind
    expected: str = ""


def list_problems(schema: JsonObject, value: object) -> list[ObjectProblem]:
    """Return the first fields that don't match the schema."""
    return list(islice(find_problems(schema, value), MAX_PROBLEMS))


def find_problems(schema: JsonObject, value: object, path: str = "") -> Iterator[ObjectProblem]:
    """Yield the fields that don't match the schema. Values can be null if the schema has `nullable`."""
    # A schema without a type preserves unknown fields, so any value is valid.
    if "type" not in schema or (value is None and schema.get("nullable")):
        return
    kind = schema["type"]
    # In Python, a bool is an int.
    if not isinstance(value, PYTHON_TYPES.get(kind, object)) or (isinstance(value, bool) and kind != "boolean"):
        yield ObjectProblem(path, "type", kind)
    elif value not in schema.get("enum", [value]):
        yield ObjectProblem(path, "value", ", ".join(schema["enum"]))
    elif isinstance(value, dict):
        yield from _find_field_problems(schema, value, path)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from find_problems(schema.get("items", {}), item, f"{path}[{number}]")


def _find_field_problems(schema: JsonObject, value: JsonObject, path: str) -> Iterator[ObjectProblem]:
    prefix = f"{path}." if path else ""
    for name in schema.get("required", []):
        if name not in value:
            yield ObjectProblem(prefix + name, "missing")
    for name, field_value in value.items():
        field = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
        if field is not None:
            yield from find_problems(field, field_value, prefix + name)
        elif not schema.get(PRESERVE_UNKNOWN_FIELDS):
            yield ObjectProblem(prefix + name, "unknown")
