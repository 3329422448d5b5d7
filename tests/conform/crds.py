"""The previewed Crossplane provider compared with a published one: definitions, examples, and configuration of Upjet.

Descriptions are not compared: those of fields come from the provider's documentation, the others from the portal. The
annotation that names the generator isn't compared either.
"""

import json
from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from typing import Any

import celpy
import jsonschema

from tests.conform.base import Disagreement, RunOptions, Suite, SuiteReport
from tests.verification.schemas import published
from tests.verification.schemas.validators import list_rules
from verification.schemas.crossplane.coverage import list_examples
from verification.schemas.crossplane.crd import CEL_RESERVED_WORDS, build_definition
from verification.schemas.crossplane.options import GeneratorChoices, parse_choices
from verification.schemas.crossplane.provider_config import build_provider_definitions
from verification.schemas.crossplane.upjet_config import build_metadata, render_configuration
from verification.schemas.engine.parsing import parse_schema
from verification.schemas.engine.types import ParsedSchema

REFERENCE = "crossplane-contrib/provider-upjet-github as published, commit 1d0ee16"
NOT_RUN = "The published CRDs are not on this machine; PORTAL_SHARED names the folder that holds them"
MAX_SHOWN = 120
# the place of a difference and the published value: why it differs
EXPLANATIONS = {
    (".spec.names.categories", '["crossplane", "provider", "template"]'): "The project kept its template's category",
    (".metadata.name", '"provider-upjet-github"'): "The project chose the name of its package",
}


def run(options: RunOptions) -> SuiteReport:
    """Compare everything that the provider publishes with the preview from the same schema and choices."""
    archive = published.find_archive()
    if archive is None:
        return SuiteReport(REFERENCE, 0, not_run=NOT_RUN)
    files = published.read_files(archive)
    configuration = published.read_configuration(files)
    choices = published.build_choices(configuration)
    resources = configuration.external.keys()
    schema = parse_schema(files["config/schema.json"].encode())
    definitions = published.read_definitions(files)
    previews = preview(schema, resources, choices)
    compared = [each for name in sorted(definitions | previews) for each in compare(name, previews, definitions)]
    metadata = compare_metadata(schema, choices, files)
    kinds = {name: choices.get_group_kind(name) for name in sorted(resources & schema.resources.keys())}
    examples = list(list_examples(schema, choices, kinds))[1:]  # the first one is the secret
    refusals = [each for one in examples for each in evaluate_example(one, definitions)]
    settings = list(compare_configuration(render_configuration(kinds, choices), configuration, kinds.keys()))
    exact = len(definitions | previews) - len(compared)
    defaults = sum(1 for one in definitions.values() for _ in find_defaults(one))
    figures = (
        ("Definitions", f"{len(definitions)}, both scopes"),
        ("Exact definitions", f"{exact}, with {defaults} default values in all"),
        ("Explained definitions", str(len(compared) - count_unexplained(compared))),
        ("Unexplained definitions", str(count_unexplained(compared))),
        ("Examples valid under the published definitions", f"{len(examples) - len(refusals)} of {len(examples)}"),
        (
            "Equal external names, kinds, references, and sensitive arguments for Upjet",
            f"{len(kinds) - len(settings)} of {len(kinds)} resources",
        ),
        ("Not compared", "descriptions, annotations, and the project's own Go code, such as extractors of references"),
        *count_by_options(schema, resources, choices, definitions),
    )
    disagreements = (*compared, *metadata, *refusals, *settings)
    cases = len(definitions | previews) + 1 + len(examples) + len(kinds)
    return SuiteReport(REFERENCE, cases, disagreements, figures=figures)


def count_unexplained(disagreements: Iterable[Disagreement]) -> int:
    return sum(not each.reason for each in disagreements)


def count_by_options(
    schema: ParsedSchema, resources: Set[str], choices: GeneratorChoices, definitions: dict[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yield how many definitions are equal with more and more of the project's choices."""
    usual = parse_choices(published.PREFIX)
    steps = {
        "default options": usual,
        "default options and --numbers number": replace(usual, numbers="number"),
        "each resource's kind": replace(usual, kinds=choices.kinds),
        "kinds, external names, and references": replace(choices, sensitive={}),
        "those and sensitive arguments": choices,
    }
    for step, step_choices in steps.items():
        yield f"With {step}", describe_equality(preview(schema, resources, step_choices), definitions)


def preview(schema: ParsedSchema, resources: Set[str], choices: GeneratorChoices) -> dict[str, dict[str, Any]]:
    """Return the portal's definitions of the provider and these resources in each scope, by name."""
    definitions = [
        build_definition(schema.resources[resource], choices, is_namespaced=is_namespaced)
        for resource in resources & schema.resources.keys()
        for is_namespaced in choices.scopes
    ]
    return {one["metadata"]["name"]: one for one in [*definitions, *build_provider_definitions(choices)]}


def describe_equality(previews: dict[str, dict[str, Any]], published_definitions: dict[str, dict[str, Any]]) -> str:
    names = previews.keys() & published_definitions.keys()
    equal = [name for name in names if not any(compare(name, previews, published_definitions))]
    return f"{len(names)} names equal, {len(equal)} definitions equal"


def compare(name: str, previews: dict[str, Any], published_definitions: dict[str, Any]) -> Iterator[Disagreement]:
    """Yield one disagreement for a document that differs anywhere, unexplained if any of its differences is."""
    ours = strip(previews.get(name))
    theirs = strip(published_definitions.get(name))
    differences = [
        Disagreement(f"{name}{path}", shorten(one), shorten(other), EXPLANATIONS.get((path, shorten(other)), ""))
        for path, one, other in find_differences(ours, theirs, "")
    ]
    yield from sorted(differences, key=lambda each: each.reason)[:1]


def compare_metadata(schema: ParsedSchema, choices: GeneratorChoices, files: dict[str, str]) -> list[Disagreement]:
    path = "package/crossplane.yaml"
    document = published.read_document(files[path])
    return list(compare(path, {path: build_metadata(schema.source, choices)}, {path: document}))


def evaluate_example(example: dict[str, Any], definitions: dict[str, Any]) -> Iterator[Disagreement]:
    """Yield what the published definition of an example says against it."""
    group = example["apiVersion"].partition("/")[0]
    definition = next(
        one["spec"]
        for one in definitions.values()
        if (one["spec"]["group"], one["spec"]["names"]["kind"]) == (group, example["kind"])
    )
    case = f"example of {example['kind']} in {group}"
    schema = close_objects(definition["versions"][0]["schema"]["openAPIV3Schema"])
    for error in list(jsonschema.Draft202012Validator(schema).iter_errors(example))[:1]:
        yield Disagreement(case, "offers it", f"{error.json_path}: {error.message[:MAX_SHOWN]}")
    environment = celpy.Environment()
    spec = celpy.json_to_cel({"managementPolicies": ["*"]} | escape_names(example["spec"]))
    for rule in list_rules({"spec": definition}):
        if not environment.program(environment.compile(rule)).evaluate({"self": spec}):
            yield Disagreement(case, "offers it", rule[:MAX_SHOWN])


def escape_names(value: Any) -> Any:
    """Return a value with the names of properties as CEL has them in Kubernetes."""
    if not isinstance(value, dict):
        return value
    return {f"__{key}__" if key in CEL_RESERVED_WORDS else key: escape_names(one) for key, one in value.items()}


def close_objects(schema: Any) -> Any:
    """Return a schema that allows no other properties, which Kubernetes would drop, except in the metadata."""
    if not isinstance(schema, dict):
        return schema
    closed = {key: close_objects(one) for key, one in schema.items() if key not in ("properties", "required")}
    if "properties" in schema:
        closed["properties"] = {name: close_objects(one) for name, one in schema["properties"].items()}
        closed["additionalProperties"] = False
    return closed | ({"required": schema["required"]} if "required" in schema else {})


def compare_configuration(
    text: str, theirs: published.Configuration, resources: Iterable[str]
) -> Iterator[Disagreement]:
    """Yield the resources that the portal's Go file configures otherwise than the project's files."""
    names = {"config/external_name.go": text, "config/namespaced/config.go": text}
    ours = published.read_configuration(names | {"config/provider-metadata.yaml": "resources: {}"})
    for name in resources:
        one = describe_settings(ours, name)
        other = describe_settings(theirs, name)
        if one != other:
            yield Disagreement(f"config of {name}", shorten(one), shorten(other))


def describe_settings(configuration: published.Configuration, name: str) -> dict[str, Any]:
    return {
        "external name": configuration.external[name],
        "kind": published.complete_kind(name, configuration.kinds.get(name, "")),
        "references": configuration.references[name],
        "sensitive": sorted(argument for resource, argument in configuration.sensitive if resource == name),
    }


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


SUITE = Suite("crds", "Previewed Crossplane provider", run)
