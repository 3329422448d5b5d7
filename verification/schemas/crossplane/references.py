"""References between resources: the two fields that the generator adds for a value that is a reference.

A schema does not define which values are references: people configure it for each provider.
"""

from portal.core.value_types import JsonObject
from verification.schemas.crossplane.envelope import copy_part
from verification.schemas.crossplane.naming import build_field_name
from verification.schemas.engine.types import COLLECTIONS, Node


def can_refer(node: Node) -> bool:
    """Return whether an argument can be a reference: a settable string, list, or set that is not sensitive."""
    one = node.elem if node.kind in COLLECTIONS[:2] else node
    return one is not None and one.kind == "string" and not (node.is_observed or node.sensitive)


def list_reference_names(node: Node) -> tuple[str, str]:
    """Return the names of the fields for the reference and the selector."""
    # Upjet's default names.
    plural = "" if node.kind == "string" else "s"
    return build_field_name(f"{node.name}_ref{plural}"), build_field_name(f"{node.name}_selector")


def build_reference_fields(node: Node, *, is_namespaced: bool) -> list[tuple[str, JsonObject]]:
    """Return the fields for the reference and the selector with their names."""
    value = build_field_name(node.name)
    is_collection = node.kind != "string"
    source = f"the object that provides {value}"
    reference = _build_part(
        "reference", f"Reference to {source}.", "Namespace of the referenced object.", is_namespaced
    )
    if is_collection:
        description = f"References to the objects that provide {value}."
        reference = {"description": description, "items": reference, "type": "array"}
    selector = _build_part("selector", f"Selector for {source}.", "Namespace to search.", is_namespaced)
    return list(zip(list_reference_names(node), (reference, selector), strict=True))


def _build_part(part: str, description: str, namespace_description: str, is_namespaced: bool) -> JsonObject:
    """Return a shared part with its description and, for namespaced resources, the namespace."""
    namespace = {"namespace": {"description": namespace_description, "type": "string"}} if is_namespaced else {}
    schema: JsonObject = copy_part(part)
    return schema | {"description": description, "properties": schema["properties"] | namespace}
