"""Of which resources can Kubernetes resources be made, and why not of the others? All of a schema at once."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from verification.schemas.crossplane.crd import definition
from verification.schemas.crossplane.naming import GroupKind, splits
from verification.schemas.crossplane.options import Choices
from verification.schemas.crossplane.pluralization import plural
from verification.schemas.engine.kubernetes_rules import faults
from verification.schemas.engine.types import ProviderSchema, Resource, Unsupported
from verification.schemas.engine.yaml_text import dump


@dataclass(frozen=True, slots=True)
class Preview:
    """One resource: its definitions (cluster-scoped, then namespaced), or why there are none.

    `instead_of` says why it does not have the group and kind that the generator alone would give."""

    resource: str
    definitions: tuple[dict[str, Any], ...] = ()
    why_not: str = ""
    other_splits: tuple[str, ...] = ()
    instead_of: str = ""

    @property
    def is_available(self) -> bool:
        return bool(self.definitions)

    @property
    def kind(self) -> str:
        return str(self.definitions[0]["spec"]["names"]["kind"]) if self.definitions else ""

    def files(self) -> Iterator[tuple[str, str]]:
        """The name and the text of each file."""
        for one in self.definitions:
            yield file_name(one), dump(one)


def file_name(one: dict[str, Any]) -> str:
    """As generated providers name theirs: the group, then the plural."""
    return f"{one['spec']['group']}_{one['spec']['names']['plural']}.yaml"


def previews(schema: ProviderSchema, choices: Choices) -> Iterator[Preview]:
    """Each resource in the order of names."""
    names = assigned(schema, choices)
    return (_preview(resource, choices, names) for resource in schema.resources.values())


def preview_of(schema: ProviderSchema, choices: Choices, resource: str) -> Preview | None:
    """One resource alone; None where the schema has none of that name."""
    found = schema.resources.get(resource)
    return _preview(found, choices, assigned(schema, choices)) if found else None


def assigned(schema: ProviderSchema, choices: Choices) -> dict[str, GroupKind | None]:
    """The group and kind of each resource. Where a name is taken the next plausible division is, or None is left."""
    taken: set[str] = set()
    names: dict[str, GroupKind | None] = {}
    for resource in (name for name, one in schema.resources.items() if one.arguments):
        free = (one for one in _candidates(resource, choices) if _full_name(one, choices) not in taken)
        names[resource] = next(free, None)
        if (chosen := names[resource]) is not None:
            taken.add(_full_name(chosen, choices))
    return names


def _candidates(resource: str, choices: Choices) -> tuple[GroupKind, ...]:
    return tuple(dict.fromkeys((choices.group_kind(resource), *splits(resource))))


def _preview(resource: Resource, choices: Choices, names: dict[str, GroupKind | None]) -> Preview:
    if not resource.arguments:
        return Preview(resource.name, why_not="it has no arguments, and the generator passes over such resources")
    first, chosen = choices.group_kind(resource.name), names[resource.name]
    others = tuple(str(one) for one in _candidates(resource.name, choices) if one != chosen)
    why = "" if chosen == first else f"{first} is already made of {_holder(first, choices, names)}"
    if chosen is None:
        return Preview(resource.name, why_not=f"{why}: give one of them another kind", other_splits=others)
    told = replace(choices, kinds={**choices.kinds, resource.name: chosen})
    try:
        each = tuple(definition(resource, told, namespaced=scope) for scope in choices.scopes)
    except Unsupported as error:
        return Preview(resource.name, why_not=str(error), other_splits=others)
    wrong = next((fault for one in each for fault in faults(one)), "")
    if wrong:
        return Preview(resource.name, why_not=f"Kubernetes would refuse it: {wrong}", other_splits=others)
    return Preview(resource.name, each, other_splits=others, instead_of=why)


def _holder(wanted: GroupKind, choices: Choices, names: dict[str, GroupKind | None]) -> str:
    """The resource that has the name."""
    full = _full_name(wanted, choices)
    return next(name for name, one in names.items() if one is not None and _full_name(one, choices) == full)


def _full_name(one: GroupKind, choices: Choices) -> str:
    return f"{plural(one.kind)}.{choices.group(one.group, namespaced=False)}"


def summary(schema: ProviderSchema, found: Iterable[Preview]) -> dict[str, Any]:
    """The coverage as plain data: how many, which, and why the others are missing. Keeps no definition in memory."""
    return summed(schema, [told(one) for one in found])


def told(one: Preview) -> dict[str, Any]:
    """What the coverage says of one resource: its kind and files, or the reason why there are none."""
    if not one.is_available:
        return {"resource": one.resource, "reason": one.why_not}
    return {
        "resource": one.resource,
        "group": one.definitions[0]["spec"]["group"],
        "kind": one.kind,
        "files": [file_name(each) for each in one.definitions],
        "other_splits": list(one.other_splits),
        "instead_of": one.instead_of,
    }


def summed(schema: ProviderSchema, found: list[dict[str, Any]]) -> dict[str, Any]:
    """The coverage from what `told` said of each resource."""
    skipped = [one for one in found if "reason" in one]
    available = [one for one in found if "reason" not in one]
    return {
        "source": schema.source,
        "total": len(found),
        "available": len(available),
        "skipped": len(skipped),
        "coverage": round(len(available) / len(found), 4) if found else 1.0,
        "resources": available,
        "skipped_resources": skipped,
    }


def as_json(coverage: dict[str, Any]) -> str:
    return json.dumps(coverage, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def as_text(coverage: dict[str, Any]) -> str:
    """The coverage for people: a line for the whole, then one for each resource that is missing."""
    lines = [
        f"{coverage['source']}: {coverage['available']} of {coverage['total']} resources, {coverage['coverage']:.1%}."
    ]
    lines += [_line(one) for one in coverage["resources"]]
    lines += ["Skipped:"] if coverage["skipped_resources"] else []
    lines += [f"  {one['resource']}: {one['reason']}" for one in coverage["skipped_resources"]]
    return "\n".join(lines) + "\n"


def _line(one: dict[str, Any]) -> str:
    why = f" ({one['instead_of']})" if one["instead_of"] else ""
    return f"  {one['resource']}: {one['kind']} in {one['group']}{why}"
