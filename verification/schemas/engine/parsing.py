"""What stands in the output of `terraform providers schema -json`? Read from bytes, gzipped or not.

Unknown keys are passed over; another major version of the format is refused. Raises Unreadable with a sentence.
"""

from collections.abc import Mapping
from typing import Any

from verification.schemas.engine.file_formats import LARGEST, parsed, unpacked
from verification.schemas.engine.functions import Function, Parameter, type_words
from verification.schemas.engine.types import COLLECTIONS, SCALARS, Node, ProviderSchema, Resource, Unreadable

MAJOR = "1"
DEEPEST = 100
MOST_NUMBER = 2**31


def read(body: bytes, largest: int = LARGEST) -> dict[str, ProviderSchema]:
    """Every provider in the output, by its source address. Raises Unreadable."""
    told = _mapping(parsed(unpacked(body, largest)), "The file")
    version = str(told.get("format_version", ""))
    if version.partition(".")[0] != MAJOR:
        raise Unreadable(f"The format version must be {MAJOR}.x; this file says “{version[:20]}”.")
    found = _mapping(told.get("provider_schemas"), "provider_schemas")
    if not found:
        raise Unreadable("There is no provider in this file: run the command in a folder that requires the provider.")
    return {source: _provider(source, _mapping(one, source)) for source, one in sorted(found.items())}


def read_one(body: bytes, source: str = "") -> ProviderSchema:
    """The only provider in the output, or the one whose address ends with `source`. Raises Unreadable."""
    found = read(body)
    chosen = [schema for address, schema in found.items() if not source or address.endswith(source)]
    if len(chosen) != 1:
        raise Unreadable(f"Say which provider is meant; the file holds {', '.join(found)}.")
    return chosen[0]


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Unreadable(f"{where[:100]}: expected an object.")
    return value


def _provider(source: str, told: Mapping[str, Any]) -> ProviderSchema:
    return ProviderSchema(
        source=source,
        provider=_resource("provider", _mapping(told.get("provider"), "provider")),
        resources=_resources(told, "resource_schemas"),
        data_sources=_resources(told, "data_source_schemas"),
        ephemeral=_resources(told, "ephemeral_resource_schemas"),
        functions=_functions(told),
        lists=_resources(told, "list_resource_schemas"),
        actions=_resources(told, "action_schemas"),
        identities=_identities(told),
    )


def _functions(told: Mapping[str, Any]) -> dict[str, Function]:
    found = _mapping(told.get("functions"), "functions")
    return {name: _function(name, _mapping(one, name)) for name, one in sorted(found.items())}


def _function(name: str, told: Mapping[str, Any]) -> Function:
    variadic = told.get("variadic_parameter")
    given = told.get("parameters") or []
    if not isinstance(given, list):
        raise Unreadable(f"{name[:100]}: expected a list of parameters.")
    return Function(
        name=name,
        returns=type_words(told.get("return_type", "dynamic")),
        parameters=tuple(_parameter(one, name) for one in given),
        variadic=_parameter(variadic, name) if variadic else None,
        deprecation=str(told.get("deprecation_message") or ""),
    )


def _parameter(told: Any, where: str) -> Parameter:
    one = _mapping(told, where)
    return Parameter(str(one.get("name", "")), type_words(one.get("type", "dynamic")), bool(one.get("is_nullable")))


def _identities(told: Mapping[str, Any]) -> dict[str, Resource]:
    """What tells objects apart, as resources whose arguments are those of an import."""
    found = _mapping(told.get("resource_identity_schemas"), "resource_identity_schemas")
    return {name: _identity(name, _mapping(one, name)) for name, one in sorted(found.items())}


def _identity(name: str, told: Mapping[str, Any]) -> Resource:
    nodes = []
    for key, one in sorted(_mapping(told.get("attributes"), name).items()):
        attribute = _mapping(one, f"{name}.{key}")
        flags = _flags(attribute) | {
            "required": bool(attribute.get("required_for_import")),
            "optional": bool(attribute.get("optional_for_import")),
        }
        nodes.append(typed(key, attribute.get("type"), flags, f"{name}.{key}"))
    return Resource(name, tuple(nodes), _number(told, "version"))


def _resources(told: Mapping[str, Any], key: str) -> dict[str, Resource]:
    found = _mapping(told.get(key), key)
    return {name: _resource(name, _mapping(one, name)) for name, one in sorted(found.items())}


def _resource(name: str, told: Mapping[str, Any]) -> Resource:
    block = _mapping(told.get("block"), name)
    return Resource(
        name=name,
        nodes=_nodes(block, name, 0),
        version=_number(told, "version"),
        description=str(block.get("description") or ""),
        deprecated=bool(block.get("deprecated")),
        deprecation=_deprecation(block),
    )


def _nodes(block: Mapping[str, Any], where: str, depth: int) -> tuple[Node, ...]:
    """The nodes of a block, by name."""
    if depth > DEEPEST:
        raise Unreadable(f"{where[:100]}: nested more than {DEEPEST} levels deep.")
    attributes = _mapping(block.get("attributes"), where)
    blocks = _mapping(block.get("block_types"), where)
    nodes = [_attribute(name, _mapping(one, f"{where}.{name}"), where, depth) for name, one in attributes.items()]
    nodes += [_block(name, _mapping(one, f"{where}.{name}"), where, depth) for name, one in blocks.items()]
    return tuple(sorted(nodes, key=lambda node: node.name))


def _flags(told: Mapping[str, Any]) -> dict[str, Any]:
    names = ("optional", "required", "computed", "sensitive", "write_only", "deprecated")
    texts = {"description": str(told.get("description") or ""), "deprecation": _deprecation(told)}
    return {name: bool(told.get(name)) for name in names} | texts


def _deprecation(told: Mapping[str, Any]) -> str:
    """The message; only newer versions of Terraform print one."""
    return str(told.get("deprecation_message") or "")


def _attribute(name: str, told: Mapping[str, Any], where: str, depth: int) -> Node:
    nested = _mapping(told.get("nested_type"), f"{where}.{name}")
    if not nested:
        return typed(name, told.get("type"), _flags(told), f"{where}.{name}", depth)
    mode = _mode(nested, f"{where}.{name}")
    children = _nodes({"attributes": nested.get("attributes")}, f"{where}.{name}", depth + 1)
    return Node(name=name, kind=mode, syntax="nested", children=children, **_items(nested), **_flags(told))


def _block(name: str, told: Mapping[str, Any], where: str, depth: int) -> Node:
    """A block tells no flags: what has no least number is optional, and without a most the provider may add to it."""
    inner = _mapping(told.get("block"), f"{where}.{name}")
    mode = _mode(told, f"{where}.{name}")
    children = _nodes(inner, f"{where}.{name}", depth + 1)
    items = _items(told)
    optional = items["min_items"] == 0
    if mode == "object":
        optional = not _needs(children)
    flags = _flags(inner) | {
        "optional": optional,
        "required": not optional,
        "computed": mode != "object" and optional and not items["max_items"],
    }
    return Node(name=name, kind=mode, syntax="block", children=children, **items, **flags)


def _needs(children: tuple[Node, ...]) -> bool:
    """Must something in the block, or in a block in it, be given? What is inside of attributes does not count, as to
    the generator."""
    return any(_needs(one.children or ()) if one.syntax == "block" else one.required for one in children)


def _items(told: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _number(told, name) for name in ("min_items", "max_items")}


def _number(told: Mapping[str, Any], key: str) -> int:
    value = told.get(key) or 0
    if not isinstance(value, int) or not 0 <= value < MOST_NUMBER:
        raise Unreadable(f"{key}: expected a number, not “{str(value)[:20]}”.")
    return value


def _mode(told: Mapping[str, Any], where: str) -> str:
    mode = told.get("nesting_mode")
    if mode in ("single", "group"):
        return "object"
    if mode not in COLLECTIONS:
        raise Unreadable(f"{where[:100]}: unknown nesting mode “{str(mode)[:20]}”.")
    return str(mode)


def typed(name: str, told: Any, flags: dict[str, Any], where: str, depth: int = 0) -> Node:
    """A node from a type expression: "string", ["list", "string"], ["object", {…}, ["optional names"]]."""
    if depth > DEEPEST:
        raise Unreadable(f"{where[:100]}: nested more than {DEEPEST} levels deep.")
    if told in (*SCALARS, "dynamic"):
        return Node(name=name, kind=str(told), **flags)
    kind, inner = (told[0], told[1]) if isinstance(told, list) and len(told) > 1 else (None, None)
    if kind == "tuple":
        return Node(name=name, kind="tuple", **flags)
    if kind == "object":
        return Node(name=name, kind="object", children=_members(told, flags, where, depth), **flags)
    if kind not in COLLECTIONS:
        raise Unreadable(f"{where[:100]}: unknown type “{str(told)[:40]}”.")
    if isinstance(inner, list) and inner[:1] == ["object"] and len(inner) > 1:
        return Node(name=name, kind=str(kind), children=_members(inner, flags, where, depth), **flags)
    elem = typed("", inner, {"optional": flags["optional"], "computed": flags["computed"]}, where, depth + 1)
    return Node(name=name, kind=str(kind), elem=elem, **flags)


def _members(told: list[Any], flags: Mapping[str, Any], where: str, depth: int) -> tuple[Node, ...]:
    """The attributes of an object type are as optional and as computed as the object."""
    optional = told[2] if len(told) > 2 and isinstance(told[2], list) else []
    nodes = []
    for name, inner in sorted(_mapping(told[1], where).items()):
        inherited = {
            "optional": flags["optional"] or name in optional,
            "computed": flags["computed"],
            "required": bool(flags.get("required")) and name not in optional,
        }
        nodes.append(typed(name, inner, inherited, f"{where}.{name}", depth + 1))
    return tuple(nodes)
