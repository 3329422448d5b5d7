"""Real provider schemas: previews checked by Kubernetes' own shapes, differences by a plain comparison of the JSON."""

import gzip
import json
import os
import random
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.conform.base import Disagreement, RunOptions, Suite, SuiteReport
from tests.verification.schemas.validators import list_rules
from verification.schemas.crossplane.coverage import build_previews
from verification.schemas.crossplane.options import parse_choices
from verification.schemas.engine.diff import compare_schemas
from verification.schemas.engine.parsing import parse_schema
from verification.terraform.versions import parse_version

REFERENCE = "kubernetes-validate, cel-python, and a plain comparison of the recorded JSON"
NOT_RUN = "The recorded schemas are not on this machine; PORTAL_SHARED names the folder that holds them"
SHORT_DEFINITIONS = 20
REMOVAL_KINDS = frozenset({"removed", "renamed"})
NEW = frozenset({"added", "optional_added", "computed_added", "required_added"})


def run(options: RunOptions) -> SuiteReport:
    """Validate every definition, or a sample, and compare neighboring versions of each provider."""
    paths = find_schemas()
    if not paths:
        return SuiteReport(REFERENCE, 0, not_run=NOT_RUN)
    documents = {path.name: path.read_bytes() for path in paths}
    definitions = [one for name in list_newest(paths) for one in preview(documents[name])]
    if not options.full:
        definitions = random.Random(options.seed).sample(definitions, SHORT_DEFINITIONS)
    refusals = list(validate(definitions))
    steps = list(pairwise(paths))
    steps = [(old, new) for old, new in steps if get_provider(old) == get_provider(new)]
    comparisons = [each for old, new in steps for each in compare(old.name, documents[old.name], documents[new.name])]
    figures = (
        ("Recorded schemas", str(len(paths))),
        ("Definitions validated", f"{len(definitions):,}"),
        ("Pairs of consecutive versions", str(len(steps))),
        ("Added or removed resources, data sources, and top-level arguments", f"{len(comparisons):,}"),
    )
    disagreements = tuple(each for each in (*refusals, *comparisons) if each is not None)
    return SuiteReport(REFERENCE, len(definitions) + len(comparisons), disagreements, figures=figures)


def find_schemas() -> list[Path]:
    folder = Path(os.environ.get("PORTAL_SHARED", "")) / "data" / "provider-schemas"
    return sorted(
        folder.glob("*.json.gz"), key=lambda path: (get_provider(path), parse_version(get_version(path)).rank)
    )


def get_provider(path: Path) -> str:
    return path.name.rpartition("_")[0]


def get_version(path: Path) -> str:
    return path.name.rpartition("_")[2].removesuffix(".json.gz")


def list_newest(paths: list[Path]) -> list[str]:
    return list({get_provider(path): path.name for path in paths}.values())


def preview(document: bytes) -> list[dict[str, Any]]:
    schema = parse_schema(document)
    return [one for each in build_previews(schema, parse_choices(schema.prefix)) for one in each.definitions]


def validate(definitions: list[dict[str, Any]]) -> Iterator[Disagreement | None]:
    """Yield the definitions that the portal offers and a validator refuses."""
    import celpy
    import kubernetes_validate

    environment = celpy.Environment()
    version = kubernetes_validate.latest_version()
    for one in definitions:
        try:
            kubernetes_validate.validate(one, version, strict=True)
            for rule in list_rules(one):
                environment.compile(rule)
        except (kubernetes_validate.ValidationError, celpy.CELParseError) as refusal:
            yield Disagreement(one["metadata"]["name"], "offers it", str(refusal)[:200])
            continue
        yield None


def compare(name: str, old: bytes, new: bytes) -> Iterator[Disagreement | None]:
    """Yield each thing that the plain comparison finds new or gone, as a disagreement unless the portal says so too."""
    changes = compare_schemas(parse_schema(old), parse_schema(new)).changes
    removals = {(change.subject, change.path) for change in changes if change.change_type in REMOVAL_KINDS}
    renames = [change for change in changes if change.change_type == "renamed"]
    additions = {(change.subject, change.path) for change in changes if change.change_type in NEW}
    additions |= {(change.subject, change.after) for change in renames if change.path}
    additions |= {(f"{change.subject.rpartition(' ')[0]} {change.after}", "") for change in renames if not change.path}
    for word, reported_changes, before, after in (("gone", removals, old, new), ("new", additions, new, old)):
        for place in sorted(list_names(before) - list_names(after)):
            resource, path = place
            if path and (resource, "") not in list_names(after):
                continue  # with a whole resource its arguments are not listed one by one
            yield None if place in reported_changes else Disagreement(f"{name}: {resource} {path}", f"not {word}", word)
        for resource, path in sorted(place for place in reported_changes if is_listed(place)):
            if (resource, path) not in list_names(before) - list_names(after):
                yield Disagreement(f"{name}: {resource} {path}", word, f"not {word}")


def is_listed(place: tuple[str, str]) -> bool:
    """Return whether `list_names` would list it: resources, data sources and their top-level arguments."""
    return place[0].startswith(("resource ", "data source ")) and "." not in place[1]


@cache
def list_names(document: bytes) -> set[tuple[str, str]]:
    """Return every resource and data source, and every argument and block at its top level."""
    text = gzip.decompress(document)
    (provider,) = json.loads(text)["provider_schemas"].values()
    names = set()
    for word, key in (("resource", "resource_schemas"), ("data source", "data_source_schemas")):
        for name, schema in provider.get(key, {}).items():
            block = schema["block"]
            names.add((f"{word} {name}", ""))
            names |= {
                (f"{word} {name}", each) for kind in ("attributes", "block_types") for each in block.get(kind, {})
            }
    return names


SUITE = Suite("schemas", "Provider schemas", run)
