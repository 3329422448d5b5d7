"""Kubernetes resources for all resources of a schema, with the reason for each skipped one."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from portal.core.value_types import JsonObject
from verification.schemas.crossplane.crd import build_definition
from verification.schemas.crossplane.examples import build_example, build_provider_examples
from verification.schemas.crossplane.naming import GroupKind, list_group_kinds, pluralize
from verification.schemas.crossplane.options import GeneratorChoices
from verification.schemas.crossplane.provider_config import build_provider_definitions
from verification.schemas.crossplane.upjet_config import build_metadata, render_configuration
from verification.schemas.engine.kubernetes_rules import find_name_violations
from verification.schemas.engine.types import ParsedSchema, Resource, UnsupportedSchemaError
from verification.schemas.engine.yaml_text import dump

COVERAGE_FILE = "coverage.json"
COVERAGE_TEXT_FILE = "coverage.txt"


@dataclass(frozen=True, slots=True)
class CrdPreview:
    """Definitions of a resource (cluster-scoped, then namespaced), or the reason why there are none.

    `kind_reason` is the reason why the group and kind differ from the generator's default.
    """

    resource: str
    definitions: tuple[JsonObject, ...] = ()
    reason: str = ""
    other_kinds: tuple[str, ...] = ()
    kind_reason: str = ""
    group_kind: GroupKind | None = None

    @property
    def is_available(self) -> bool:
        return bool(self.definitions)

    def iterate_files(self) -> Iterator[tuple[str, str, JsonObject]]:
        """Yield the name and the text of each file, with its definition."""
        for definition in self.definitions:
            yield build_file_name(definition), dump(definition), definition


def build_file_name(definition: JsonObject) -> str:
    """Return the file name as in generated providers: the group, then the plural."""
    return f"{definition['spec']['group']}_{definition['spec']['names']['plural']}.yaml"


def build_previews(schema: ParsedSchema, choices: GeneratorChoices) -> Iterator[CrdPreview]:
    """Return the previews of all resources, ordered by name."""
    owners = assign_names(schema, choices)
    return (_build_preview(resource, choices, owners) for resource in schema.resources.values())


def build_preview(schema: ParsedSchema, choices: GeneratorChoices, resource: str) -> CrdPreview | None:
    """Return the preview of one resource, or None if the schema doesn't contain it."""
    resource_schema = schema.resources.get(resource)
    return _build_preview(resource_schema, choices, assign_names(schema, choices)) if resource_schema else None


def assign_names(schema: ParsedSchema, choices: GeneratorChoices) -> dict[str, str]:
    """Return the resource that gets each full name. Each resource gets its first unused candidate, if there is one."""
    owners: dict[str, str] = {}
    # The resources are in alphabetical order, so the same one gets a disputed name each time.
    for resource in (name for name, block in schema.resources.items() if block.arguments):
        names = (_build_full_name(candidate, choices) for candidate in _list_candidates(resource, choices))
        unused_name = next((name for name in names if name not in owners), None)
        if unused_name is not None:
            owners[unused_name] = resource
    return owners


def _list_candidates(resource: str, choices: GeneratorChoices) -> tuple[GroupKind, ...]:
    return tuple(dict.fromkeys((choices.get_group_kind(resource), *list_group_kinds(resource))))


def _build_preview(resource: Resource, choices: GeneratorChoices, owners: Mapping[str, str]) -> CrdPreview:
    if not resource.arguments:
        return CrdPreview(resource.name, reason="it has no arguments, and the generator skips such resources")
    owner_by_kind = {
        each: owners.get(_build_full_name(each, choices)) for each in _list_candidates(resource.name, choices)
    }
    first = choices.get_group_kind(resource.name)
    group_kind = next((each for each, owner in owner_by_kind.items() if owner == resource.name), None)
    others = tuple(str(each) for each in owner_by_kind if each != group_kind)
    reason = "" if group_kind == first else f"{first} is already used for {owner_by_kind[first]}"
    if group_kind is None:
        return CrdPreview(resource.name, reason=f"{reason}; choose another kind for one of them", other_kinds=others)
    # The assigned name can differ from the generator's default.
    preview_choices = replace(choices, kinds={**choices.kinds, resource.name: group_kind})
    try:
        definitions = tuple(
            build_definition(resource, preview_choices, is_namespaced=scope) for scope in choices.scopes
        )
    except UnsupportedSchemaError as error:
        return CrdPreview(resource.name, reason=str(error), other_kinds=others)
    # Kubernetes would refuse the file, so people are better off with the reason.
    if violation := next(find_name_violations(definitions[0]), ""):
        return CrdPreview(resource.name, reason=f"Kubernetes would reject it: {violation}", other_kinds=others)
    return CrdPreview(resource.name, definitions, other_kinds=others, kind_reason=reason, group_kind=group_kind)


def _build_full_name(group_kind: GroupKind, choices: GeneratorChoices) -> str:
    # Two kinds collide if their plurals do, because Kubernetes names a definition by its plural.
    return f"{pluralize(group_kind.kind)}.{choices.build_group_name(group_kind.group, is_namespaced=False)}"


def summarize_preview(crd_preview: CrdPreview) -> JsonObject:
    """Return the coverage entry of a resource: its kind and files, or the reason why it is unavailable."""
    if not crd_preview.is_available:
        return {"resource": crd_preview.resource, "reason": crd_preview.reason}
    spec = crd_preview.definitions[0]["spec"]
    return {
        "resource": crd_preview.resource,
        "group": spec["group"],
        "kind": spec["names"]["kind"],
        "files": [build_file_name(each) for each in crd_preview.definitions],
        "other_kinds": list(crd_preview.other_kinds),
        "kind_reason": crd_preview.kind_reason,
    }


def build_coverage(schema: ParsedSchema, entries: Sequence[JsonObject]) -> JsonObject:
    """Combine the entries of `summarize_preview` into the coverage of a schema."""
    skipped = [entry for entry in entries if "reason" in entry]
    available = [entry for entry in entries if "reason" not in entry]
    return {
        "source": schema.source,
        "total": len(entries),
        "available": len(available),
        "skipped": len(skipped),
        "coverage": round(len(available) / len(entries), 4) if entries else 1.0,
        "resources": available,
        "skipped_resources": skipped,
    }


def iterate_files(schema: ParsedSchema, choices: GeneratorChoices) -> Iterator[tuple[str, str, JsonObject | None]]:
    """Yield the name and text of each file, with its definition if it has one. The last two contain the coverage."""
    # One definition at a time: a provider can have 1,500 resources, with two definitions each.
    entries = []
    kinds = {}
    for crd_preview in build_previews(schema, choices):
        yield from crd_preview.iterate_files()
        entries.append(summarize_preview(crd_preview))
        # Examples and configuration must not refer to resources without a definition.
        if crd_preview.group_kind is not None:
            kinds[crd_preview.resource] = crd_preview.group_kind
    package_files = list(_iterate_package_files(schema, choices, kinds))
    yield from package_files
    coverage = build_coverage(schema, entries) | {"package_files": [name for name, *_ in package_files]}
    yield COVERAGE_FILE, render_json(coverage), None
    yield COVERAGE_TEXT_FILE, render_text(coverage), None


def _iterate_package_files(
    schema: ParsedSchema, choices: GeneratorChoices, kinds: Mapping[str, GroupKind]
) -> Iterator[tuple[str, str, JsonObject | None]]:
    """Yield the files of the provider itself: its definitions, metadata, examples, and configuration of Upjet."""
    for definition in build_provider_definitions(choices):
        yield build_file_name(definition), dump(definition), definition
    yield "crossplane.yaml", dump(build_metadata(schema.source, choices)), None
    yield "examples.yaml", "".join(dump(example) for example in list_examples(schema, choices, kinds)), None
    yield "upjet.go", render_configuration(kinds, choices), None


def list_examples(
    schema: ParsedSchema, choices: GeneratorChoices, kinds: Mapping[str, GroupKind]
) -> Iterator[JsonObject]:
    """Yield the example objects of the provider, then those of each resource."""
    yield from build_provider_examples(schema.provider, choices)
    for name, group_kind in kinds.items():
        for is_namespaced in choices.scopes:
            yield build_example(schema.resources[name], group_kind, choices, is_namespaced=is_namespaced)


def render_json(coverage: Mapping[str, object]) -> str:
    return json.dumps(coverage, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def render_text(coverage: JsonObject) -> str:
    """Format the coverage as text: a summary, the resources, then the skipped resources."""
    lines = [
        f"{coverage['source']}: {coverage['available']} of {coverage['total']} resources, {coverage['coverage']:.1%}."
    ]
    lines += [_format_line(entry) for entry in coverage["resources"]]
    if coverage["skipped_resources"]:
        lines.append("Skipped:")
    lines += [f"  {entry['resource']}: {entry['reason']}" for entry in coverage["skipped_resources"]]
    return "\n".join(lines) + "\n"


def _format_line(entry: Mapping[str, object]) -> str:
    reason = f" ({entry['kind_reason']})" if entry["kind_reason"] else ""
    return f"  {entry['resource']}: {entry['kind']} in {entry['group']}{reason}"
