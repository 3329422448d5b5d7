"""Example objects of a provider: the secret with its credentials, its configurations, and a minimal resource each."""

import json
from collections.abc import Iterator

from portal.core.value_types import JsonObject
from verification.schemas.crossplane.crd import is_required, list_generated_nodes
from verification.schemas.crossplane.fields import FieldBuilder
from verification.schemas.crossplane.naming import GroupKind, build_field_name, build_secret_name
from verification.schemas.crossplane.options import GeneratorChoices
from verification.schemas.crossplane.provider_config import API_VERSION, CLUSTER_CONFIG, CONFIG
from verification.schemas.crossplane.references import build_reference_fields, can_refer
from verification.schemas.engine.types import Node, Resource

NAME = "example"
NAMESPACE = "default"
SYSTEM_NAMESPACE = "crossplane-system"
SECRET_KEY = "credentials"  # noqa: S105 a name
SCALARS = {"number": 1, "bool": True}  # other values are text


def build_provider_examples(provider: Resource, choices: GeneratorChoices) -> Iterator[JsonObject]:
    """Yield the secret, and the configurations that resources use by default."""
    secret = f"{choices.category}-credentials"
    values = {node.name: NAME for node in provider.arguments if node.required or node.sensitive}
    yield {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": secret, "namespace": SYSTEM_NAMESPACE},
        "stringData": {SECRET_KEY: json.dumps(values, sort_keys=True)},
        "type": "Opaque",
    }
    reference = {"name": secret, "namespace": SYSTEM_NAMESPACE, "key": SECRET_KEY}
    for is_namespaced in choices.scopes:
        yield {
            "apiVersion": f"{choices.build_group_name('', is_namespaced=is_namespaced)}/{API_VERSION}",
            # What the definitions of namespaced resources refer to by default.
            "kind": CLUSTER_CONFIG if is_namespaced else CONFIG,
            "metadata": {"name": "default"},
            "spec": {"credentials": {"source": "Secret", "secretRef": reference}},
        }


def build_example(
    resource: Resource, group_kind: GroupKind, choices: GeneratorChoices, *, is_namespaced: bool
) -> JsonObject:
    """Return an object with the required arguments."""
    builder = FieldBuilder(choices, resource.name, is_namespaced)
    group = choices.build_group_name(group_kind.group, is_namespaced=is_namespaced)
    return {
        "apiVersion": f"{group}/{choices.api_version}",
        "kind": group_kind.kind,
        "metadata": {"name": NAME} | ({"namespace": NAMESPACE} if is_namespaced else {}),
        "spec": {"forProvider": _build_values(builder, list_generated_nodes(resource, choices), "")},
    }


def _build_values(builder: FieldBuilder, nodes: tuple[Node, ...], path: str) -> JsonObject:
    values: JsonObject = {}
    for node in nodes:
        here = f"{path}.{node.name}" if path else node.name
        # A nested block has no flag: its minimum says that it is required.
        if not (node.required or node.min_items or builder.is_identifier(node) or is_required(builder, node)):
            continue
        if here in builder.references and can_refer(node):
            name, schema = build_reference_fields(node, is_namespaced=builder.is_namespaced)[0]
            values[name] = [{"name": NAME}] if schema.get("type") == "array" else {"name": NAME}
        elif node.sensitive:
            values[build_secret_name(node.name)] = _build_secret_reference(builder, node)
        else:
            values[build_field_name(node.name)] = _build_value(builder, node, here)
    return values


def _build_secret_reference(builder: FieldBuilder, node: Node) -> object:
    reference = {"name": NAME} | ({} if builder.is_namespaced else {"namespace": NAMESPACE})
    if node.kind == "map":
        return reference
    reference["key"] = build_field_name(node.name)
    return reference if node.kind == "string" else [reference]


def _build_value(builder: FieldBuilder, node: Node, here: str) -> object:
    if node.children is not None:
        value: object = _build_values(builder, node.children, here)
        if builder.is_object(node):
            return value
    elif node.elem is None:
        return SCALARS.get(node.kind, NAME)
    else:
        value = _build_value(builder, node.elem, here)
    return {NAME: value} if node.kind == "map" else [value]
