"""What does Terraform's plan say? Which objects change and how, what the configuration asks for, what is not marked."""

import json
from collections.abc import Iterator
from typing import Any

from verification.testruns.kinds.provider_lifecycle.redaction import Secrets, masked

MOST = 200  # objects that are kept
MOST_CHARACTERS = 200_000
NOTHING = ("no-op", "read")
Plain = dict[str, Any]


def reduced(text: str, secrets: Secrets) -> Plain | None:
    """What is kept of `terraform show -json PLAN`: changes, drift and expressions, by address. None: cannot be read."""
    try:
        plan = json.loads(text)
        kept = {
            "changes": _changes(plan.get("resource_changes") or []),
            "drift": _changes(plan.get("resource_drift") or []),
            "expressions": dict(_expressions(plan.get("configuration", {}).get("root_module", {}))),
        }
    except (ValueError, AttributeError, TypeError, KeyError, RecursionError):
        return None
    found: Plain = secrets.cleared(kept)
    return found if len(json.dumps(found)) < MOST_CHARACTERS else {**found, "drift": {}, "changes": _bare(found)}


def _changes(changes: list[Plain]) -> dict[str, Plain]:
    managed = [each for each in changes if each.get("mode") == "managed"]
    return {each["address"]: _change(each) for each in managed[:MOST]}


def _change(one: Plain) -> Plain:
    change = one["change"]
    before = masked(change.get("before"), change.get("before_sensitive"))
    after = masked(change.get("after"), change.get("after_sensitive"))
    return {
        "type": one["type"],
        "provider": one.get("provider_name", ""),
        "actions": change["actions"],
        "before": before,
        "after": after,
        "unknown": change.get("after_unknown") or {},
        "changed": sorted(_differences(change)),
        "replaces": [".".join(map(str, path)) for path in change.get("replace_paths") or []],
    }


def _differences(change: Plain) -> Iterator[str]:
    """The names of the attributes that change, also of those that are marked as sensitive."""
    before, after = change.get("before") or {}, change.get("after") or {}
    unknown = change.get("after_unknown") or {}
    for name in {*before, *after, *unknown}:
        if _is_unknown(unknown.get(name)) or before.get(name) != after.get(name):
            yield name


def _is_unknown(mark: Any) -> bool:
    if isinstance(mark, dict):
        return any(_is_unknown(each) for each in mark.values())
    if isinstance(mark, list):
        return any(_is_unknown(each) for each in mark)
    return mark is True


def _expressions(module: Plain, prefix: str = "") -> Iterator[tuple[str, Plain]]:
    """What the configuration says of each object, without the numbers of counted ones."""
    for one in module.get("resources") or []:
        if one.get("mode") == "managed":
            yield prefix + one["address"], one.get("expressions") or {}
    for name, call in (module.get("module_calls") or {}).items():
        yield f"{prefix}module.{name}", call.get("expressions") or {}
        yield from _expressions(call.get("module") or {}, f"{prefix}module.{name}.")


def _bare(kept: Plain) -> Plain:
    """The changes without their values, where those are too much to keep."""
    return {name: {**each, "before": None, "after": None, "unknown": {}} for name, each in kept["changes"].items()}


def changing(plan: Plain) -> dict[str, Plain]:
    """The objects of which the plan changes anything."""
    return {name: each for name, each in plan["changes"].items() if tuple(each["actions"])[:1] not in _NONE}


_NONE = tuple((name,) for name in NOTHING)


def asked(before: Plain, after: Plain) -> dict[str, set[str]]:
    """The attributes of which two configurations say different things, by address; {} where they say the same."""
    found = {}
    for address in {*before["expressions"], *after["expressions"]}:
        old, new = before["expressions"].get(address), after["expressions"].get(address)
        if old is None or new is None:
            found[address] = set[str]()  # one more, or one less
        elif old != new:
            found[address] = {name for name in {*old, *new} if old.get(name) != new.get(name)}
    return found


def unmarked(text: str, secrets: Secrets) -> tuple[str, ...]:
    """Where the state holds a secret that is not marked as sensitive, as "address: attribute", of a plan's JSON."""
    try:
        root = json.loads(text).get("prior_state", {}).get("values", {}).get("root_module", {})
    except (ValueError, AttributeError):
        return ()
    found = []
    for one in _objects(root):
        values = masked(one.get("values") or {}, one.get("sensitive_values") or {})
        found += [f"{one['address']}: {name}" for name, value in values.items() if secrets.seen_in(json.dumps(value))]
    return tuple(found)


def _objects(module: Plain) -> Iterator[Plain]:
    yield from module.get("resources") or []
    for child in module.get("child_modules") or []:
        yield from _objects(child)


def held(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The addresses of the objects that a state file holds, and those of them that are tainted. Raises ValueError."""
    if not text.strip():
        return (), ()
    try:
        found = [each for one in json.loads(text).get("resources") or [] for each in _instances(one)]
    except (AttributeError, TypeError, KeyError, RecursionError) as error:
        raise ValueError("This is no state.") from error
    return tuple(address for address, _ in found), tuple(address for address, is_tainted in found if is_tainted)


def _instances(one: Plain) -> Iterator[tuple[str, bool]]:
    """The address of each object of a resource in the state, and whether it is tainted."""
    if one.get("mode") != "managed":
        return
    module = f"{one['module']}." if one.get("module") else ""
    for instance in one.get("instances") or []:
        key = f"[{json.dumps(instance['index_key'])}]" if "index_key" in instance else ""
        yield f"{module}{one['type']}.{one['name']}{key}", instance.get("status") == "tainted"
