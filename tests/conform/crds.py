"""Previewed Kubernetes resources compared with those that a provider published, default values included.

Descriptions are left out: those of fields come from the provider's documentation, those around them are the portal's
own words. So is the annotation that names the generator.
"""

import json
from collections.abc import Iterator
from typing import Any

from tests.conform.base import Disagreement, RunOptions, Suite, SuiteReport
from tests.verification.schemas import published
from verification.schemas.crd import definition
from verification.schemas.read import read_one

JUDGE = "CRDs published by crossplane-contrib/provider-upjet-github, commit 1d0ee16"
NOT_RUN = "The published CRDs are not on this machine; PORTAL_SHARED names the folder that holds them"
MAX_SHOWN = 120


def run(options: RunOptions) -> SuiteReport:
    """Compare each published definition with the preview made from the same schema and configuration."""
    archive = published.find_archive()
    if archive is None:
        return SuiteReport(JUDGE, 0, not_run=NOT_RUN)
    files = published.read_files(archive)
    judged, previewed = published.read_definitions(files), dict(preview(files))
    found = [one for name in sorted(judged | previewed) for one in compare(name, previewed, judged)]
    defaults = sum(1 for one in judged.values() for _ in find_defaults(one))
    figures = (
        ("Definitions", f"{len(judged)}, both scopes"),
        ("Default values in them", str(defaults)),
        ("Not compared", "descriptions, and the annotation that names the generator"),
    )
    return SuiteReport(JUDGE, len(judged), tuple(found), figures=figures)


def preview(files: dict[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the portal's definition of each configured resource, in both scopes."""
    configuration = published.read_configuration(files)
    choices = published.build_choices(configuration)
    schema = read_one(published.read_schema(files, configuration))
    for resource in configuration.external.keys() & schema.resources.keys():
        for namespaced in choices.scopes:
            one = definition(schema.resources[resource], choices, namespaced=namespaced)
            yield one["metadata"]["name"], one


def compare(name: str, previewed: dict[str, Any], judged: dict[str, Any]) -> Iterator[Disagreement]:
    """Yield one disagreement for a definition that differs anywhere, with the first difference."""
    ours, theirs = strip(previewed.get(name)), strip(judged.get(name))
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
    kept = {key: one for key, one in value.items() if is_properties or key not in ("description", "annotations")}
    return {key: strip(one, is_properties=key == "properties" and not is_properties) for key, one in kept.items()}


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
