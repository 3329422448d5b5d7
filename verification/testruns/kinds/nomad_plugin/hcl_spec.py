"""Is a configuration schema well formed, and does a configuration fit it? As Nomad reads both. Pure.

A schema is a Spec message of the plugin protocol; a configuration is plain JSON: names with values, a block being an
object, several blocks of one kind a list of them.
"""

import json
from collections.abc import Iterator
from typing import Any

from verification.testruns.kinds.nomad_plugin import hcl_types
from verification.testruns.kinds.nomad_plugin.hcl_types import BadType

DEEPEST = 30
MOST = 5000
NESTED = ("block_value", "block_list", "block_set", "block_map")


def problems(spec: Any) -> list[str]:
    """What is wrong with the schema itself, by place; empty where nothing is. The top is an object."""
    if spec.WhichOneof("one") != "object":
        return ["The schema is no object, so that it has no names."]
    return list(_problems(spec, "config", 0))[:50]


def fit(spec: Any, given: Any) -> tuple[dict[str, Any], list[str]]:
    """(values, problems): what Nomad would hand to the plugin for this configuration. `spec` is well formed."""
    if not isinstance(given, dict):
        return {}, ["A configuration is an object with names and values."]
    known = set(_names(spec))
    unknown = [f"{name}: the schema knows no such name." for name in given if name not in known]
    values, wrong = _value(spec, given, "config")
    return values, unknown + wrong


def _problems(spec: Any, where: str, depth: int) -> Iterator[str]:
    kind = spec.WhichOneof("one")
    if kind is None or depth > DEEPEST:
        yield f"{where}: nothing is said of it." if kind is None else f"{where}: it is nested too deeply."
        return
    one = getattr(spec, kind)
    if kind in ("Attr", "block_attrs"):
        yield from _of_a_type(one, where)
    elif kind == "literal":
        yield from [] if _is_literal(one.value) else [f"{where}: “{one.value[:60]}” is no value."]
    elif kind in NESTED:
        yield from _of_a_block(one, kind, where, depth)
    else:
        for name, part in _parts(kind, one):
            yield from _problems(part, f"{where}{name}", depth + 1)


def _of_a_type(one: Any, where: str) -> Iterator[str]:
    if not one.name:
        yield f"{where}: it has no name."
    try:
        hcl_types.read(one.type)
    except BadType as bad:
        yield f"{where}: {bad}"


def _of_a_block(one: Any, kind: str, where: str, depth: int) -> Iterator[str]:
    if not one.name:
        yield f"{where}: it has no name."
    if kind in ("block_list", "block_set") and one.max_items and one.min_items > one.max_items:
        yield f"{where}: at least {one.min_items} and at most {one.max_items} of it cannot be."
    if kind == "block_map" and not one.labels:
        yield f"{where}: a map of blocks has no label to be a map of."
    if not one.HasField("nested"):
        yield f"{where}: it does not say what is in it."
        return
    yield from _problems(one.nested, f"{where}.{one.name}", depth + 1)


def _parts(kind: str, one: Any) -> list[tuple[str, Any]]:
    if kind == "object":
        return [(f".{name}", part) for name, part in sorted(one.attributes.items())][:MOST]
    if kind == "array":
        return [(f"[{n}]", part) for n, part in enumerate(one.values)][:MOST]
    return [("", one.primary), (" by default", one.default)]


def _is_literal(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _names(spec: Any) -> Iterator[str]:
    """The names that a configuration may hold at this place."""
    kind = spec.WhichOneof("one")
    one = getattr(spec, kind)
    if kind in ("object", "array"):
        for _, part in _parts(kind, one):
            yield from _names(part)
    elif kind == "default":
        yield from _names(one.primary)
    elif kind != "literal":
        yield one.name


def _value(spec: Any, given: dict[str, Any], where: str) -> tuple[Any, list[str]]:
    kind = spec.WhichOneof("one")
    one = getattr(spec, kind)
    if kind == "object":
        found = {name: _value(part, given, where) for name, part in sorted(one.attributes.items())}
        return {name: value for name, (value, _) in found.items()}, [p for _, more in found.values() for p in more]
    if kind == "array":
        return hcl_types.gathered([_value(part, given, where) for part in one.values])
    if kind == "literal":
        return json.loads(one.value), []
    if kind == "default":
        value, wrong = _value(one.primary, given, where)
        return _value(one.default, given, where) if value is None and not wrong else (value, wrong)
    return _taken(kind, one, given.get(one.name), f"{where}.{one.name}")


def _taken(kind: str, one: Any, given: Any, where: str) -> tuple[Any, list[str]]:
    if given is None and kind not in ("block_list", "block_set"):
        is_required = kind != "block_map" and one.required
        return (None, [f"{where}: it is required."] if is_required else []) if kind != "block_map" else ({}, [])
    if kind == "Attr":
        return hcl_types.fit(given, hcl_types.read(one.type), where)
    if kind == "block_attrs":
        return hcl_types.fit(given, hcl_types.Type("map", (hcl_types.read(one.type),)), where)
    if kind == "block_value":
        return _block(one.nested, given, where)
    if kind == "block_map":
        return _by_label(one.nested, given, len(one.labels), where)
    return _several(one, given, where)


def _block(nested: Any, given: Any, where: str) -> tuple[Any, list[str]]:
    if not isinstance(given, dict):
        return None, [f"{where}: it is a block, with names and values."]
    value, wrong = fit(nested, given)
    return value, [problem.replace("config.", f"{where}.", 1) for problem in wrong]


def _several(one: Any, given: Any, where: str) -> tuple[Any, list[str]]:
    blocks = [] if given is None else given if isinstance(given, list) else [given]
    values, wrong = hcl_types.gathered([_block(one.nested, each, f"{where}[{n}]") for n, each in enumerate(blocks)])
    if len(blocks) < one.min_items or (one.max_items and len(blocks) > one.max_items):
        most = f" and at most {one.max_items}" if one.max_items else ""
        wrong = [*wrong, f"{where}: at least {one.min_items}{most} of it, not {len(blocks)}."]
    return values, wrong


def _by_label(nested: Any, given: Any, labels: int, where: str) -> tuple[Any, list[str]]:
    if labels == 0:
        return _block(nested, given, where)
    if not isinstance(given, dict):
        return None, [f"{where}: its blocks are told apart by a label."]
    found = {label: _by_label(nested, inner, labels - 1, f"{where}.{label}") for label, inner in given.items()}
    return {label: value for label, (value, _) in found.items()}, [p for _, more in found.values() for p in more]
