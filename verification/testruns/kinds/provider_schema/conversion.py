"""Conversion of a provider's response to the format of `terraform providers schema -json`. Pure functions.

As in Terraform, empty and false values are omitted, except the kind of a description.
"""

import json
from operator import attrgetter

from portal.core.value_types import JsonObject
from verification.plugins.messages import RuntimeMessage

DESCRIPTION_KINDS = {0: "plain", 1: "markdown"}
NESTING_MODES = {1: "single", 2: "list", 3: "set", 4: "map", 5: "group"}
ATTRIBUTE_FLAGS = ("required", "optional", "computed", "sensitive", "deprecated", "write_only")
SCHEMA_KEYS = ("resource_schemas", "data_source_schemas", "ephemeral_resource_schemas")


class ProviderSchemaError(ValueError):
    """Terraform could not read the response. The message is safe to display."""


def build_document(source: str, response: RuntimeMessage) -> JsonObject:
    """Return the document for one provider. Raises ProviderSchemaError."""
    provider = {"provider": _convert_schema(response.provider, "provider")}
    for key in SCHEMA_KEYS:
        provider[key] = {name: _convert_schema(entry, name) for name, entry in sorted(getattr(response, key).items())}
    provider["functions"] = {
        name: _convert_function(function, name) for name, function in sorted(response.functions.items())
    }
    provider = {key: value for key, value in provider.items() if value}
    return {"format_version": "1.0", "provider_schemas": {source: provider}}


def list_errors(response: RuntimeMessage) -> list[str]:
    """Return the errors that the provider reports."""
    return [
        f"{diagnostic.summary}: {diagnostic.detail}".rstrip(": ")
        for diagnostic in response.diagnostics
        # Warnings have severity 2. Terraform reads the schema despite them.
        if diagnostic.severity == 1
    ]


def _convert_schema(schema: RuntimeMessage, where: str) -> dict[str, object]:
    return {"version": schema.version, "block": _convert_block(schema.block, where)}


def _convert_block(block: RuntimeMessage, where: str) -> dict[str, object]:
    document = _convert_attributes(block, where)
    if block.block_types:
        document["block_types"] = {
            nested_block.type_name: _convert_nested_block(nested_block, f"{where}.{nested_block.type_name}")
            for nested_block in sorted(block.block_types, key=attrgetter("type_name"))
        }
    return document | _convert_description(block) | ({"deprecated": True} if block.deprecated else {})


def _convert_attributes(message: RuntimeMessage, where: str) -> JsonObject:
    # Names are sorted in Terraform's JSON, and the protocol defines no order.
    attributes = sorted(message.attributes, key=attrgetter("name"))
    document = {attribute.name: _convert_attribute(attribute, f"{where}.{attribute.name}") for attribute in attributes}
    return {"attributes": document} if document else {}


def _convert_description(message: RuntimeMessage) -> JsonObject:
    kind = {"description_kind": DESCRIPTION_KINDS.get(message.description_kind, "plain")}
    return {"description": message.description, **kind} if message.description else kind


def _convert_attribute(attribute: RuntimeMessage, where: str) -> dict[str, object]:
    flags = {flag: True for flag in ATTRIBUTE_FLAGS if getattr(attribute, flag)}
    document: JsonObject
    # Protocol 5 has no nested attributes, and HasField() raises an error for a field that doesn't exist.
    if "nested_type" in attribute.DESCRIPTOR.fields_by_name and attribute.HasField("nested_type"):
        nested = attribute.nested_type
        nesting_mode = {"nesting_mode": _get_nesting_mode(nested, where)}
        document = {"nested_type": nesting_mode | _convert_attributes(nested, where)}
    else:
        document = {"type": _parse_type(attribute.type, where)}
    return document | _convert_description(attribute) | flags


def _convert_nested_block(nested_block: RuntimeMessage, where: str) -> dict[str, object]:
    nesting_mode = _get_nesting_mode(nested_block, where)
    block = _convert_block(nested_block.block, where)
    limits = {key: value for key in ("min_items", "max_items") if (value := getattr(nested_block, key))}
    return {"nesting_mode": nesting_mode, "block": block, **limits}


def _get_nesting_mode(message: RuntimeMessage, where: str) -> str:
    if message.nesting not in NESTING_MODES:
        raise ProviderSchemaError(f"{where[:100]}: the nesting mode is missing.")
    return NESTING_MODES[message.nesting]


def _parse_type(type_json: bytes, where: str) -> object:
    try:
        return json.loads(type_json)
    except (ValueError, RecursionError):
        raise ProviderSchemaError(f"{where[:100]}: the type can't be read.") from None


def _convert_function(function: RuntimeMessage, where: str) -> dict[str, object]:
    document: JsonObject = {key: getattr(function, key) for key in ("description", "summary", "deprecation_message")}
    document["return_type"] = _parse_type(getattr(function, "return").type, where)
    document["parameters"] = [_convert_parameter(parameter, where) for parameter in function.parameters]
    if function.HasField("variadic_parameter"):
        document["variadic_parameter"] = _convert_parameter(function.variadic_parameter, where)
    return {key: value for key, value in document.items() if value}


def _convert_parameter(parameter: RuntimeMessage, where: str) -> dict[str, object]:
    document = {"name": parameter.name, "description": parameter.description, "is_nullable": parameter.allow_null_value}
    return {key: value for key, value in document.items() if value} | {
        "type": _parse_type(parameter.type, f"{where}({parameter.name})")
    }
