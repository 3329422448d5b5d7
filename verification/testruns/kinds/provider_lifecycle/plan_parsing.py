"""Parser of Terraform plans: changed objects, configured expressions and unmarked secrets."""

import json
from collections.abc import Iterator

from portal.core.value_types import JsonObject
from verification.testruns.kinds.provider_lifecycle.redaction import Secrets, mask_sensitive_values

MAX_OBJECTS = 200  # objects that are kept
MAX_PLAN_CHARACTERS = 200_000
NO_CHANGE_ACTIONS = ("no-op", "read")


def reduce_plan(text: str, secrets: Secrets) -> JsonObject | None:
    """Reduce `terraform show -json PLAN` to changes, drift and expressions by address. None: not readable."""
    try:
        plan = json.loads(text)
        content = {
            "changes": _build_changes(plan.get("resource_changes") or []),
            "drift": _build_changes(plan.get("resource_drift") or []),
            "expressions": dict(_list_expressions(plan.get("configuration", {}).get("root_module", {}))),
        }
    except (ValueError, AttributeError, TypeError, KeyError, RecursionError):
        return None
    redacted_content: JsonObject = secrets.redact_data(content)
    return (
        redacted_content
        if len(json.dumps(redacted_content)) < MAX_PLAN_CHARACTERS
        else {**redacted_content, "drift": {}, "changes": _strip_values(redacted_content)}
    )


def _build_changes(changes: list[JsonObject]) -> dict[str, JsonObject]:
    managed_changes = [each for each in changes if each.get("mode") == "managed"]
    return {each["address"]: _build_change(each) for each in managed_changes[:MAX_OBJECTS]}


def _build_change(resource_change: JsonObject) -> JsonObject:
    change = resource_change["change"]
    before = mask_sensitive_values(change.get("before"), change.get("before_sensitive"))
    after = mask_sensitive_values(change.get("after"), change.get("after_sensitive"))
    return {
        "type": resource_change["type"],
        "provider": resource_change.get("provider_name", ""),
        "actions": change["actions"],
        "before": before,
        "after": after,
        "unknown": change.get("after_unknown") or {},
        "changed": sorted(_list_differences(change)),
        "replaces": [".".join(map(str, path)) for path in change.get("replace_paths") or []],
    }


def _list_differences(change: JsonObject) -> Iterator[str]:
    """Return the names of changed attributes, including sensitive ones."""
    before, after = change.get("before") or {}, change.get("after") or {}
    unknown = change.get("after_unknown") or {}
    for name in {*before, *after, *unknown}:
        if _is_unknown(unknown.get(name)) or before.get(name) != after.get(name):
            yield name


def _is_unknown(mark: object) -> bool:
    if isinstance(mark, dict):
        return any(_is_unknown(nested_mark) for nested_mark in mark.values())
    if isinstance(mark, list):
        return any(_is_unknown(nested_mark) for nested_mark in mark)
    return mark is True


def _list_expressions(module: JsonObject, prefix: str = "") -> Iterator[tuple[str, JsonObject]]:
    """Return the configured expressions by address, without the indexes of counted resources."""
    for resource in module.get("resources") or []:
        if resource.get("mode") == "managed":
            yield prefix + resource["address"], resource.get("expressions") or {}
    for name, call in (module.get("module_calls") or {}).items():
        yield f"{prefix}module.{name}", call.get("expressions") or {}
        yield from _list_expressions(call.get("module") or {}, f"{prefix}module.{name}.")


def _strip_values(content: JsonObject) -> JsonObject:
    """Return the changes without their values if those are too large to store."""
    return {
        name: {**change, "before": None, "after": None, "unknown": {}} for name, change in content["changes"].items()
    }


def select_changes(plan: JsonObject) -> dict[str, JsonObject]:
    """Return the objects that the plan changes."""
    return {
        name: change
        for name, change in plan["changes"].items()
        if tuple(change["actions"])[:1] not in _NO_CHANGE_PREFIXES
    }


_NO_CHANGE_PREFIXES = tuple((name,) for name in NO_CHANGE_ACTIONS)


def compare_expressions(before: JsonObject, after: JsonObject) -> dict[str, set[str]]:
    """Return the attributes that differ between two configurations, by address."""
    changed_names = {}
    for address in {*before["expressions"], *after["expressions"]}:
        old_expressions, new_expressions = before["expressions"].get(address), after["expressions"].get(address)
        if old_expressions is None or new_expressions is None:
            changed_names[address] = set[str]()  # one more, or one less
        elif old_expressions != new_expressions:
            changed_names[address] = {
                name
                for name in {*old_expressions, *new_expressions}
                if old_expressions.get(name) != new_expressions.get(name)
            }
    return changed_names


def find_unmarked_secrets(text: str, secrets: Secrets) -> tuple[str, ...]:
    """Return "address: attribute" for each secret in a plan's state that is not marked as sensitive."""
    try:
        root = json.loads(text).get("prior_state", {}).get("values", {}).get("root_module", {})
    except (ValueError, AttributeError):
        return ()
    paths = []
    for resource in _list_objects(root):
        values = mask_sensitive_values(resource.get("values") or {}, resource.get("sensitive_values") or {})
        paths += [
            f"{resource['address']}: {name}"
            for name, value in values.items()
            if secrets.find_names_in(json.dumps(value))
        ]
    return tuple(paths)


def _list_objects(module: JsonObject) -> Iterator[JsonObject]:
    yield from module.get("resources") or []
    for child in module.get("child_modules") or []:
        yield from _list_objects(child)


def list_state_objects(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the addresses of the objects in a state file, and of the tainted ones. Raises ValueError."""
    if not text.strip():
        return (), ()
    try:
        objects = [
            state_object
            for resource in json.loads(text).get("resources") or []
            for state_object in _list_instances(resource)
        ]
    except (AttributeError, TypeError, KeyError, RecursionError) as error:
        raise ValueError("This is no state.") from error
    return tuple(address for address, _ in objects), tuple(address for address, is_tainted in objects if is_tainted)


def _list_instances(resource: JsonObject) -> Iterator[tuple[str, bool]]:
    """Return the address of each object of a resource, and whether it is tainted."""
    if resource.get("mode") != "managed":
        return
    module = f"{resource['module']}." if resource.get("module") else ""
    for instance in resource.get("instances") or []:
        key = f"[{json.dumps(instance['index_key'])}]" if "index_key" in instance else ""
        yield f"{module}{resource['type']}.{resource['name']}{key}", instance.get("status") == "tainted"
