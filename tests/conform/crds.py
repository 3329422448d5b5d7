"""Previewed Kubernetes resources compared with those that a provider published, default values included.

Descriptions are left out: those of fields come from the provider's documentation, those around them are the portal's
own words. So is the annotation that names the generator.
"""

import json
from collections.abc import Iterator, Set
from dataclasses import replace
from typing import Any

from tests.conform.base import Disagreement, RunOptions, Suite, SuiteReport
from tests.verification.schemas import published
from verification.schemas.crossplane.crd import build_definition
from verification.schemas.crossplane.options import GeneratorChoices, parse_choices
from verification.schemas.engine.parsing import parse_schema
from verification.schemas.engine.types import ParsedSchema

JUDGE = "CRDs published by crossplane-contrib/provider-upjet-github, commit 1d0ee16"
NOT_RUN = "The published CRDs are not on this machine; PORTAL_SHARED names the folder that holds them"
MAX_SHOWN = 120


def run(options: RunOptions) -> SuiteReport:
    """Compare each published definition with the preview made from the same schema and configuration."""
    archive = published.find_archive()
    if archive is None:
        return SuiteReport(JUDGE, 0, not_run=NOT_RUN)
    files = published.read_files(archive)
    configuration = published.read_configuration(files)
    choices, resources = published.build_choices(configuration), configuration.external.keys()
    definitions = published.read_definitions(files)
    configured_schema = parse_schema(published.read_schema(files, configuration))
    previews = preview(configured_schema, resources, choices)
    disagreements = [one for name in sorted(definitions | previews) for one in compare(name, previews, definitions)]
    defaults = sum(1 for one in definitions.values() for _ in find_defaults(one))
    usual, raw = parse_choices(published.PREFIX), parse_schema(files["config/schema.json"].encode())
    steps = {
        "default options": usual,
        "default options and --numbers number": replace(usual, numbers="number"),
        "each resource's kind": replace(usual, kinds=choices.kinds),
        "kinds, external names and references": choices,
    }
    figures = (
        ("Definitions", f"{len(definitions)}, both scopes"),
        ("Default values in them", str(defaults)),
        ("Not compared", "descriptions, and the annotation that names the generator"),
        *(
            (f"With {step}", count_equal(preview(raw, resources, step_choices), definitions))
            for step, step_choices in steps.items()
        ),
    )
    return SuiteReport(JUDGE, len(definitions), tuple(disagreements), figures=figures)


def preview(schema: ParsedSchema, resources: Set[str], choices: GeneratorChoices) -> dict[str, dict[str, Any]]:
    """Return the portal's definitions of these resources in each scope, by name."""
    definitions = (
        build_definition(schema.resources[resource], choices, is_namespaced=is_namespaced)
        for resource in resources & schema.resources.keys()
        for is_namespaced in choices.scopes
    )
    return {one["metadata"]["name"]: one for one in definitions}


def count_equal(previews: dict[str, dict[str, Any]], published_definitions: dict[str, dict[str, Any]]) -> str:
    names = previews.keys() & published_definitions.keys()
    equal = [name for name in names if not any(compare(name, previews, published_definitions))]
    return f"{len(names)} names equal, {len(equal)} definitions equal"


def compare(name: str, previews: dict[str, Any], published_definitions: dict[str, Any]) -> Iterator[Disagreement]:
    """Yield one disagreement for a definition that differs anywhere, with the first difference."""
    ours, theirs = strip(previews.get(name)), strip(published_definitions.get(name))
    difference = next(find_differences(ours, theirs, ""), None)
    if difference:
        path, one, other = difference
        yield Disagreement(f"{name}{path}", shorten(one), shorten(other))


def strip(value: Any, *, is_properties: bool = False) -> Any:
    """Return a definition without descriptions and annotations. Names of properties are never keywords."""
    if isinstance(value, list):
        return [strip(one) for one in value]
    if not isinstance(value, dict):
        return value
    entries = {key: one for key, one in value.items() if is_properties or key not in ("description", "annotations")}
    return {key: strip(one, is_properties=key == "properties" and not is_properties) for key, one in entries.items()}


def find_differences(one: Any, other: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            yield from find_differences(one.get(key), other.get(key), f"{path}.{key}")
    elif one != other:
        yield path, one, other


def find_defaults(value: Any, *, is_properties: bool = False) -> Iterator[Any]:
    """Yield every default value of a schema."""
    if isinstance(value, list):
        for one in value:
            yield from find_defaults(one)
    elif isinstance(value, dict):
        if "default" in value and not is_properties:
            yield value["default"]
        for key, one in value.items():
            yield from find_defaults(one, is_properties=key == "properties" and not is_properties)


def shorten(value: Any) -> str:
    return "absent" if value is None else json.dumps(value, sort_keys=True)[:MAX_SHOWN]


SUITE = Suite("crds", "Previewed Kubernetes resources", run)
