"""Which requests would a controller send to the provider, and what would stand in them?

The older design: three operations become one call of the provider (ApplyResourceChange) with a prior and a planned
state, either of which may be null.
"""

from typing import Any

from verification.schemas.crossplane.managed_resource import Codec, Managed, Value
from verification.schemas.crossplane.options import Choices
from verification.schemas.engine.types import Node, Resource

OPERATIONS = ("Create", "Update", "Delete")
NAMED = "from the annotation crossplane.io/external-name"
Request = dict[str, Value | None]


def requests_of(codec: Codec, managed: Managed) -> dict[str, Request]:
    """For each operation the prior and the planned state, from real values. Raises managed.Unresolved."""
    wanted = codec.encode_spec(managed)
    return {
        "Create": {"PriorState": None, "PlannedState": codec.encode_spec(managed, creating=True)},
        "Update": {"PriorState": codec.encode_state(managed), "PlannedState": wanted},
        "Delete": {"PriorState": wanted, "PlannedState": None},
    }


def request_shapes(resource: Resource, choices: Choices) -> dict[str, Request]:
    """The same for a resource of which no object exists: where each value comes from, in place of the values."""
    replaced = choices.external_name(resource.name).omitted
    timeouts = _timeouts(resource)
    wanted = {node.name: _wanted(node, replaced, "spec.forProvider") for node in resource.arguments} | timeouts
    seen = {node.name: _seen(node, replaced) for node in resource.arguments} | timeouts
    return {
        "Create": {"PriorState": None, "PlannedState": wanted},
        "Update": {"PriorState": seen, "PlannedState": wanted},
        "Delete": {"PriorState": wanted, "PlannedState": None},
    }


def _timeouts(resource: Resource) -> dict[str, Any]:
    node = resource.timeouts
    if node is None:
        return {}
    return {"timeouts": {child.name: "from the configuration of the generator" for child in node.children or ()}}


def _wanted(node: Node, replaced: tuple[str, ...], where: str) -> Any:
    if node.name == "id" and replaced:
        return f"from status.atProvider, before that {NAMED}"
    if node.name == "id" or node.name in replaced[:1]:
        return NAMED
    if node.name in replaced:
        return None
    if node.is_observed:
        return "unknown until the provider says it"
    if node.sensitive:
        return f"{node.type_name} from the secret that {where} names"
    if node.children is None:
        return f"{node.type_name}{', required' if node.required else ''} from {where}"
    return _around(node, {child.name: _wanted(child, (), where) for child in node.children if child.name != "id"})


def _seen(node: Node, replaced: tuple[str, ...]) -> Any:
    if node.name in replaced[1:]:
        return "as it was last observed"
    if node.name in replaced or (node.name == "id" and not replaced):
        return NAMED
    if node.sensitive:
        return f"{node.type_name} from the connection secret"
    if node.children is None:
        return f"{node.type_name} from status.atProvider"
    return _around(node, {child.name: _seen(child, ()) for child in node.children})


def _around(node: Node, inner: dict[str, Any]) -> Any:
    if node.kind == "object":
        return inner
    return {"(each key)": inner} if node.kind == "map" else [inner]
