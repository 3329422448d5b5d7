"""References between resources: the two fields that the generator adds for a value that is a reference.

A schema does not define which values are references: people configure it for each provider.
"""

from verification.schemas.crossplane.envelope import build_text, get_reference_policy
from verification.schemas.crossplane.naming import build_field_name
from verification.schemas.engine.types import COLLECTIONS, Node

Schema = dict[str, object]


def can_refer(node: Node) -> bool:
    """Return whether an argument can be a reference: a settable string, list, or set that is not sensitive."""
    one = node.elem if node.kind in COLLECTIONS[:2] else node
    return one is not None and one.kind == "string" and not (node.is_observed or node.sensitive)


def build_reference_fields(node: Node, *, is_namespaced: bool) -> list[tuple[str, Schema]]:
    """Return the fields for the reference and the selector with their names."""
    value, is_collection = build_field_name(node.name), node.kind != "string"
    reference = _build_reference(f"Reference to what fills {value}.", is_namespaced)
    if is_collection:
        reference = {"description": f"References to what fills {value}.", "items": reference, "type": "array"}
    return [
        (build_field_name(f"{node.name}_ref{'s' if is_collection else ''}"), reference),
        (
            build_field_name(f"{node.name}_selector"),
            _build_selector(f"Selector for what fills {value}.", is_namespaced),
        ),
    ]


def _build_reference(description: str, is_namespaced: bool) -> Schema:
    properties: Schema = {"name": build_text("Name of the referenced object."), "policy": get_reference_policy()}
    if is_namespaced:
        properties["namespace"] = build_text("Namespace of the referenced object.")
    return {"description": description, "properties": properties, "required": ["name"], "type": "object"}


def _build_selector(description: str, is_namespaced: bool) -> Schema:
    labels = "Labels that the referenced object has."
    properties: Schema = {
        "matchControllerRef": {"description": "Whether it has the same controller.", "type": "boolean"},
        "matchLabels": {"additionalProperties": {"type": "string"}, "description": labels, "type": "object"},
        "policy": get_reference_policy(),
    }
    if is_namespaced:
        properties["namespace"] = build_text("Namespace that is looked in.")
    return {"description": description, "properties": properties, "type": "object"}
