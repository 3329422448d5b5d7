"""Which fields does a resource have in its specification, its first values and its status?

Three views of the same nodes: forProvider (what users set), initProvider (the same, for the creation alone) and
atProvider (what is observed, with everything that is no secret). Raises Unsupported where no view can be made.
"""

from dataclasses import dataclass
from typing import Any

from verification.schemas.crossplane.naming import field_name, secret_name
from verification.schemas.crossplane.options import Choices, ExternalName
from verification.schemas.crossplane.references import beside, can_refer
from verification.schemas.engine.types import Node, Unsupported

Schema = dict[str, Any]
TYPES = {"string": "string", "number": "number", "bool": "boolean"}
ANYTHING = "x-kubernetes-preserve-unknown-fields"
KEYWORD = "terraform"


@dataclass(frozen=True, slots=True)
class View:
    """The properties of the three views at one level of nesting, and which of them must be given."""

    spec: Schema
    init: Schema
    status: Schema


@dataclass(frozen=True, slots=True)
class Maker:
    choices: Choices
    external: ExternalName
    namespaced: bool
    references: tuple[str, ...] = ()

    def is_identifier(self, node: Node) -> bool:
        return node.name in self.external.identifiers

    def is_object(self, node: Node) -> bool:
        """Is an object in Kubernetes: objects, and lists of one where that is chosen. To the generators that do not
        make an object of a block that exists once, it is a list of one."""
        embeds = self.choices.singletons == "object"
        if node.is_single_block:
            return embeds or self.choices.single_blocks == "object"
        return node.kind == "object" or (node.is_singleton and embeds)

    def scalar(self, kind: str) -> Schema:
        if kind == "number" and self.choices.numbers == "integer":
            return {"format": "int64", "type": "integer"}
        return {"type": TYPES[kind]}


def view(make: Maker, nodes: tuple[Node, ...], path: str = "") -> View:
    """The three views of nodes at one level. Each is an object schema."""
    levels: tuple[list[tuple[str, Schema, bool]], ...] = ([], [], [])
    for node in nodes:
        here = f"{path}.{node.name}" if path else node.name
        for level, entry in zip(levels, _entries(make, node, here), strict=True):
            if entry is not None:
                _refuse_twin(level, entry[0], here)
                level.append(entry)
        _refer(make, node, here, levels)
    return View(*(_object(level) for level in levels))


Entry = tuple[str, Schema, bool] | None


def _refer(make: Maker, node: Node, here: str, levels: tuple[list[tuple[str, Schema, bool]], ...]) -> None:
    """Two more fields in the specification and in the first values, where the value is a reference."""
    if here not in make.references or not can_refer(node):
        return
    for level in levels[: 1 if make.is_identifier(node) else 2]:
        for name, schema in beside(node, namespaced=make.namespaced):
            _refuse_twin(level, name, here)
            level.append((name, schema, False))


def _refuse_twin(level: list[tuple[str, Schema, bool]], name: str, where: str) -> None:
    if any(known == name for known, _, _ in level):
        raise Unsupported(f"{where}: another field is named {name} too")


def _object(level: list[tuple[str, Schema, bool]]) -> Schema:
    schema: Schema = {"type": "object"}
    if level:
        schema["properties"] = {name: one for name, one, _ in level}
    required = sorted(name for name, _, must in level if must)
    return schema | ({"required": required} if required else {})


def _entries(make: Maker, node: Node, here: str) -> tuple[Entry, Entry, Entry]:
    """The field in forProvider, initProvider and atProvider: name, schema, whether it must be given."""
    if node.sensitive:
        return _secret(make, node, here)
    name, is_identifier = field_name(node.name), make.is_identifier(node)
    schemas = _schemas(make, node, here)
    told = tuple(_with_words(one, node) if one is not None else None for one in schemas)
    must = is_identifier and not node.optional and here not in make.references
    spec = (name, told[0], must) if told[0] is not None else None
    init = (name, told[1], False) if told[1] is not None and not is_identifier else None
    status = (name, told[2], False) if told[2] is not None else None
    return spec, init, status


def _schemas(make: Maker, node: Node, here: str) -> tuple[Schema | None, Schema | None, Schema | None]:
    if node.children is None:
        one = _plain(make, node, here)
        return (None, None, one) if node.is_observed else (one, one, one)
    inner = view(make, node.children, here)
    spec, init, status = (_around(make, node, one) for one in (inner.spec, inner.init, inner.status))
    if node.is_observed:
        return None, None, status
    return spec, init, (status if "properties" in inner.status else spec)


def _around(make: Maker, node: Node, inner: Schema) -> Schema:
    """The object, or the collection of such objects."""
    if make.is_object(node):
        return inner
    if node.kind == "map":
        return {"type": "object", "additionalProperties": inner}
    return {"type": "array", "items": inner}


def _plain(make: Maker, node: Node, here: str) -> Schema:
    """The schema of what has no named fields: scalars, and collections of what is no object."""
    if node.kind == "dynamic":
        return {ANYTHING: True}
    if node.kind == "tuple":
        raise Unsupported(f"{here}: a tuple has no counterpart in Kubernetes")
    if node.elem is None:
        return make.scalar(node.kind)
    if node.elem.kind in ("dynamic", "tuple"):
        raise Unsupported(f"{here}: {node.kind}({node.elem.kind}) has no counterpart in Kubernetes")
    inner = _schemas(make, node.elem, here)[2]
    schema: Schema = (
        {"type": "object", "additionalProperties": inner} if node.kind == "map" else {"type": "array", "items": inner}
    )
    return schema | _merging(node)


def _merging(node: Node) -> Schema:
    """How server-side apply merges: scalars in sets and maps one by one, everything else as a whole."""
    if node.name and node.elem and node.elem.kind in TYPES:
        marks = {"set": {"x-kubernetes-list-type": "set"}, "map": {"x-kubernetes-map-type": "granular"}}
        return dict(marks.get(node.kind, {}))
    return {}


def _secret(make: Maker, node: Node, here: str) -> tuple[Entry, Entry, Entry]:
    """What is sensitive and observed goes to the connection secret; what is set is a reference to a secret."""
    if node.is_observed:
        return None, None, None
    reference = _reference(make, node, here)
    name = secret_name(node.name)
    is_identifier = make.is_identifier(node)
    spec = (name, reference, is_identifier and not node.optional)
    return spec, (None if is_identifier else (name, reference, not node.optional)), None


def _reference(make: Maker, node: Node, here: str) -> Schema:
    keyed = make.namespaced, True
    if node.children is None and node.kind == "string":
        return _with_words(_selector(*keyed), node)
    if node.elem is not None and node.elem.kind == "string" and node.elem.elem is None:
        if node.kind == "map":
            return _with_words(_selector(make.namespaced, False), node)
        return _with_words({"type": "array", "items": _selector(*keyed)}, node)
    raise Unsupported(f"{here}: {node.type_name} is sensitive; only string, list, set and map of string can be")


def _selector(namespaced: bool, keyed: bool) -> Schema:
    words = {"key": "Key in the secret.", "name": "Name of the secret.", "namespace": "Namespace of the secret."}
    names = [*(["key"] if keyed else []), "name", *([] if namespaced else ["namespace"])]
    properties = {name: {"type": "string", "description": words[name]} for name in names}
    return {"type": "object", "properties": properties, "required": names}


def _with_words(schema: Schema, node: Node) -> Schema:
    words = described(node.description)
    return schema | ({"description": words} if words else {})


def described(text: str) -> str:
    """The description without the sentences that speak of Terraform: whoever reads it does not use Terraform."""
    kept = ".".join(sentence for sentence in text.split(".") if KEYWORD not in sentence.lower())
    return "\n".join(line.strip() for line in kept.strip().splitlines())
