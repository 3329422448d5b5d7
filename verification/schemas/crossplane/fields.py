"""Fields of a resource in its specification, initial values, and status.

Three views of the same nodes: forProvider (what users set), initProvider (the same, for the creation alone) and
atProvider (what is observed, with everything that is no secret). A field without a counterpart in Kubernetes raises
UnsupportedSchemaError.
"""

from dataclasses import dataclass
from typing import NamedTuple

from verification.schemas.crossplane.naming import build_field_name, build_secret_name
from verification.schemas.crossplane.options import ExternalName, GeneratorChoices
from verification.schemas.crossplane.references import build_reference_fields, can_refer
from verification.schemas.engine.object_rules import PRESERVE_UNKNOWN_FIELDS
from verification.schemas.engine.types import Node, UnsupportedSchemaError

Schema = dict[str, object]
JSON_TYPES = {"string": "string", "number": "number", "bool": "boolean"}
TERRAFORM_KEYWORD = "terraform"
Entry = tuple[str, Schema, bool]  # name, schema, and whether it is required
Level = list[Entry]
Entries = tuple[Entry | None, Entry | None, Entry | None]


class FieldViews(NamedTuple):
    """Object schemas of the three views at one level of nesting."""

    spec: Schema
    init: Schema
    status: Schema


@dataclass(frozen=True, slots=True)
class FieldBuilder:
    """Options of the generator for the fields of one resource in one scope."""

    choices: GeneratorChoices
    resource_name: str
    is_namespaced: bool

    @property
    def external(self) -> ExternalName:
        return self.choices.get_external_name(self.resource_name)

    @property
    def references(self) -> tuple[str, ...]:
        return self.choices.references.get(self.resource_name, ())

    def is_identifier(self, node: Node) -> bool:
        return node.name in self.external.identifiers

    def is_object(self, node: Node) -> bool:
        """Return whether a node is an object in Kubernetes, not a list of one."""
        embeds = self.choices.singletons == "object"
        if node.is_single_block:
            return embeds or self.choices.single_blocks == "object"
        return node.kind == "object" or (node.is_singleton and embeds)


def build_views(builder: FieldBuilder, nodes: tuple[Node, ...], path: str = "") -> FieldViews:
    """Return the three views of nodes at one level as object schemas."""
    levels: tuple[Level, ...] = ([], [], [])
    for node in nodes:
        here = f"{path}.{node.name}" if path else node.name
        for level, entry in zip(levels, _build_entries(builder, node, here), strict=True):
            if entry is not None:
                # Two Terraform names can become one in Kubernetes: vm_1 and vm1 are both vm1.
                _require_unique_name(level, entry[0], here)
                level.append(entry)
        _add_references(builder, node, here, levels)
    return FieldViews(*(_build_object(level) for level in levels))


def _add_references(builder: FieldBuilder, node: Node, here: str, levels: tuple[Level, ...]) -> None:
    """Add the reference and selector fields of a reference to the spec and the initial values."""
    if here not in builder.references or not can_refer(node):
        return
    # Identifiers aren't among the initial values, because each reconciliation needs them.
    for level in levels[: 1 if builder.is_identifier(node) else 2]:
        for name, schema in build_reference_fields(node, is_namespaced=builder.is_namespaced):
            _require_unique_name(level, name, here)
            level.append((name, schema, False))


def _require_unique_name(level: Level, name: str, where: str) -> None:
    if any(existing_name == name for existing_name, _, _ in level):
        raise UnsupportedSchemaError(f"{where}: another field is also named {name}")


def _build_object(level: Level) -> Schema:
    schema: Schema = {"type": "object"}
    if level:
        schema["properties"] = {name: property_schema for name, property_schema, _ in level}
    required_names = sorted(name for name, _, is_required in level if is_required)
    return schema | ({"required": required_names} if required_names else {})


def _build_entries(builder: FieldBuilder, node: Node, here: str) -> Entries:
    """Return a field as in forProvider, initProvider, and atProvider."""
    if node.sensitive:
        return _build_secret_entries(builder, node, here)
    name, is_identifier = build_field_name(node.name), builder.is_identifier(node)
    # Other required arguments are rules of the spec: see crd.build_rules.
    is_required = is_identifier and not node.optional and here not in builder.references
    spec, init, status = (
        (name, _add_description(schema_part, node), is_required and view == "spec") if schema_part is not None else None
        for view, schema_part in zip(("spec", "init", "status"), _build_schemas(builder, node, here), strict=True)
    )
    return spec, None if is_identifier else init, status


def _build_schemas(builder: FieldBuilder, node: Node, here: str) -> tuple[Schema | None, Schema | None, Schema | None]:
    if node.children is None:
        schema_part = _build_plain_schema(builder, node, here)
        return (None, None, schema_part) if node.is_observed else (schema_part, schema_part, schema_part)
    inner = build_views(builder, node.children, here)
    spec, init, status = inner if builder.is_object(node) else (build_collection(node, view) for view in inner)
    if node.is_observed:
        return None, None, status
    return spec, init, (status if "properties" in inner.status else spec)


def build_collection(node: Node, inner: Schema | None) -> Schema:
    if node.kind == "map":
        return {"type": "object", "additionalProperties": inner}
    return {"type": "array", "items": inner}


def _build_plain_schema(builder: FieldBuilder, node: Node, here: str) -> Schema:
    """Return the schema of a scalar or a collection of scalars."""
    # Terraform's dynamic values can have any type, and Kubernetes needs one for everything else.
    if node.kind == "dynamic":
        return {PRESERVE_UNKNOWN_FIELDS: True}
    if node.kind == "tuple":
        raise UnsupportedSchemaError(f"{here}: a tuple has no counterpart in Kubernetes")
    # A JSON schema doesn't say which numbers are whole. Generators that read Go code know it, and most are.
    if node.kind == "number" and builder.choices.numbers == "integer":
        return {"format": "int64", "type": "integer"}
    if node.elem is None:
        return {"type": JSON_TYPES[node.kind]}
    if node.elem.kind in ("dynamic", "tuple"):
        raise UnsupportedSchemaError(f"{here}: {node.kind}({node.elem.kind}) has no counterpart in Kubernetes")
    # The last view has the elements of observed collections, too.
    inner = _build_schemas(builder, node.elem, here)[2]
    return build_collection(node, inner) | _build_merge_strategy(node)


def _build_merge_strategy(node: Node) -> Schema:
    """Return the merge strategy of server-side apply: granular for scalars in sets and maps, otherwise atomic."""
    if node.name and node.elem and node.elem.kind in JSON_TYPES:
        marks = {"set": {"x-kubernetes-list-type": "set"}, "map": {"x-kubernetes-map-type": "granular"}}
        return dict(marks.get(node.kind, {}))
    return {}


def _build_secret_entries(builder: FieldBuilder, node: Node, here: str) -> Entries:
    """Return the secret reference of a sensitive value. Observed values go to the connection secret."""
    if node.is_observed:
        return None, None, None
    reference = _build_reference(builder, node, here)
    name = build_secret_name(node.name)
    is_identifier = builder.is_identifier(node)
    spec = (name, reference, is_identifier and not node.optional)
    return spec, (None if is_identifier else (name, reference, not node.optional)), None


def _build_reference(builder: FieldBuilder, node: Node, here: str) -> Schema:
    selector = _build_selector(builder.is_namespaced, has_key=node.kind != "map")
    if node.children is None and node.kind == "string":
        return _add_description(selector, node)
    if node.elem is not None and node.elem.kind == "string" and node.elem.elem is None:
        return _add_description(selector if node.kind == "map" else {"type": "array", "items": selector}, node)
    raise UnsupportedSchemaError(
        f"{here}: {node.type_name} is sensitive; only string, list, set, and map of string can be"
    )


def _build_selector(is_namespaced: bool, *, has_key: bool) -> Schema:
    words = {"key": "Key in the secret.", "name": "Name of the secret.", "namespace": "Namespace of the secret."}
    names = [*(["key"] if has_key else []), "name", *([] if is_namespaced else ["namespace"])]
    properties = {name: {"type": "string", "description": words[name]} for name in names}
    return {"type": "object", "properties": properties, "required": names}


def _add_description(schema: Schema, node: Node) -> Schema:
    description = clean_description(node.description)
    return schema | ({"description": description} if description else {})


def clean_description(text: str) -> str:
    """Remove sentences that mention Terraform, which Crossplane users don't use, from a description."""
    remaining_text = ".".join(sentence for sentence in text.split(".") if TERRAFORM_KEYWORD not in sentence.lower())
    return "\n".join(line.strip() for line in remaining_text.strip().splitlines())
