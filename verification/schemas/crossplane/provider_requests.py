"""Requests that a controller would send to the provider, with their contents.

The observation is the call ReadResource with the current state, which has the ID. The three other operations are one
call (ApplyResourceChange) with a prior and a planned state, either of which may be null.
"""

from collections.abc import Mapping

from portal.core.value_types import JsonObject
from verification.schemas.crossplane.managed_resource import ManagedResource, ManagedResourceCodec
from verification.schemas.crossplane.options import GeneratorChoices
from verification.schemas.engine.types import Node, Resource

FROM_EXTERNAL_NAME = "from the annotation crossplane.io/external-name"
Request = dict[str, JsonObject | None]


def build_requests(codec: ManagedResourceCodec, managed_resource: ManagedResource) -> dict[str, Request]:
    """Return the states of each operation."""
    planned_state = codec.encode_spec(managed_resource)
    created_state = codec.encode_spec(managed_resource, creating=True)
    return _arrange_states(created_state, codec.encode_state(managed_resource), planned_state)


def _arrange_states(
    created_state: JsonObject, prior_state: JsonObject, planned_state: JsonObject
) -> dict[str, Request]:
    return {
        "Read": {"CurrentState": prior_state},
        "Create": {"PriorState": None, "PlannedState": created_state},
        "Update": {"PriorState": prior_state, "PlannedState": planned_state},
        # Crossplane's announcement of the generator: the prior state of a deletion is the spec, not what was observed.
        "Delete": {"PriorState": planned_state, "PlannedState": None},
    }


def describe_requests(resource: Resource, choices: GeneratorChoices) -> dict[str, Request]:
    """Return the states of each operation, with the source of each value instead of the value."""
    name_arguments = choices.get_external_name(resource.name).omitted
    timeouts: JsonObject = {}
    if resource.timeouts is not None:
        # The timeouts belong to Terraform's operations, so a project sets them for all objects.
        names = [child.name for child in resource.timeouts.children or ()]
        timeouts = {"timeouts": dict.fromkeys(names, "from the generator configuration")}
    planned_state = {
        node.name: _describe_planned(node, name_arguments, "spec.forProvider") for node in resource.arguments
    } | timeouts
    prior_state = {node.name: _describe_prior(node, name_arguments) for node in resource.arguments} | timeouts
    return _arrange_states(planned_state, prior_state, planned_state)


def _describe_planned(node: Node, name_arguments: tuple[str, ...], where: str) -> object:
    # If arguments have the external name, the provider can assign another ID, which is known after the first
    # observation.
    if node.name == "id" and name_arguments:
        return f"from status.atProvider, or initially {FROM_EXTERNAL_NAME}"
    if node.name == "id" or node.name in name_arguments[:1]:
        return FROM_EXTERNAL_NAME
    if node.name in name_arguments:
        return None
    if node.is_observed:
        return "unknown until the provider sets it"
    if node.sensitive:
        return f"{node.type_name} from the secret that {where} names"
    if node.children is None:
        return f"{node.type_name}{', required' if node.required else ''} from {where}"
    return _wrap_value(
        node, {child.name: _describe_planned(child, (), where) for child in node.children if child.name != "id"}
    )


def _describe_prior(node: Node, name_arguments: tuple[str, ...]) -> object:
    if node.name in name_arguments[1:]:
        return "last observed value"
    if node.name in name_arguments or (node.name == "id" and not name_arguments):
        return FROM_EXTERNAL_NAME
    if node.sensitive:
        return f"{node.type_name} from the connection secret"
    if node.children is None:
        return f"{node.type_name} from status.atProvider"
    return _wrap_value(node, {child.name: _describe_prior(child, ()) for child in node.children})


def _wrap_value(node: Node, inner: Mapping[str, object]) -> object:
    if node.kind == "object":
        return inner
    return {"(each key)": inner} if node.kind == "map" else [inner]
