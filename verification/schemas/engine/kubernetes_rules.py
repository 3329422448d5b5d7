"""Rules of Kubernetes for structural schemas.

Each rule is a function that returns the violation of one schema in the tree, or an empty string.
"""

import re
from collections.abc import Callable, Iterator

from portal.core.value_types import JsonObject
from verification.schemas.engine.object_rules import PRESERVE_UNKNOWN_FIELDS, find_problems

NAME_PATTERN = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
KIND_PATTERN = re.compile(r"[A-Z][A-Za-z0-9]*")
# Plurals and singulars are DNS labels, which RFC 1035 limits.
MAX_NAME_CHARACTERS = 63
LIST_TYPE, LIST_KEYS, MAP_TYPE = "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"
RULES_KEY = "x-kubernetes-validations"
KNOWN_TYPES = ("object", "array", "string", "number", "integer", "boolean")
# Structural schemas allow more keywords. These are what the preview writes, so another one is a mistake in it.
KNOWN_KEYWORDS = frozenset(
    {"type", "description", "properties", "additionalProperties", "items", "required", "default", "enum", "format"}
    | {PRESERVE_UNKNOWN_FIELDS, LIST_TYPE, LIST_KEYS, MAP_TYPE, RULES_KEY}
)
SCALAR_TYPES = ("string", "number", "integer", "boolean")


def _check_type(schema: JsonObject) -> str:
    if schema.get(PRESERVE_UNKNOWN_FIELDS) and "type" not in schema:
        return ""
    return "" if schema.get("type") in KNOWN_TYPES else "the type is missing or unknown"


def _check_keywords(schema: JsonObject) -> str:
    unknown = sorted(set(schema) - KNOWN_KEYWORDS)
    return f"{unknown[0]} is not allowed" if unknown else ""


def _check_exclusive_properties(schema: JsonObject) -> str:
    return (
        "properties and additionalProperties are mutually exclusive"
        if {"properties", "additionalProperties"} <= set(schema)
        else ""
    )


def _check_object_properties(schema: JsonObject) -> str:
    object_keywords = {"properties", "additionalProperties", "required", MAP_TYPE} & set(schema)
    return (
        f"{min(object_keywords)} requires the type object" if object_keywords and schema.get("type") != "object" else ""
    )


def _check_items(schema: JsonObject) -> str:
    if (schema.get("type") == "array") != ("items" in schema):
        return "an array requires items, and other types don't allow them"
    return ""


def _check_required(schema: JsonObject) -> str:
    missing = [name for name in schema.get("required", []) if name not in schema.get("properties", {})]
    return f"{missing[0]} is required but not a property" if missing else ""


def _check_list_type(schema: JsonObject) -> str:
    kind = schema.get(LIST_TYPE)
    if kind is None:
        return f"{LIST_KEYS} requires {LIST_TYPE} map" if LIST_KEYS in schema else ""
    if schema.get("type") != "array" or kind not in ("atomic", "set", "map"):
        return f"{LIST_TYPE} is for arrays and must be atomic, set, or map"
    # Server-side apply compares the elements of a set as a whole.
    if kind == "set" and schema["items"].get("type") not in SCALAR_TYPES:
        return "a set must contain scalars"
    return _check_list_keys(schema) if kind == "map" else ""


def _check_list_keys(schema: JsonObject) -> str:
    keys, items = schema.get(LIST_KEYS, []), schema["items"]
    if not keys or items.get("type") != "object":
        return f"{LIST_TYPE} map requires keys and objects"
    for key in keys:
        field = items.get("properties", {}).get(key, {})
        # Server-side apply finds an element by its keys, so none can be missing.
        if field.get("type") not in SCALAR_TYPES or not (key in items.get("required", []) or "default" in field):
            return f"the key {key} must be a required scalar or have a default"
    return ""


def _check_map_type(schema: JsonObject) -> str:
    return (
        "" if schema.get(MAP_TYPE, "granular") in ("granular", "atomic") else f"{MAP_TYPE} must be granular or atomic"
    )


def _check_default(schema: JsonObject) -> str:
    is_valid = "default" not in schema or not any(find_problems(schema, schema["default"]))
    return "" if is_valid else "the default doesn't match the schema"


def _check_rules(schema: JsonObject) -> str:
    for rule in schema.get(RULES_KEY, []):
        if not rule.get("rule", "").strip() or not rule.get("message", "x").strip() or "\n" in rule.get("message", ""):
            return "a rule requires an expression and a one-line message"
    return ""


SCHEMA_RULES: tuple[Callable[[JsonObject], str], ...] = (
    _check_type,
    _check_keywords,
    _check_exclusive_properties,
    _check_object_properties,
    _check_items,
    _check_required,
    _check_list_type,
    _check_map_type,
    _check_default,
    _check_rules,
)


def find_violations(definition: JsonObject) -> list[str]:
    """Return the violations of a definition with their field paths."""
    spec = definition["spec"]
    messages = list(_check_names(definition["metadata"]["name"], spec)) + list(_check_versions(spec["versions"]))
    for version in spec["versions"]:
        schema = version["schema"]["openAPIV3Schema"]
        messages += [
            f"{path}: {violation}"
            for path, subschema in walk_schemas(schema)
            for rule in SCHEMA_RULES
            if (violation := rule(subschema))
        ]
        # Kubernetes itself specifies the metadata of objects.
        if set(schema.get("properties", {}).get("metadata", {})) - {"type"}:
            messages.append("metadata: only the type is allowed")
    return messages


def walk_schemas(schema: JsonObject, path: str = "") -> Iterator[tuple[str, JsonObject]]:
    """Yield all schemas of the tree with their dotted paths."""
    yield path or "(root)", schema
    for name, subschema in schema.get("properties", {}).items():
        yield from walk_schemas(subschema, f"{path}.{name}".lstrip("."))
    for key, mark in (("items", "[]"), ("additionalProperties", "{}")):
        if key in schema:
            yield from walk_schemas(schema[key], path + mark)


def _check_names(full_name: str, spec: JsonObject) -> Iterator[str]:
    names = spec["names"]
    if full_name != f"{names['plural']}.{spec['group']}":
        yield "metadata.name must consist of the plural and the group"
    if not NAME_PATTERN.fullmatch(spec["group"]) or "." not in spec["group"]:
        yield f"the group {spec['group']} is not a domain name"
    if not KIND_PATTERN.fullmatch(names["kind"]) or names["kind"] == names["listKind"]:
        yield f"the kind {names['kind']} is not valid"
    for key in ("plural", "singular"):
        if not NAME_PATTERN.fullmatch(names[key]) or len(names[key]) > MAX_NAME_CHARACTERS:
            yield f"the {key} {names[key]} is not a valid name of at most {MAX_NAME_CHARACTERS} characters"


def _check_versions(versions: list[JsonObject]) -> Iterator[str]:
    if sum(bool(version.get("storage")) for version in versions) != 1:
        yield "exactly one version must be the storage version"
    if any(not version.get("schema", {}).get("openAPIV3Schema") for version in versions):
        yield "each version must have a schema"
