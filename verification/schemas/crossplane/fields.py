"""Fields of a resource in its specification, initial values, and status.

Three views of the same nodes: forProvider (what users set), initProvider (the same, for the creation alone) and
atProvider (what is observed, with everything that is no secret). A field without a counterpart in Kubernetes raises
UnsupportedSchemaError.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from verification.schemas.crossplane.naming import build_field_name, build_secret_name
from verification.schemas.crossplane.options import ExternalName, GeneratorChoices
from verification.schemas.crossplane.references import build_reference_fields, can_refer
from verification.schemas.engine.kubernetes_rules import PRESERVE_UNKNOWN_FIELDS
from verification.schemas.engine.types import Node, UnsupportedSchemaError

Schema = dict[str, object]
JSON_TYPES = {"string": "string", "number": "number", "bool": "boolean"}
TERRAFORM_KEYWORD = "terraform"
Field = tuple[str, Schema, bool]  # name, schema, and whether it is required
View = Literal["spec", "init", "status"]


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


def build_view(builder: FieldBuilder, nodes: tuple[Node, ...], view: View, path: str = "") -> Schema:
    """Return one level of nodes as the object schema of a view."""
    properties: Schema = {}
    required_names = []
    for node in nodes:
        here = f"{path}.{node.name}" if path else node.name
        for name, schema, is_required in _list_fields(builder, node, here, view):
            # Two Terraform names can become one in Kubernetes: vm_1 and vm1 are both vm1.
            if name in properties:
                raise UnsupportedSchemaError(f"{here}: another field is also named {name}")
            properties[name] = schema
            if is_required:
                required_names.append(name)
    parts = {"properties": properties, "required": sorted(required_names)}
    return {"type": "object", **{key: part for key, part in parts.items() if part}}


def _list_fields(builder: FieldBuilder, node: Node, here: str, view: View) -> Iterator[Field]:
    """Yield the fields of a node: its own, and those of its reference."""
    is_identifier = builder.is_identifier(node)
    is_reference = here in builder.references
    # Identifiers aren't among the initial values, because each reconciliation needs them.
    if view == "init" and is_identifier:
        return
    if node.sensitive:
        yield from _list_secret_fields(builder, node, here, view)
    elif view == "status" or not node.is_observed:
        # Other required arguments are rules of the spec: see crd.is_required.
        is_required = view == "spec" and is_identifier and not node.optional and not is_reference
        schema = _add_description(_build_schema(builder, node, here, view), node)
        yield build_field_name(node.name), schema, is_required
    if is_reference and view != "status" and can_refer(node):
        for name, schema in build_reference_fields(node, is_namespaced=builder.is_namespaced):
            yield name, schema, False


def _build_schema(builder: FieldBuilder, node: Node, here: str, view: View) -> Schema:
    if node.children is None:
        return _build_plain_schema(builder, node, here)
    inner = build_view(builder, node.children, view, here)
    if view == "status" and "properties" not in inner and not node.is_observed:
        inner = build_view(builder, node.children, "spec", here)
    return inner if builder.is_object(node) else build_collection(node, inner)


def build_collection(node: Node, inner: Schema) -> Schema:
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
    inner = _build_schema(builder, node.elem, here, "status")
    return build_collection(node, inner) | _build_merge_strategy(node)


def _build_merge_strategy(node: Node) -> Schema:
    """Return the merge strategy of server-side apply: granular for scalars in sets and maps, otherwise atomic."""
    if node.name and node.elem and node.elem.kind in JSON_TYPES:
        marks = {"set": {"x-kubernetes-list-type": "set"}, "map": {"x-kubernetes-map-type": "granular"}}
        return dict(marks.get(node.kind, {}))
    return {}


def _list_secret_fields(builder: FieldBuilder, node: Node, here: str, view: View) -> Iterator[Field]:
    """Yield the secret reference of a sensitive value. Observed values go to the connection secret."""
    if view != "status" and not node.is_observed:
        is_required = not node.optional and (view == "init" or builder.is_identifier(node))
        yield build_secret_name(node.name), _build_reference(builder, node, here), is_required


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
