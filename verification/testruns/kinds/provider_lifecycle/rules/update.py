"""Is a change planned in place, exactly as it was asked for, and made so?"""

from collections.abc import Iterator
from typing import Any

from verification.testruns.kinds.provider_lifecycle import plan_parsing
from verification.testruns.kinds.provider_lifecycle.judging import INCONSISTENT, of, trouble, unread
from verification.testruns.kinds.provider_lifecycle.records import Seen, error_of, listed
from verification.testruns.kinds.run_task.judging import Said, decided, failed, not_run, passed, warned

Asked = dict[str, set[str]]


def in_place(seen: Seen) -> Said:
    """The rule "change.plan"."""
    before, ran = of(seen, "plan"), of(seen, "change")
    wrong = trouble(ran) or unread(before) or unread(ran)
    if wrong or before.plan is None or ran.plan is None:
        return wrong or failed(ran.sentence)
    asked, found = plan_parsing.asked(before.plan, ran.plan), plan_parsing.changing(ran.plan)
    if not asked and not found:
        return not_run("The two configurations ask for the same, so no change was shown.")
    if not found:
        return failed(f"No change is planned, although the configuration changes {_told(asked)}.")
    said = [*_too_much(asked, found, ran.plan), *_too_little(asked, found)]
    told = [f"{name} ({listed(each['changed'], 6)})" for name, each in found.items()]
    return decided(said, passed(f"It changes {listed(told)} in place, and nothing else."))


def _told(asked: Asked) -> str:
    return listed(f"{name} ({listed(sorted(names), 6)})" for name, names in asked.items())


def _too_much(asked: Asked, found: dict[str, Any], plan: dict[str, Any]) -> Iterator[Said]:
    for name, change in found.items():
        if change["actions"] != ["update"]:
            yield failed(_otherwise(name, change))
            continue
        expressions = plan["expressions"].get(_bare(name), {})
        wanted = asked.get(_bare(name), set())
        led = {key for key, each in expressions.items() if _refers(each)}  # may follow from another change
        more = set(change["changed"]) - wanted - led
        if not more or _in_module(name):
            continue
        if "id" in more:
            yield failed(f"{name} gets another id, although it is changed in place: what refers to it breaks.")
        unasked = sorted(key for key in more if not _is_unknown(change, key))
        if unasked:
            yield failed(f"{name} changes {listed(unasked, 6)} too, which nobody asked for.")
        unknown = sorted(more - {"id", *unasked})
        if unknown:
            yield warned(f"{name}: {listed(unknown, 6)} would be known only after the apply, though nobody changes it.")


def _too_little(asked: Asked, found: dict[str, Any]) -> Iterator[Said]:
    """Attributes that the configuration changes and the plan does not."""
    for name, names in asked.items():
        changes = [each for address, each in found.items() if _bare(address) == name]
        if not changes and names and not name.startswith("module."):
            yield failed(f"{name} is not changed, although the configuration changes {listed(sorted(names), 6)}.")


def _otherwise(name: str, change: dict[str, Any]) -> str:
    if sorted(change["actions"]) == ["create", "delete"]:
        why = f" because of {listed(change['replaces'], 6)}" if change["replaces"] else ""
        return f"{name} would be replaced{why}, not changed in place."
    words = {"create": "created", "delete": "destroyed"}
    return f"{name} would be {words.get(change['actions'][0], change['actions'][0])}, not changed in place."


def _bare(address: str) -> str:
    """The address without the numbers of counted objects."""
    return address.partition("[")[0] if address.endswith("]") else address


def _in_module(address: str) -> bool:
    return address.startswith("module.")


def _refers(expression: Any) -> bool:
    """Whether something else decides the value."""
    if isinstance(expression, dict):
        return "references" in expression or any(_refers(each) for each in expression.values())
    return isinstance(expression, list) and any(_refers(each) for each in expression)


def _is_unknown(change: dict[str, Any], name: str) -> bool:
    return bool((change["unknown"] or {}).get(name))


def changed(seen: Seen) -> Said:
    """The rule "change.apply"."""
    ran = of(seen, "update")
    if INCONSISTENT in ran.errors:
        return failed(f"What was made is not what was planned. {error_of(ran)}")
    return trouble(ran) or passed("The change was made.")
