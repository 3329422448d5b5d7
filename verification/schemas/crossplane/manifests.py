"""Validation of a manifest against its definition, and of a Terraform value against its schema."""

from collections.abc import Iterator, Sequence
from itertools import chain

from portal.core.value_types import JsonObject
from verification.schemas.crossplane.crd import get_spec_name, is_required
from verification.schemas.crossplane.fields import JSON_TYPES, build_collection
from verification.schemas.crossplane.managed_resource import ManagedResourceCodec
from verification.schemas.engine.kubernetes_rules import PRESERVE_UNKNOWN_FIELDS, ObjectProblem, list_problems
from verification.schemas.engine.types import Node

TEXT: JsonObject = {"type": "string"}
METADATA: JsonObject = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": TEXT, "annotations": {"type": "object", "additionalProperties": TEXT}},
    PRESERVE_UNKNOWN_FIELDS: True,
}


def find_manifest_problems(
    codec: ManagedResourceCodec, definitions: Sequence[JsonObject], manifest: JsonObject
) -> list[ObjectProblem]:
    """Return what the API server of Kubernetes would refuse. The API version selects one of the definitions."""
    by_version = {
        # Generated definitions have one version.
        f"{definition['spec']['group']}/{definition['spec']['versions'][0]['name']}": definition
        for definition in definitions
    }
    head = {
        "apiVersion": TEXT | {"enum": list(by_version)},
        "kind": TEXT | {"enum": [definitions[0]["spec"]["names"]["kind"]]},
        "metadata": METADATA,
    }
    head_schema = {"type": "object", "required": [*head, "spec"], "properties": head, PRESERVE_UNKNOWN_FIELDS: True}
    # The API version selects the definition, so the rest can't be checked without it.
    if problems := list_problems(head_schema, manifest):
        return problems
    schema = by_version[manifest["apiVersion"]]["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    problems = list_problems(schema | {"properties": schema["properties"] | head}, manifest)
    return problems or list(_find_missing_arguments(codec, manifest["spec"]))


def _find_missing_arguments(codec: ManagedResourceCodec, spec: JsonObject) -> Iterator[ObjectProblem]:
    """Yield the arguments that the rules of the definition require."""
    # The same condition as in the CEL rules of the definition, which the portal has no interpreter for at run time.
    if {"*", "Create", "Update"}.isdisjoint(spec.get("managementPolicies", ["*"])):
        return
    for node in codec.nodes:
        names = chain(spec["forProvider"], () if node.sensitive else spec.get("initProvider", ()))
        if is_required(codec.builder, node) and get_spec_name(node) not in names:
            yield ObjectProblem(f"spec.forProvider.{get_spec_name(node)}", "missing")


def build_state_schema(nodes: tuple[Node, ...]) -> JsonObject:
    """Return a schema of Terraform values. Sensitive ones may have any type, because they are never read."""
    return {
        "type": "object",
        "properties": {node.name: _build_value_schema(node) | {"nullable": True} for node in nodes},
    }


def _build_value_schema(node: Node) -> JsonObject:
    if node.sensitive or node.kind in ("dynamic", "tuple"):
        return {}
    if node.elem is not None:
        return build_collection(node, _build_value_schema(node.elem))
    if node.children is None:
        return {"type": JSON_TYPES[node.kind], "nullable": True}
    inner = build_state_schema(node.children)
    return inner if node.kind == "object" else build_collection(node, inner)
