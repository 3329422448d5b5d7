"""Parser of the output of `terraform providers schema -json`, plain or gzipped.

Unknown keys are ignored; another major version of the format is refused.
"""

import json
import re
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any, TypeVar

from portal.core.value_types import JsonObject, NamedValues
from verification.schemas.engine.functions import Function, Parameter, format_type
from verification.schemas.engine.types import COLLECTIONS, SCALARS, Node, ParsedSchema, Resource, SchemaParseError
from verification.sources.http.decoding import PIECE_BYTES, Decoder, DecodingError

Entry = TypeVar("Entry")
FORMAT_MAJOR_VERSION = "1"
MAX_DEPTH = 100
MAX_NUMBER = 2**31
MAX_SCHEMA_BYTES = 200 * 1024 * 1024  # uncompressed; the schema of the largest known provider is 14 MB
GZIP_MAGIC = b"\x1f\x8b"
# An escaped half of a surrogate pair: without the other half, the text can't be encoded.
SURROGATE_PATTERN = re.compile(r"\\u[dD][89a-fA-F]")


def unpack(body: bytes, max_bytes: int = MAX_SCHEMA_BYTES) -> bytes:
    """Decompress gzip data; return other data unchanged. Raises SchemaParseError above `max_bytes`."""
    if body[:2] == GZIP_MAGIC:
        body = _gunzip(body, max_bytes)
    if len(body) > max_bytes:
        raise SchemaParseError(f"The schema is larger than {max_bytes // 1024 // 1024} MB.")
    return body


def _gunzip(body: bytes, max_bytes: int) -> bytes:
    """Decompress gzip data until it exceeds the limit. Padding after it is ignored, as in responses."""
    decoder = Decoder("gzip", is_gzip_allowed=True)
    stream = BytesIO(body)
    content = bytearray()
    try:
        # One byte more than the limit shows that it is exceeded, however much would follow.
        while len(content) <= max_bytes and (chunk := stream.read(PIECE_BYTES)):
            for piece in decoder.feed(chunk, max_bytes + 1 - len(content)):
                content += piece
    except DecodingError as error:
        raise SchemaParseError("Can't decompress the gzip file.") from error
    try:
        if len(content) <= max_bytes:
            decoder.finish()
    except DecodingError as error:
        raise SchemaParseError("The gzip file is incomplete.") from error
    return bytes(content)


def parse_json(body: bytes) -> JsonObject:
    """Parse JSON in UTF-8, or in UTF-16 from PowerShell. Raises SchemaParseError."""
    try:
        text = body.decode(json.detect_encoding(body))
        document = json.loads(text)
        if SURROGATE_PATTERN.search(text):
            json.dumps(document, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise SchemaParseError(
            "The file isn't valid JSON. Use the output of “terraform providers schema -json”."
        ) from error
    return document


def parse_schemas(body: bytes, max_bytes: int = MAX_SCHEMA_BYTES) -> dict[str, ParsedSchema]:
    """Parse all providers in the output by source address. Raises SchemaParseError."""
    document = parse_json(unpack(body, max_bytes))
    try:
        return _parse_providers(_require_mapping(document, "The file"))
    # Types of functions have no limit of levels, and some versions of Python parse JSON that nests deeper than calls.
    except RecursionError as error:
        raise SchemaParseError("The schema is nested too deeply.") from error


def _parse_providers(data: Mapping[str, object]) -> dict[str, ParsedSchema]:
    version = str(data.get("format_version", ""))
    if version.partition(".")[0] != FORMAT_MAJOR_VERSION:
        raise SchemaParseError(
            f"The format version must be {FORMAT_MAJOR_VERSION}.x, but the file has “{version[:20]}”."
        )
    providers = _require_mapping(data.get("provider_schemas"), "provider_schemas")
    if not providers:
        raise SchemaParseError("The file contains no provider. Run the command in a folder that requires the provider.")
    return {
        source: _parse_provider(source, _require_mapping(entry, source)) for source, entry in sorted(providers.items())
    }


def parse_schema(body: bytes, source: str = "") -> ParsedSchema:
    """Parse the only provider, or the one whose address ends with `source`. Raises SchemaParseError."""
    schemas = parse_schemas(body)
    # People write acme/anvil, and addresses in the file begin with the registry.
    matches = [schema for address, schema in schemas.items() if not source or address.endswith(source)]
    if len(matches) != 1:
        raise SchemaParseError(f"Specify a provider. The file contains {', '.join(schemas)}.")
    return matches[0]


def _require_mapping(value: object, where: str) -> Mapping[str, object]:
    # Terraform omits empty objects, and some tools write null for them.
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise SchemaParseError(f"{where[:100]}: expected an object.")
    return value


def _parse_provider(source: str, data: Mapping[str, object]) -> ParsedSchema:
    return ParsedSchema(
        source=source,
        provider=_parse_resource("provider", _require_mapping(data.get("provider"), "provider")),
        resources=_parse_entries(data, "resource_schemas", _parse_resource),
        data_sources=_parse_entries(data, "data_source_schemas", _parse_resource),
        ephemeral=_parse_entries(data, "ephemeral_resource_schemas", _parse_resource),
        functions=_parse_entries(data, "functions", _parse_function),
        lists=_parse_entries(data, "list_resource_schemas", _parse_resource),
        actions=_parse_entries(data, "action_schemas", _parse_resource),
        identities=_parse_entries(data, "resource_identity_schemas", _parse_identity),
    )


def _parse_entries(
    data: Mapping[str, object], key: str, parse: Callable[[str, Mapping[str, object]], Entry]
) -> dict[str, Entry]:
    """Parse the named entries under a key, ordered by name."""
    entries = _require_mapping(data.get(key), key)
    return {name: parse(name, _require_mapping(entry, name)) for name, entry in sorted(entries.items())}


def _parse_function(name: str, data: Mapping[str, object]) -> Function:
    variadic = data.get("variadic_parameter")
    parameters = data.get("parameters") or []
    if not isinstance(parameters, list):
        raise SchemaParseError(f"{name[:100]}: expected a list of parameters.")
    return Function(
        name=name,
        returns=format_type(data.get("return_type", "dynamic")),
        parameters=tuple(_parse_parameter(parameter, name) for parameter in parameters),
        variadic=_parse_parameter(variadic, name) if variadic else None,
        deprecation=str(data.get("deprecation_message") or ""),
    )


def _parse_parameter(data: object, where: str) -> Parameter:
    parameter = _require_mapping(data, where)
    return Parameter(
        str(parameter.get("name", "")),
        format_type(parameter.get("type", "dynamic")),
        bool(parameter.get("is_nullable")),
    )


def _parse_identity(name: str, data: Mapping[str, object]) -> Resource:
    """Parse a resource identity, whose arguments are those of an import."""
    nodes = []
    for key, entry in sorted(_require_mapping(data.get("attributes"), name).items()):
        attribute = _require_mapping(entry, f"{name}.{key}")
        flags = _parse_flags(attribute) | {
            "required": bool(attribute.get("required_for_import")),
            "optional": bool(attribute.get("optional_for_import")),
        }
        nodes.append(parse_type(key, attribute.get("type"), flags, f"{name}.{key}"))
    return Resource(name, tuple(nodes), _parse_number(data, "version"))


def _parse_resource(name: str, data: Mapping[str, object]) -> Resource:
    block = _require_mapping(data.get("block"), name)
    flags = _parse_flags(block)
    texts = {key: flags[key] for key in ("description", "deprecated", "deprecation")}
    return Resource(name, _parse_nodes(block, name, 0), _parse_number(data, "version"), **texts)


def _parse_nodes(block: Mapping[str, object], where: str, depth: int) -> tuple[Node, ...]:
    """Parse the nodes of a block, ordered by name."""
    _require_depth(depth, where)
    nodes = []
    for key, parse in (("attributes", _parse_attribute), ("block_types", _parse_block)):
        for name, entry in _require_mapping(block.get(key), where).items():
            here = f"{where}.{name}"
            nodes.append(parse(name, _require_mapping(entry, here), here, depth))
    return tuple(sorted(nodes, key=lambda node: node.name))


def _require_depth(depth: int, where: str) -> None:
    if depth > MAX_DEPTH:
        raise SchemaParseError(f"{where[:100]}: nested more than {MAX_DEPTH} levels deep.")


def _parse_flags(data: Mapping[str, object]) -> NamedValues:
    names = ("optional", "required", "computed", "sensitive", "write_only", "deprecated")
    # Only newer versions of Terraform print the deprecation message.
    keys = {"description": "description", "deprecation": "deprecation_message"}
    texts = {name: str(data.get(key) or "") for name, key in keys.items()}
    return {name: bool(data.get(name)) for name in names} | texts


def _parse_attribute(name: str, data: Mapping[str, object], where: str, depth: int) -> Node:
    nested_type = _require_mapping(data.get("nested_type"), where)
    if not nested_type:
        return parse_type(name, data.get("type"), _parse_flags(data), where, depth)
    mode = _parse_mode(nested_type, where)
    items = _parse_item_limits(nested_type)
    children = _parse_nodes({"attributes": nested_type.get("attributes")}, where, depth + 1)
    return Node(name=name, kind=mode, syntax="nested", children=children, **items, **_parse_flags(data))


def _parse_block(name: str, data: Mapping[str, object], where: str, depth: int) -> Node:
    """Parse a nested block. Blocks have no flags: without a minimum, they are optional; without a maximum, computed."""
    inner = _require_mapping(data.get("block"), where)
    mode = _parse_mode(data, where)
    children = _parse_nodes(inner, where, depth + 1)
    items = _parse_item_limits(data)
    optional = items["min_items"] == 0
    if mode == "object":
        # A single block has no minimum, so the generator requires it if it contains a required argument.
        optional = not _has_required(children)
    flags = _parse_flags(inner) | {
        "optional": optional,
        "required": not optional,
        "computed": mode != "object" and optional and not items["max_items"],
    }
    return Node(name=name, kind=mode, syntax="block", children=children, **items, **flags)


def _has_required(children: tuple[Node, ...]) -> bool:
    """Return whether the block, or a block in it, has a required argument. As for the generator, members of attributes
    do not count.
    """
    return any(_has_required(child.children or ()) if child.syntax == "block" else child.required for child in children)


def _parse_item_limits(data: Mapping[str, object]) -> NamedValues:
    return {name: _parse_number(data, name) for name in ("min_items", "max_items")}


def _parse_number(data: Mapping[str, object], key: str) -> int:
    value = data.get(key) or 0
    if not isinstance(value, int) or not 0 <= value < MAX_NUMBER:
        raise SchemaParseError(f"{key}: expected a number, not “{str(value)[:20]}”.")
    return value


def _parse_mode(data: Mapping[str, object], where: str) -> str:
    mode = data.get("nesting_mode")
    # The two differ only in the value of a missing block, which a schema comparison doesn't see.
    if mode in ("single", "group"):
        return "object"
    if mode not in COLLECTIONS:
        raise SchemaParseError(f"{where[:100]}: unknown nesting mode “{str(mode)[:20]}”.")
    return str(mode)


def parse_type(name: str, type_expression: Any, flags: JsonObject, where: str, depth: int = 0) -> Node:
    """Parse a type expression: "string", ["list", "string"], ["object", {…}, ["optional names"]]."""
    _require_depth(depth, where)
    if type_expression in (*SCALARS, "dynamic"):
        return Node(name=name, kind=str(type_expression), **flags)
    is_compound = isinstance(type_expression, list) and len(type_expression) > 1
    kind, inner = type_expression[:2] if is_compound else (None, None)
    # A tuple's elements have types of their own, which nothing here needs: it has no counterpart in Kubernetes.
    if kind == "tuple":
        return Node(name=name, kind="tuple", **flags)
    if kind == "object":
        return Node(name=name, kind="object", children=_parse_members(type_expression, flags, where, depth), **flags)
    if kind not in COLLECTIONS:
        raise SchemaParseError(f"{where[:100]}: unknown type “{str(type_expression)[:40]}”.")
    if isinstance(inner, list) and inner[:1] == ["object"] and len(inner) > 1:
        return Node(name=name, kind=str(kind), children=_parse_members(inner, flags, where, depth), **flags)
    elem = parse_type("", inner, {"optional": flags["optional"], "computed": flags["computed"]}, where, depth + 1)
    return Node(name=name, kind=str(kind), elem=elem, **flags)


def _parse_members(
    type_expression: list[object], flags: Mapping[str, object], where: str, depth: int
) -> tuple[Node, ...]:
    """Parse the attributes of an object type, which inherit the flags of the object."""
    optional = type_expression[2] if len(type_expression) > 2 and isinstance(type_expression[2], list) else []
    nodes = []
    for name, inner in sorted(_require_mapping(type_expression[1], where).items()):
        member_flags = {
            "optional": flags["optional"] or name in optional,
            "computed": flags["computed"],
            "required": bool(flags.get("required")) and name not in optional,
        }
        nodes.append(parse_type(name, inner, member_flags, f"{where}.{name}", depth + 1))
    return tuple(nodes)
