"""Comparison of desired and observed state: create, update, delete, or no operation, and late initialization.

The operation drives a controller; late initialization copies values that only the provider has set.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from portal.core.value_types import JsonObject
from verification.schemas.crossplane.managed_resource import OBSERVED_SECRET, ManagedResource, ManagedResourceCodec
from verification.schemas.crossplane.naming import build_field_name
from verification.schemas.crossplane.references import can_refer, list_reference_names
from verification.schemas.engine.types import Node

Action = Literal["create", "update", "delete", "nothing"]
Reason = Literal["missing", "gone", "deleting", "different", "same"]
Difference = tuple[str, Any, Any]


@dataclass(frozen=True, slots=True)
class ReconcileDecision:
    """Operation with its reason.

    Attributes:
        is_blocked: The policies of the object don't allow the operation, so there is none.
        differences: Path, desired value, and observed value of each argument that differs.
        late: Values that the object takes over, by their path in the spec.
    """

    action: Action
    reason: Reason
    is_blocked: bool = False
    differences: tuple[Difference, ...] = ()
    late: JsonObject = field(default_factory=dict)


def compare(
    codec: ManagedResourceCodec, managed_resource: ManagedResource, observed_value: JsonObject | None
) -> ReconcileDecision:
    """Return the decision for an object. The observed value is None if the object doesn't exist."""
    if observed_value is None and managed_resource.is_being_deleted:
        return ReconcileDecision("nothing", "gone")
    if observed_value is None:
        return _apply_policies(managed_resource, "create", "missing")
    if managed_resource.is_being_deleted:
        return _apply_policies(managed_resource, "delete", "deleting")
    observed = codec.decode(observed_value)
    states = codec.encode_spec(managed_resource), codec.encode_state(observed)
    differences = tuple(_find_differences(codec.nodes, *states))
    decision = ReconcileDecision("nothing", "same")
    if differences:
        decision = _apply_policies(managed_resource, "update", "different")
    is_late_allowed = managed_resource.allows("LateInitialize")
    # With the initial values, because late initialization skips the fields that they set.
    late = dict(_find_unset(codec.nodes, managed_resource.creation_spec, observed.spec)) if is_late_allowed else {}
    return replace(decision, differences=differences, late=late)


def _apply_policies(managed_resource: ManagedResource, action: Action, reason: Reason) -> ReconcileDecision:
    if managed_resource.allows(action.capitalize()):
        return ReconcileDecision(action, reason)
    return ReconcileDecision("nothing", reason, is_blocked=True)


def _find_differences(
    nodes: tuple[Node, ...], spec_value: JsonObject, observed_value: JsonObject, path: str = ""
) -> Iterator[Difference]:
    """Return the arguments that differ from the spec. Arguments without a desired value never differ."""
    for node in nodes:
        here = f"{path}.{node.name}" if path else node.name
        desired = spec_value.get(node.name)
        observed = observed_value.get(node.name)
        if desired is None or node.is_observed or (node.syntax == "block" and desired == [] and node.computed):
            continue
        if node.kind == "object" and node.children is not None and isinstance(observed, dict):
            yield from _find_differences(node.children, desired, observed, here)
        elif not _is_same(node, desired, observed):
            yield here, desired, observed


def _is_same(node: Node, desired: Any, observed: Any) -> bool:
    if node.sensitive or observed == OBSERVED_SECRET:  # the values are unknown here
        return (desired not in ([], {}, "")) == (observed is not None)
    if node.kind == "set" and isinstance(observed, list):
        return len(desired) == len(observed) and _is_same_set(node, list(desired), list(observed))
    if node.children is None or observed is None:
        # In Python, True equals 1.
        return bool(desired == observed) and isinstance(desired, bool) == isinstance(observed, bool)
    if node.kind == "map":
        return set(desired) == set(observed) and all(_is_match(node, desired[key], observed[key]) for key in desired)
    pairs = zip(desired, observed, strict=False)
    return len(desired) == len(observed) and all(_is_match(node, element, other) for element, other in pairs)


def _is_match(node: Node, desired: Any, observed: Any) -> bool:
    """Return whether an observed element matches the desired one."""
    if node.children is None:
        return bool(desired == observed)
    return next(_find_differences(node.children, desired, observed), None) is None


def _is_same_set(node: Node, desired: list[object], observed: list[object]) -> bool:
    """Return whether each desired element matches a different observed one; the most detailed is matched first."""
    for element in sorted(desired, key=_count_details, reverse=True):
        match = next((other for other in observed if _is_match(node, element, other)), None)
        if match is None:
            return False
        # Equal elements must not match the same one.
        observed.remove(match)
    return True


def _count_details(value: object) -> int:
    return sum(part is not None for part in value.values()) if isinstance(value, dict) else 0


def _find_unset(
    nodes: tuple[Node, ...], spec: JsonObject, observed_spec: JsonObject, path: str = ""
) -> Iterator[tuple[str, object]]:
    """Return the settable values that neither the spec nor a reference sets (late initialization)."""
    for node in nodes:
        name = build_field_name(node.name)
        desired = spec.get(name)
        observed = observed_spec.get(name)
        is_reference = can_refer(node) and not spec.keys().isdisjoint(list_reference_names(node))
        if is_reference or observed in (None, [], {}, ""):
            continue
        if desired in (None, []):
            yield path + name, observed
        elif node.kind == "object" and isinstance(desired, dict):
            yield from _find_unset(node.children or (), desired, observed_spec[name], f"{path}{name}.")
        elif node.kind == "object":  # a block that exists once, as a list
            yield from _find_unset(node.children or (), desired[0], observed_spec[name][0], f"{path}{name}[0].")
