"""Rules of Kubernetes for structural schemas, which the generated definitions keep by construction."""

from collections.abc import Iterator
from typing import Any

from verification.schemas.engine.kubernetes_rules import PRESERVE_UNKNOWN_FIELDS, find_name_violations, find_problems

LIST_TYPE = "x-kubernetes-list-type"
LIST_KEYS = "x-kubernetes-list-map-keys"
MAP_TYPE = "x-kubernetes-map-type"
RULES_KEY = "x-kubernetes-validations"
KNOWN_TYPES = ("object", "array", "string", "number", "integer", "boolean")
# Structural schemas allow more keywords. These are what the preview writes, so another one is a mistake in it.
KNOWN_KEYWORDS = frozenset(
    {"type", "description", "properties", "additionalProperties", "items", "required", "default", "enum", "format"}
    | {PRESERVE_UNKNOWN_FIELDS, LIST_TYPE, LIST_KEYS, MAP_TYPE, RULES_KEY}
)
OBJECT_KEYWORDS = {"properties", "additionalProperties", "required", MAP_TYPE}
SCALAR_TYPES = ("string", "number", "integer", "boolean")


def _find_structure_violations(schema: dict[str, Any]) -> Iterator[str]:
    """Yield the violations of one schema by its type and its keywords."""
    keywords = set(schema)
    kind = schema.get("type")
    if kind not in KNOWN_TYPES and not (kind is None and schema.get(PRESERVE_UNKNOWN_FIELDS)):
        yield "the type is missing or unknown"
    if unknown := sorted(keywords - KNOWN_KEYWORDS):
        yield f"{unknown[0]} is not allowed"
    if {"properties", "additionalProperties"} <= keywords:
        yield "properties and additionalProperties are mutually exclusive"
    if kind != "object" and (object_keywords := sorted(keywords & OBJECT_KEYWORDS)):
        yield f"{object_keywords[0]} requires the type object"
    if (kind == "array") != ("items" in schema):
        yield "an array requires items, and other types don't allow them"
    if missing := sorted({*schema.get("required", [])} - {*schema.get("properties", {})}):
        yield f"{missing[0]} is required but not a property"


def _find_value_violations(schema: dict[str, Any]) -> Iterator[str]:
    """Yield the violations of one schema by how its values are merged, set by default, and validated."""
    yield from _find_list_violations(schema)
    if schema.get(MAP_TYPE, "granular") not in ("granular", "atomic"):
        yield f"{MAP_TYPE} must be granular or atomic"
    if "default" in schema and any(find_problems(schema, schema["default"])):
        yield "the default doesn't match the schema"
    for rule in schema.get(RULES_KEY, []):
        if not rule.get("rule", "").strip() or not rule.get("message", "x").strip() or "\n" in rule.get("message", ""):
            yield "a rule requires an expression and a one-line message"


def _find_list_violations(schema: dict[str, Any]) -> Iterator[str]:
    kind = schema.get(LIST_TYPE)
    if kind is None and LIST_KEYS in schema:
        yield f"{LIST_KEYS} requires {LIST_TYPE} map"
    elif kind is not None and (schema.get("type") != "array" or kind not in ("atomic", "set", "map")):
        yield f"{LIST_TYPE} is for arrays and must be atomic, set, or map"
    # Server-side apply compares the elements of a set as a whole.
    elif kind == "set" and schema["items"].get("type") not in SCALAR_TYPES:
        yield "a set must contain scalars"
    elif kind == "map":
        yield from _find_key_violations(schema.get(LIST_KEYS, []), schema["items"])


def _find_key_violations(keys: list[str], items: dict[str, Any]) -> Iterator[str]:
    if not keys or items.get("type") != "object":
        yield f"{LIST_TYPE} map requires keys and objects"
        return
    for key in keys:
        field = items.get("properties", {}).get(key, {})
        # Server-side apply finds an element by its keys, so none can be missing.
        if field.get("type") not in SCALAR_TYPES or not (key in items.get("required", []) or "default" in field):
            yield f"the key {key} must be a required scalar or have a default"


def find_violations(definition: dict[str, Any]) -> list[str]:
    """Return the violations of a definition with their field paths."""
    spec = definition["spec"]
    messages = [*_check_full_name(definition), *find_name_violations(definition), *_check_versions(spec["versions"])]
    for version in spec["versions"]:
        schema = version["schema"]["openAPIV3Schema"]
        messages += [
            f"{path}: {violation}"
            for path, subschema in _walk_schemas(schema)
            for violation in (*_find_structure_violations(subschema), *_find_value_violations(subschema))
        ]
        # Kubernetes itself specifies the metadata of objects.
        if set(schema.get("properties", {}).get("metadata", {})) - {"type"}:
            messages.append("metadata: only the type is allowed")
    return messages


def _walk_schemas(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield all schemas of the tree with their dotted paths."""
    yield path or "(root)", schema
    for name, subschema in schema.get("properties", {}).items():
        yield from _walk_schemas(subschema, f"{path}.{name}".lstrip("."))
    for key, mark in (("items", "[]"), ("additionalProperties", "{}")):
        if key in schema:
            yield from _walk_schemas(schema[key], path + mark)


def _check_full_name(definition: dict[str, Any]) -> Iterator[str]:
    spec = definition["spec"]
    if definition["metadata"]["name"] != f"{spec['names']['plural']}.{spec['group']}":
        yield "metadata.name must consist of the plural and the group"


def _check_versions(versions: list[dict[str, Any]]) -> Iterator[str]:
    if sum(bool(version.get("storage")) for version in versions) != 1:
        yield "exactly one version must be the storage version"
    if any(not version.get("schema", {}).get("openAPIV3Schema") for version in versions):
        yield "each version must have a schema"
