"""Parser of Terraform plans: changed objects, configured expressions, and unmarked secrets."""

import json
import re
from collections.abc import Iterator

from portal.core.value_types import JsonObject
from verification.testruns.kinds.provider_lifecycle.redaction import Secrets, mask_sensitive_values

MAX_OBJECTS = 200
# A provider decides what a plan contains, and deeply nested values exhaust the stack.
UNREADABLE_PLAN_ERRORS = (ValueError, AttributeError, TypeError, KeyError, RecursionError)


def reduce_plan(text: str, secrets: Secrets) -> JsonObject | None:
    """Reduce `terraform show -json PLAN` to changes and expressions by address, without values. None: not readable."""
    try:
        plan = json.loads(text)
        # Data sources are read, never created or changed.
        changes = [each for each in plan.get("resource_changes") or [] if each.get("mode") == "managed"]
        expressions = dict(_list_expressions(plan.get("configuration", {}).get("root_module", {})))
        return {
            "changes": {
                secrets.redact(each["address"]): _build_change(each, secrets) for each in changes[:MAX_OBJECTS]
            },
            "expressions": secrets.redact_data(expressions),
        }
    except UNREADABLE_PLAN_ERRORS:
        return None


def _build_change(resource_change: JsonObject, secrets: Secrets) -> JsonObject:
    """Return what a plan does with an object. `changed` names sensitive and unknown attributes, too."""
    change = resource_change["change"]
    before = change.get("before") or {}
    after = change.get("after") or {}
    unknown = {name for name, mark in (change.get("after_unknown") or {}).items() if _is_unknown(mark)}
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    names = {
        "changed": sorted(changed | unknown),
        "unknown": sorted(unknown),
        "replaces": [".".join(map(str, path)) for path in change.get("replace_paths") or []],
    }
    # The address of the provider is public. A variable for the organization often has the value of its namespace.
    kept = {"provider": resource_change.get("provider_name", ""), "actions": change["actions"]}
    return kept | secrets.redact_data(names)


def _is_unknown(mark: object) -> bool:
    # Nested attributes have a mark each, so an object of marks doesn't mean that anything is unknown.
    if isinstance(mark, dict | list):
        return any(map(_is_unknown, mark.values() if isinstance(mark, dict) else mark))
    return mark is True


def _list_expressions(module: JsonObject, prefix: str = "") -> Iterator[tuple[str, JsonObject]]:
    """Return the configured expressions by address, without the indexes of counted resources."""
    for resource in module.get("resources") or []:
        if resource.get("mode") == "managed":
            yield prefix + resource["address"], resource.get("expressions") or {}
    for name, call in (module.get("module_calls") or {}).items():
        yield f"{prefix}module.{name}", call.get("expressions") or {}
        yield from _list_expressions(call.get("module") or {}, f"{prefix}module.{name}.")


def find_unmarked_secrets(text: str, secrets: Secrets) -> tuple[str, ...] | None:
    """Return "address: attribute" for each secret in a plan's state that is not marked as sensitive.

    None: not readable, so that the state may contain some.
    """
    try:
        root = json.loads(text).get("prior_state", {}).get("values", {}).get("root_module", {})
        return tuple(path for resource in _list_objects(root) for path in _find_unmarked_paths(resource, secrets))
    except UNREADABLE_PLAN_ERRORS:
        return None


def _find_unmarked_paths(resource: JsonObject, secrets: Secrets) -> list[str]:
    values = mask_sensitive_values(resource.get("values") or {}, resource.get("sensitive_values") or {})
    return [
        secrets.redact(f"{resource['address']}: {name}")
        for name, value in values.items()
        if secrets.find_names_in(json.dumps(value))
    ]


def _list_objects(module: JsonObject) -> Iterator[JsonObject]:
    yield from module.get("resources") or []
    for child in module.get("child_modules") or []:
        yield from _list_objects(child)


def list_state_objects(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the addresses of the objects in a state file, and of the tainted ones. Raises ValueError."""
    # Steps that begin without a state write an empty file, which isn't JSON.
    if not text.strip():
        return (), ()
    try:
        objects = [each for resource in json.loads(text).get("resources") or [] for each in _list_instances(resource)]
    except (AttributeError, TypeError, KeyError, RecursionError) as error:
        raise ValueError("This is no state.") from error
    return tuple(address for address, _ in objects), tuple(address for address, is_tainted in objects if is_tainted)


def _list_instances(resource: JsonObject) -> Iterator[tuple[str, bool]]:
    """Return the address of each object of a resource, and whether it is tainted."""
    if resource.get("mode") != "managed":
        return
    module = f"{resource['module']}." if resource.get("module") else ""
    for instance in resource.get("instances") or []:
        key = f"[{_format_key(instance['index_key'])}]" if "index_key" in instance else ""
        yield f"{module}{resource['type']}.{resource['name']}{key}", instance.get("status") == "tainted"


def _format_key(key: object) -> str:
    """Return a key as in Terraform's addresses, which escape template markers, but not letters outside of ASCII."""
    return re.sub(r"[$%](?=\{)", r"\g<0>\g<0>", json.dumps(key, ensure_ascii=False))
