"""How does one resource refer to another? The two fields that the generator puts beside a value that is a reference.

Which values are references stands in no schema: people say it for each provider.
"""

from typing import Any

from verification.schemas.crossplane.envelope import referring, text
from verification.schemas.crossplane.naming import field_name
from verification.schemas.engine.types import COLLECTIONS, Node

Schema = dict[str, Any]


def can_refer(node: Node) -> bool:
    """Only what can be set, is no secret, and is a text or a list or set of texts."""
    one = node.elem if node.kind in COLLECTIONS[:2] else node
    return one is not None and one.kind == "string" and not (node.is_observed or node.sensitive)


def beside(node: Node, *, namespaced: bool) -> list[tuple[str, Schema]]:
    """The reference and the selector that fill the value, each with its name."""
    value, many = field_name(node.name), node.kind != "string"
    reference = _reference(f"Reference to what fills {value}.", namespaced)
    if many:
        reference = {"description": f"References to what fills {value}.", "items": reference, "type": "array"}
    return [
        (field_name(f"{node.name}_ref{'s' if many else ''}"), reference),
        (field_name(f"{node.name}_selector"), _selector(f"Selector for what fills {value}.", namespaced)),
    ]


def _reference(words: str, namespaced: bool) -> Schema:
    properties: Schema = {"name": text("Name of the referenced object."), "policy": referring()}
    if namespaced:
        properties["namespace"] = text("Namespace of the referenced object.")
    return {"description": words, "properties": properties, "required": ["name"], "type": "object"}


def _selector(words: str, namespaced: bool) -> Schema:
    labels = "Labels that the referenced object has."
    properties: Schema = {
        "matchControllerRef": {"description": "Whether it has the same controller.", "type": "boolean"},
        "matchLabels": {"additionalProperties": {"type": "string"}, "description": labels, "type": "object"},
        "policy": referring(),
    }
    if namespaced:
        properties["namespace"] = text("Namespace that is looked in.")
    return {"description": words, "properties": properties, "type": "object"}
