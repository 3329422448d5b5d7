"""Published CRDs of a Crossplane provider, with the schema and configuration they were generated from.

The archive isn't part of the project. PORTAL_SHARED names its folder.
"""

import os
import re
import tarfile
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from verification.schemas.crossplane.naming import derive_group_kind
from verification.schemas.crossplane.options import GeneratorChoices, parse_choices

ARCHIVE = "data/published-crds/provider-upjet-github-1d0ee16.tar.xz"
ROOT = "provider-upjet-github/"
PREFIX = "github"
SHORT_GROUP = re.compile(r'r\.ShortGroup = "(?P<group>[^"]*)"')
KIND = re.compile(r'r\.Kind = "(?P<kind>\w+)"')
REFERENCE = re.compile(
    r'r\.References\["(?P<path>[\w.]+)"\] = config\.Reference\{\s*(?P<key>TerraformName|Type): +"(?P<target>\w+)"'
)
NO_REFERENCE = re.compile(r'delete\(r\.References, "(?P<path>[\w.]+)"\)')
# The files set Required too, but don't unset Optional, which wins.
SENSITIVE = re.compile(r'r\.TerraformResource\.Schema\["(?P<name>\w+)"\]\.Sensitive = true')
CONFIGURATOR = re.compile(r'AddResourceConfigurator\("(?P<resource>\w+)", func')
EXTERNAL_NAME = re.compile(r'^\s*"(?P<resource>\w+)": config\.(?P<rule>[^\n]+),$', re.MULTILINE)
TEMPLATED_NAME_PATTERN = re.compile(r'TemplatedStringAsIdentifier\("(?P<name>\w*)", "(?P<template>[^"]*)"\)')


@dataclass
class Configuration:
    """What the provider's authors configured, read from their Go files."""

    kinds: dict[str, str] = field(default_factory=dict)  # resource to "group/Kind"; either part can be blank
    external: dict[str, str] = field(default_factory=dict)
    references: defaultdict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    dropped_fields: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    sensitive: list[tuple[str, str]] = field(default_factory=list)


def find_archive() -> Path | None:
    path = Path(os.environ.get("PORTAL_SHARED", "")) / ARCHIVE
    return path if path.is_file() else None


@cache
def read_files(archive: Path) -> dict[str, str]:
    """Return every text file of the archive by its path inside the provider."""
    with tarfile.open(archive) as tar:
        members = [member for member in tar if member.isfile()]
        opened_files = ((one.name, tar.extractfile(one)) for one in members)
        return {name.removeprefix(ROOT): file.read().decode() for name, file in opened_files if file is not None}


def read_definitions(files: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Return the published definitions by their names."""
    documents = [yaml.safe_load(text) for path, text in files.items() if path.startswith("package/crds/")]
    return {one["metadata"]["name"]: one for one in documents}


def read_document(text: str) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(text)
    return document


def read_configuration(files: dict[str, str]) -> Configuration:
    """Return what the Go files of the namespaced scope say; those of the other scope say the same."""
    configuration = Configuration()
    for match in EXTERNAL_NAME.finditer(files["config/external_name.go"]):
        configuration.external[match["resource"]] = _read_rule(match["rule"])
    for path, text in files.items():
        if path.startswith("config/namespaced/"):
            _read_configurators(text, configuration)
    _inject_references(files["config/provider-metadata.yaml"], configuration)
    return configuration


def _read_rule(text: str) -> str:
    match = TEMPLATED_NAME_PATTERN.fullmatch(text)
    if match:
        return f"TEMPLATED_STRING_AS_IDENTIFIER:{match['name']}:{match['template']}"
    return {"IdentifierFromProvider": "IDENTIFIER_FROM_PROVIDER", "NameAsIdentifier": "NAME_AS_IDENTIFIER"}[text]


def _read_configurators(text: str, configuration: Configuration) -> None:
    _, *parts = CONFIGURATOR.split(text)
    for resource, body in zip(parts[::2], parts[1::2], strict=True):
        body = re.sub(r"//[^\n]*", "", body)
        group = SHORT_GROUP.search(body)
        kind = KIND.search(body)
        configuration.kinds[resource] = f"{group['group'] if group else ''}/{kind['kind'] if kind else ''}"
        for match in REFERENCE.finditer(body):
            target = match["target"] if match["key"] == "TerraformName" else f"{PREFIX}_{match['target'].lower()}"
            configuration.references[resource][match["path"]] = target
        configuration.dropped_fields[resource] |= {match["path"] for match in NO_REFERENCE.finditer(body)}
        configuration.sensitive += [(resource, match["name"]) for match in SENSITIVE.finditer(body)]


def _inject_references(metadata: str, configuration: Configuration) -> None:
    """Add the references that the generator takes from the examples of the provider's documentation."""
    for resource, words in yaml.safe_load(metadata)["resources"].items():
        for example in words.get("examples") or ():
            for path, target in (example.get("references") or {}).items():
                if (
                    target.partition(".")[0] in configuration.external
                    and path not in configuration.dropped_fields[resource]
                ):
                    configuration.references[resource].setdefault(path, target.partition(".")[0])


def build_choices(configuration: Configuration) -> GeneratorChoices:
    """Return the configuration as options of preview_crds, with the numbers of a provider generated from Go code."""
    kinds = [complete_kind(resource, text) for resource, text in configuration.kinds.items()]
    return parse_choices(
        PREFIX,
        external=tuple(f"{resource}={rule}" for resource, rule in configuration.external.items()),
        kinds=tuple(kinds),
        references=tuple(
            f"{one}.{path}={target}"
            for one, targets in configuration.references.items()
            for path, target in sorted(targets.items())
        ),
        sensitive=tuple(f"{resource}.{name}" for resource, name in configuration.sensitive),
        numbers="integer",
    )


def complete_kind(resource: str, text: str) -> str:
    group, _, kind = text.partition("/")
    return f"{resource}={group}/{kind or derive_group_kind(resource).kind}"
