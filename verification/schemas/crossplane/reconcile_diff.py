"""What must be done to an object: create, update, delete, or nothing? And what is taken over from the provider?

The first answer drives a controller; the second is late initialisation: what nobody has set and the provider has.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from verification.schemas.crossplane.managed_resource import Codec, Managed, Value
from verification.schemas.engine.types import Node

CREATE, UPDATE, DELETE, NOTHING = "create", "update", "delete", "nothing"


@dataclass(frozen=True, slots=True)
class Decision:
    """`paths` are the arguments that differ; `late` are Terraform's values that the object takes over, by path."""

    action: str
    why: str
    paths: tuple[str, ...] = ()
    late: dict[str, Any] = field(default_factory=dict)


def compare(codec: Codec, managed: Managed, observed: Value | None) -> Decision:
    """What to do with the object, given what the provider tells of it; None where it has none."""
    if observed is None:
        return _absent(managed)
    if managed.is_being_deleted:
        return _allowed(managed, DELETE, "The object is being deleted.")
    wanted = codec.encode_spec(managed)
    late = dict(_late(codec, managed, observed)) if managed.may("LateInitialize") else {}
    paths = tuple(_differing(codec.resource.arguments, wanted, observed))
    if not paths:
        return Decision(NOTHING, "Everything that is wanted is so.", late=late)
    decided = _allowed(managed, UPDATE, "Some arguments are not as they are wanted.")
    return Decision(decided.action, decided.why, paths, late)


def _absent(managed: Managed) -> Decision:
    if managed.is_being_deleted:
        return Decision(NOTHING, "It is gone already.")
    return _allowed(managed, CREATE, "The provider knows of no such object.")


def _allowed(managed: Managed, action: str, why: str) -> Decision:
    if managed.may(action.capitalize()):
        return Decision(action, why)
    return Decision(NOTHING, f"{why} The management policies do not allow to {action} it.")


def _differing(nodes: tuple[Node, ...], wanted: Value, observed: Value, path: str = "") -> Iterator[str]:
    """The arguments that are wanted otherwise. What nobody wants anything of is never different."""
    for node in nodes:
        here = f"{path}.{node.name}" if path else node.name
        mine, theirs = wanted.get(node.name), observed.get(node.name)
        if mine is None or node.is_observed or (node.syntax == "block" and mine == [] and node.computed):
            continue
        if node.kind == "object" and node.children is not None and isinstance(theirs, dict):
            yield from _differing(node.children, mine, theirs, here)
        elif not _same(node, mine, theirs):
            yield here


def _same(node: Node, mine: Any, theirs: Any) -> bool:
    if node.kind == "set" and isinstance(theirs, list):
        return len(mine) == len(theirs) and _matched(node, list(mine), list(theirs))
    if node.children is None or theirs is None:
        return bool(mine == theirs) and isinstance(mine, bool) == isinstance(theirs, bool)
    if node.kind == "map":
        return set(mine) == set(theirs) and all(_fits(node, mine[key], theirs[key]) for key in mine)
    pairs = zip(mine, theirs, strict=False)
    return len(mine) == len(theirs) and all(_fits(node, one, other) for one, other in pairs)


def _fits(node: Node, mine: Any, theirs: Any) -> bool:
    """Is one element as it is wanted?"""
    if node.children is None:
        return bool(mine == theirs)
    return next(_differing(node.children, mine, theirs), None) is None


def _matched(node: Node, mine: list[Any], theirs: list[Any]) -> bool:
    """Does each wanted element find one of its own? What is asked for in most detail chooses first."""
    for one in sorted(mine, key=_detail, reverse=True):
        found = next((other for other in theirs if _fits(node, one, other)), None)
        if found is None:
            return False
        theirs.remove(found)
    return True


def _detail(value: Any) -> int:
    return sum(one is not None for one in value.values()) if isinstance(value, dict) else 0


def _late(codec: Codec, managed: Managed, observed: Value) -> Iterator[tuple[str, Any]]:
    """What can be set, is set by nobody (neither for good nor for the creation), and is told by the provider."""
    given = codec.encode_spec(managed, creating=True)
    left_out = {"id", *codec.choices.external_name(codec.resource.name).omitted}
    nodes = tuple(node for node in codec.resource.arguments if node.name not in left_out)
    yield from _unset(nodes, given, observed)


def _unset(nodes: tuple[Node, ...], given: Value, observed: Value, path: str = "") -> Iterator[tuple[str, Any]]:
    for node in nodes:
        here = f"{path}.{node.name}" if path else node.name
        mine, theirs = given.get(node.name), observed.get(node.name)
        if node.is_observed or node.sensitive or theirs in (None, [], {}, ""):
            continue
        if mine in (None, []):
            yield here, theirs
        elif node.kind == "object" and node.children is not None:
            yield from _unset(node.children, mine, theirs, here)
