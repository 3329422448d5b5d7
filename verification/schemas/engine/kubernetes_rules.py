"""Would Kubernetes take this definition? Its rules for structural schemas, as a table.

Each rule is a function from one schema of the tree to what is wrong with it, or nothing.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

Schema = dict[str, Any]
NAME = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
KIND = re.compile(r"[A-Z][A-Za-z0-9]*")
LONGEST = 63
ANYTHING = "x-kubernetes-preserve-unknown-fields"
LIST_TYPE, LIST_KEYS, MAP_TYPE = "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"
RULES_KEY = "x-kubernetes-validations"
KNOWN_TYPES = ("object", "array", "string", "number", "integer", "boolean")
KNOWN = frozenset(
    {"type", "description", "properties", "additionalProperties", "items", "required", "default", "enum", "format"}
    | {ANYTHING, LIST_TYPE, LIST_KEYS, MAP_TYPE, RULES_KEY}
)
SCALARS = ("string", "number", "integer", "boolean")


def _has_a_type(one: Schema) -> str:
    if one.get(ANYTHING) and "type" not in one:
        return ""
    return "" if one.get("type") in KNOWN_TYPES else "no type"


def _known_words(one: Schema) -> str:
    unknown = sorted(set(one) - KNOWN)
    return f"{unknown[0]} may not be used" if unknown else ""


def _either_properties(one: Schema) -> str:
    return (
        "properties and additionalProperties exclude each other"
        if {"properties", "additionalProperties"} <= set(one)
        else ""
    )


def _only_objects_have_properties(one: Schema) -> str:
    has = {"properties", "additionalProperties", "required", MAP_TYPE} & set(one)
    return f"{min(has)} needs the type object" if has and one.get("type") != "object" else ""


def _arrays_have_items(one: Schema) -> str:
    if (one.get("type") == "array") != ("items" in one):
        return "an array needs items, and nothing else has them"
    return ""


def _required_exist(one: Schema) -> str:
    missing = [name for name in one.get("required", []) if name not in one.get("properties", {})]
    return f"{missing[0]} is required but no property" if missing else ""


def _list_types(one: Schema) -> str:
    kind = one.get(LIST_TYPE)
    if kind is None:
        return f"{LIST_KEYS} needs {LIST_TYPE} map" if LIST_KEYS in one else ""
    if one.get("type") != "array" or kind not in ("atomic", "set", "map"):
        return f"{LIST_TYPE} is for arrays: atomic, set or map"
    if kind == "set" and one["items"].get("type") not in SCALARS:
        return "a set holds scalars"
    return _list_keys(one) if kind == "map" else ""


def _list_keys(one: Schema) -> str:
    keys, items = one.get(LIST_KEYS, []), one["items"]
    if not keys or items.get("type") != "object":
        return f"{LIST_TYPE} map needs keys and objects"
    for key in keys:
        field = items.get("properties", {}).get(key, {})
        if field.get("type") not in SCALARS or not (key in items.get("required", []) or "default" in field):
            return f"the key {key} must be a scalar that is always there"
    return ""


def _map_types(one: Schema) -> str:
    return "" if one.get(MAP_TYPE, "granular") in ("granular", "atomic") else f"{MAP_TYPE} is granular or atomic"


def _defaults_fit(one: Schema) -> str:
    if "default" not in one:
        return ""
    python = {"object": dict, "array": list, "string": str, "boolean": bool}.get(one.get("type", ""), (int, float))
    value = one["default"]
    fits = isinstance(value, python) and ("enum" not in one or value in one["enum"])  # type: ignore[arg-type]
    if fits and isinstance(value, dict):
        fits = set(value) <= set(one.get("properties", {})) and set(one.get("required", [])) <= set(value)
    return "" if fits else "the default does not fit"


def _rules_are_told(one: Schema) -> str:
    for rule in one.get(RULES_KEY, []):
        if not rule.get("rule", "").strip() or not rule.get("message", "x").strip() or "\n" in rule.get("message", ""):
            return "a rule needs an expression and a message of one line"
    return ""


TABLE: tuple[Callable[[Schema], str], ...] = (
    _has_a_type, _known_words, _either_properties, _only_objects_have_properties, _arrays_have_items, _required_exist,
    _list_types, _map_types, _defaults_fit, _rules_are_told,
)  # fmt: skip


def faults(definition: Schema) -> list[str]:
    """What Kubernetes would refuse, each with the path of the field; nothing for a sound definition."""
    spec = definition["spec"]
    found = list(_names(definition["metadata"]["name"], spec)) + list(_versions(spec["versions"]))
    for version in spec["versions"]:
        schema = version["schema"]["openAPIV3Schema"]
        found += [f"{path}: {fault}" for path, one in walk(schema) for rule in TABLE if (fault := rule(one))]
        if set(schema.get("properties", {}).get("metadata", {})) - {"type"}:
            found.append("metadata: only its type may be told")
    return found


def walk(schema: Schema, path: str = "") -> Iterator[tuple[str, Schema]]:
    """Every schema in the tree with its dotted path."""
    yield path or "(root)", schema
    for name, one in schema.get("properties", {}).items():
        yield from walk(one, f"{path}.{name}".lstrip("."))
    for key, mark in (("items", "[]"), ("additionalProperties", "{}")):
        if key in schema:
            yield from walk(schema[key], path + mark)


def _names(full: str, spec: Schema) -> Iterator[str]:
    names = spec["names"]
    if full != f"{names['plural']}.{spec['group']}":
        yield "metadata.name is not the plural and the group"
    if not NAME.fullmatch(spec["group"]) or "." not in spec["group"]:
        yield f"the group {spec['group']} is no domain name"
    if not KIND.fullmatch(names["kind"]) or names["kind"] == names["listKind"]:
        yield f"the kind {names['kind']} is no name of a kind"
    for key in ("plural", "singular"):
        if not NAME.fullmatch(names[key]) or len(names[key]) > LONGEST:
            yield f"the {key} {names[key]} is no name of at most {LONGEST} letters"


def _versions(versions: list[Schema]) -> Iterator[str]:
    if sum(bool(version.get("storage")) for version in versions) != 1:
        yield "one version is the stored one"
    if any(not version.get("schema", {}).get("openAPIV3Schema") for version in versions):
        yield "each version has a schema"
