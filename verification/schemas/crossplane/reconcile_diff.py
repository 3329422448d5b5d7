"""Comparison of desired and observed state: create, update, delete, or no operation, and late initialization.

The operation drives a controller; late initialization copies values that only the provider has set.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from portal.core.value_types import JsonObject
from verification.schemas.crossplane.managed_resource import ManagedResource, ManagedResourceCodec
from verification.schemas.engine.types import Node

CREATE, UPDATE, DELETE, NOTHING = "create", "update", "delete", "nothing"


@dataclass(frozen=True, slots=True)
class ReconcileDecision:
    """`paths` are the arguments that differ; `late` are Terraform's values that the object takes over, by path."""

    action: str
    why: str
    paths: tuple[str, ...] = ()
    late: JsonObject = field(default_factory=dict)


def compare(
    codec: ManagedResourceCodec, managed_resource: ManagedResource, observed_value: JsonObject | None
) -> ReconcileDecision:
    """Return the decision for an object. The observed value is None if the object doesn't exist."""
    if observed_value is None:
        return _decide_missing(managed_resource)
    if managed_resource.is_being_deleted:
        return _apply_policies(managed_resource, DELETE, "The object is being deleted.")
    paths = tuple(_find_differences(codec.resource.arguments, codec.encode_spec(managed_resource), observed_value))
    decision = ReconcileDecision(NOTHING, "The object matches the spec.")
    if paths:
        decision = _apply_policies(managed_resource, UPDATE, "Some arguments differ from the spec.")
    is_late_allowed = managed_resource.allows("LateInitialize")
    late = dict(_find_late_values(codec, managed_resource, observed_value)) if is_late_allowed else {}
    return replace(decision, paths=paths, late=late)


def _decide_missing(managed_resource: ManagedResource) -> ReconcileDecision:
    if managed_resource.is_being_deleted:
        return ReconcileDecision(NOTHING, "The object no longer exists.")
    return _apply_policies(managed_resource, CREATE, "The object doesn't exist.")


def _apply_policies(managed_resource: ManagedResource, action: str, why: str) -> ReconcileDecision:
    if managed_resource.allows(action.capitalize()):
        return ReconcileDecision(action, why)
    return ReconcileDecision(NOTHING, f"{why} The management policies don't allow the action “{action}”.")


def _pair_values(
    nodes: tuple[Node, ...], spec_value: JsonObject, observed_value: JsonObject, path: str
) -> Iterator[tuple[Node, str, Any, Any]]:
    """Yield each node with its path, its desired value and its observed one."""
    for node in nodes:
        here = f"{path}.{node.name}" if path else node.name
        yield node, here, spec_value.get(node.name), observed_value.get(node.name)


def _find_differences(
    nodes: tuple[Node, ...], spec_value: JsonObject, observed_value: JsonObject, path: str = ""
) -> Iterator[str]:
    """Return the arguments that differ from the spec. Arguments without a desired value never differ."""
    for node, here, mine, theirs in _pair_values(nodes, spec_value, observed_value, path):
        if mine is None or node.is_observed or (node.syntax == "block" and mine == [] and node.computed):
            continue
        if node.kind == "object" and node.children is not None and isinstance(theirs, dict):
            yield from _find_differences(node.children, mine, theirs, here)
        elif not _is_same(node, mine, theirs):
            yield here


def _is_same(node: Node, mine: Any, theirs: Any) -> bool:
    if node.kind == "set" and isinstance(theirs, list):
        return len(mine) == len(theirs) and _is_same_set(node, list(mine), list(theirs))
    if node.children is None or theirs is None:
        return bool(mine == theirs) and isinstance(mine, bool) == isinstance(theirs, bool)
    if node.kind == "map":
        return set(mine) == set(theirs) and all(_is_match(node, mine[key], theirs[key]) for key in mine)
    pairs = zip(mine, theirs, strict=False)
    return len(mine) == len(theirs) and all(_is_match(node, one, other) for one, other in pairs)


def _is_match(node: Node, mine: Any, theirs: Any) -> bool:
    """Return whether an observed element matches the desired one."""
    if node.children is None:
        return bool(mine == theirs)
    return next(_find_differences(node.children, mine, theirs), None) is None


def _is_same_set(node: Node, mine: list[object], theirs: list[object]) -> bool:
    """Return whether each desired element matches a different observed one; the most detailed is matched first."""
    for one in sorted(mine, key=_count_details, reverse=True):
        match = next((other for other in theirs if _is_match(node, one, other)), None)
        if match is None:
            return False
        theirs.remove(match)
    return True


def _count_details(value: object) -> int:
    return sum(one is not None for one in value.values()) if isinstance(value, dict) else 0


def _find_late_values(
    codec: ManagedResourceCodec, managed_resource: ManagedResource, observed_value: JsonObject
) -> Iterator[tuple[str, object]]:
    """Return the settable values that only the provider sets (late initialization)."""
    spec_value = codec.encode_spec(managed_resource, creating=True)
    excluded_names = {"id", *codec.choices.external_name(codec.resource.name).omitted}
    nodes = tuple(node for node in codec.resource.arguments if node.name not in excluded_names)
    yield from _find_unset(nodes, spec_value, observed_value)


def _find_unset(
    nodes: tuple[Node, ...], spec_value: JsonObject, observed_value: JsonObject, path: str = ""
) -> Iterator[tuple[str, object]]:
    for node, here, mine, theirs in _pair_values(nodes, spec_value, observed_value, path):
        if node.is_observed or node.sensitive or theirs in (None, [], {}, ""):
            continue
        if mine in (None, []):
            yield here, theirs
        elif node.kind == "object" and node.children is not None:
            yield from _find_unset(node.children, mine, theirs, here)
