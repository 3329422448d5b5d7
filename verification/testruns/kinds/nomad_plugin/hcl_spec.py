"""Validation of configuration schemas, and of configurations against them, as in Nomad. Pure functions.

A schema is a Spec message of the plugin protocol. A configuration is plain JSON: a block is an object, and repeated
blocks are a list of objects. The evaluation appends what it finds to `problems` and continues.
"""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from portal.core.json_text import clean_json
from portal.core.value_types import JsonObject
from verification.plugins.messages import RuntimeMessage
from verification.testruns.kinds.nomad_plugin import hcl_types

# A plugin can send a schema of 256 MB. Without limits, its nesting would exceed Python's recursion limit.
MAX_DEPTH = 30
MAX_PROBLEMS = 50
MAX_SCHEMA_BYTES = 1024 * 1024
BLOCK_KINDS = ("block_value", "block_list", "block_set", "block_map")


def find_schema_problems(spec: RuntimeMessage) -> list[str]:
    """Return the problems of a schema with their locations. The top level must be an object."""
    # Nomad decodes the configuration into an object by its names.
    if spec.WhichOneof("block") != "object":
        return ["The schema isn't an object, so it has no names."]
    if spec.ByteSize() > MAX_SCHEMA_BYTES:
        return ["The schema is larger than 1 MiB."]
    return list(islice(_find_problems(spec, "config", 0), MAX_PROBLEMS))


def evaluate_config(spec: RuntimeMessage, config: object) -> tuple[JsonObject, list[str]]:
    """Return (values, problems): what Nomad passes to the plugin for a configuration. `spec` must be valid."""
    if not isinstance(config, dict):
        return {}, ["A configuration is an object with names and values."]
    problems: list[str] = []
    return _evaluate_object(spec, config, "config", problems), problems


def _find_problems(spec: RuntimeMessage, where: str, depth: int) -> Iterator[str]:
    kind = spec.WhichOneof("block")
    if kind is None or depth > MAX_DEPTH:
        yield f"{where}: the specification is empty." if kind is None else f"{where}: nested too deeply."
        return
    node = getattr(spec, kind)
    if kind in ("Attr", "block_attrs"):
        yield from _find_attribute_problems(node, where)
    elif kind == "literal":
        yield from _find_literal_problems(node.value, where)
    elif kind in BLOCK_KINDS:
        yield from _find_block_problems(node, kind, where, depth)
    else:
        for name, part in _list_parts(kind, node):
            yield from _find_problems(part, f"{where}{name}", depth + 1)


def _find_attribute_problems(node: RuntimeMessage, where: str) -> Iterator[str]:
    if not node.name:
        yield f"{where}: the name is missing."
    try:
        hcl_types.parse_type(node.type)
    except ValueError as error:
        yield f"{where}: {error}"


def _find_block_problems(node: RuntimeMessage, kind: str, where: str, depth: int) -> Iterator[str]:
    if not node.name:
        yield f"{where}: the name is missing."
    if kind in ("block_list", "block_set") and node.max_items and node.min_items > node.max_items:
        yield f"{where}: the minimum {node.min_items} is larger than the maximum {node.max_items}."
    if kind == "block_map" and not node.labels:
        yield f"{where}: a map of blocks needs a label."
    if not node.HasField("nested"):
        yield f"{where}: the nested specification is missing."
        return
    yield from _find_problems(node.nested, f"{where}.{node.name}", depth + 1)


def _list_parts(kind: str, node: RuntimeMessage) -> list[tuple[str, object]]:
    if kind == "object":
        return [(f".{name}", part) for name, part in sorted(node.attributes.items())]
    if kind == "array":
        return [(f"[{n}]", part) for n, part in enumerate(node.values)]
    return [("", node.primary), (" by default", node.default)]


def _find_literal_problems(text: str, where: str) -> Iterator[str]:
    try:
        _parse_literal(text)
    # The parser raises RecursionError for deeply nested arrays.
    except (ValueError, RecursionError):
        yield f"{where}: “{text[:60]}” isn't a value."


def _parse_literal(text: str) -> object:
    """Return the value of a literal. Raises ValueError and RecursionError."""
    # MessagePack has a limit of levels, and no unpaired surrogates, which JSON can contain.
    return clean_json(json.loads(text), max_depth=MAX_DEPTH)


def _list_names(spec: RuntimeMessage) -> Iterator[str]:
    """Return the names that a configuration can contain at this location."""
    kind = spec.WhichOneof("block")
    node = getattr(spec, kind)
    if kind in ("object", "array", "default"):
        # The default can be another attribute, such as an earlier name of the first one.
        for _, part in _list_parts(kind, node):
            yield from _list_names(part)
    elif kind != "literal":
        yield node.name


def _evaluate_object(spec: RuntimeMessage, config: JsonObject, where: str, problems: list[str]) -> Any:
    known_names = set(_list_names(spec))
    problems += [f"{where}.{name}: the schema has no such attribute." for name in config if name not in known_names]
    return _evaluate(spec, config, where, problems)


def _evaluate(spec: RuntimeMessage, config: JsonObject, where: str, problems: list[str]) -> object:
    kind = spec.WhichOneof("block")
    node = getattr(spec, kind)
    if kind == "object":
        return {name: _evaluate(part, config, where, problems) for name, part in sorted(node.attributes.items())}
    if kind == "array":
        return [_evaluate(part, config, where, problems) for part in node.values]
    if kind == "literal":
        return _parse_literal(node.value)
    if kind == "default":
        # A value that is wrong must not be replaced by the default, which would hide it.
        problem_count = len(problems)
        value = _evaluate(node.primary, config, where, problems)
        is_missing = value is None and len(problems) == problem_count
        return _evaluate(node.default, config, where, problems) if is_missing else value
    return _evaluate_entry(kind, node, config.get(node.name), f"{where}.{node.name}", problems)


def _evaluate_entry(kind: str, node: RuntimeMessage, value: Any, where: str, problems: list[str]) -> object:
    if kind in ("block_list", "block_set"):
        return _evaluate_blocks(node, value, where, problems)
    if kind == "block_map":
        return {} if value is None else _evaluate_labeled_blocks(node.nested, value, len(node.labels), where, problems)
    if value is None:
        if node.required:
            problems.append(f"{where}: this attribute is required.")
        return None
    if kind == "block_value":
        return _evaluate_block(node.nested, value, where, problems)
    value_type = hcl_types.parse_type(node.type)
    if kind == "block_attrs":
        value_type = hcl_types.HclType("map", (value_type,))
    return hcl_types.convert_value(value, value_type, where, problems)


def _evaluate_block(spec: RuntimeMessage, content: object, where: str, problems: list[str]) -> object:
    if not isinstance(content, dict):
        problems.append(f"{where}: expected a block with names and values.")
        return None
    return _evaluate_object(spec, content, where, problems)


def _evaluate_blocks(node: RuntimeMessage, content: object, where: str, problems: list[str]) -> object:
    # In HCL's JSON syntax, a single block needs no list.
    blocks = content if isinstance(content, list) else [content]
    if content is None:
        blocks = []
    values = [_evaluate_block(node.nested, block, f"{where}[{n}]", problems) for n, block in enumerate(blocks)]
    if len(blocks) < node.min_items or (node.max_items and len(blocks) > node.max_items):
        most = f" and at most {node.max_items}" if node.max_items else ""
        problems.append(f"{where}: expected at least {node.min_items}{most}, found {len(blocks)}.")
    return values


def _evaluate_labeled_blocks(
    spec: RuntimeMessage, content: object, label_count: int, where: str, problems: list[str]
) -> object:
    if label_count == 0:
        return _evaluate_block(spec, content, where, problems)
    if not isinstance(content, dict):
        problems.append(f"{where}: the blocks need different labels.")
        return None
    return {
        label: _evaluate_labeled_blocks(spec, block, label_count - 1, f"{where}.{label}", problems)
        for label, block in content.items()
    }
