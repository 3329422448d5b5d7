"""How does a provider's answer read in the form that `terraform providers schema -json` prints? Pure.

As Terraform does it: what is empty or false is left out, the kind of a description never is.
"""

import json
from collections.abc import Iterable
from typing import Any

KINDS = {0: "plain", 1: "markdown"}
NESTING = {1: "single", 2: "list", 3: "set", 4: "map", 5: "group"}
FLAGS = ("required", "optional", "computed", "sensitive", "deprecated", "write_only")
SCHEMAS = ("resource_schemas", "data_source_schemas", "ephemeral_resource_schemas")


class BadSchema(ValueError):
    """The answer holds something that Terraform could not read. The text is a sentence fit to show."""


def document(source: str, answer: Any) -> dict[str, Any]:
    """The whole output, of one provider. Raises BadSchema."""
    return {"format_version": "1.0", "provider_schemas": {source: provider(answer)}}


def provider(answer: Any) -> dict[str, Any]:
    found = {"provider": _schema(answer.provider, "provider")}
    for key in SCHEMAS:
        found[key] = {name: _schema(one, name) for name, one in sorted(getattr(answer, key).items())}
    found["functions"] = {name: _function(one, name) for name, one in sorted(answer.functions.items())}
    return {key: value for key, value in found.items() if value or key == "provider"}


def errors(answer: Any) -> list[str]:
    """What the provider itself says is wrong."""
    return [f"{one.summary}: {one.detail}".rstrip(": ") for one in answer.diagnostics if one.severity == 1]


def _schema(told: Any, where: str) -> dict[str, Any]:
    return {"version": told.version, "block": _block(told.block, where)}


def _block(told: Any, where: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if told.attributes:
        found["attributes"] = _named((one.name, _attribute(one, f"{where}.{one.name}")) for one in told.attributes)
    if told.block_types:
        found["block_types"] = _named(
            (one.type_name, _nested(one, f"{where}.{one.type_name}")) for one in told.block_types
        )
    return found | _described(told) | ({"deprecated": True} if told.deprecated else {})


def _named(pairs: Iterable[tuple[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    return dict(sorted(pairs, key=lambda pair: pair[0]))


def _described(told: Any) -> dict[str, Any]:
    kind = {"description_kind": KINDS.get(told.description_kind, "plain")}
    return {"description": told.description, **kind} if told.description else kind


def _attribute(told: Any, where: str) -> dict[str, Any]:
    has_nested = "nested_type" in told.DESCRIPTOR.fields_by_name and told.HasField("nested_type")
    found = {"nested_type": _object(told.nested_type, where)} if has_nested else {"type": _type(told.type, where)}
    return found | _described(told) | {flag: True for flag in FLAGS if getattr(told, flag)}


def _object(told: Any, where: str) -> dict[str, Any]:
    found: dict[str, Any] = {"nesting_mode": _mode(told, where)}
    if told.attributes:
        found["attributes"] = _named((one.name, _attribute(one, f"{where}.{one.name}")) for one in told.attributes)
    return found


def _nested(told: Any, where: str) -> dict[str, Any]:
    found = {"nesting_mode": _mode(told, where), "block": _block(told.block, where)}
    return found | {key: getattr(told, key) for key in ("min_items", "max_items") if getattr(told, key)}


def _mode(told: Any, where: str) -> str:
    if told.nesting not in NESTING:
        raise BadSchema(f"{where[:100]}: it does not say how it is nested.")
    return NESTING[told.nesting]


def _type(told: bytes, where: str) -> Any:
    try:
        return json.loads(told)
    except (ValueError, RecursionError):
        raise BadSchema(f"{where[:100]}: its type cannot be read.") from None


def _function(told: Any, where: str) -> dict[str, Any]:
    found: dict[str, Any] = {key: getattr(told, key) for key in ("description", "summary", "deprecation_message")}
    found["return_type"] = _type(getattr(told, "return").type, where)
    found["parameters"] = [_parameter(one, where) for one in told.parameters]
    if told.HasField("variadic_parameter"):
        found["variadic_parameter"] = _parameter(told.variadic_parameter, where)
    return {key: value for key, value in found.items() if value}


def _parameter(told: Any, where: str) -> dict[str, Any]:
    found = {"name": told.name, "description": told.description, "is_nullable": told.allow_null_value}
    return {key: value for key, value in found.items() if value} | {"type": _type(told.type, f"{where}({told.name})")}
