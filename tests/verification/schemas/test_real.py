"""Tests of recorded schemas of real providers, which need PORTAL_SHARED."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import celpy
import pytest
import yaml

from tests.codebase.project_files import ROOT
from tests.conform.crds import evaluate_example
from tests.verification.schemas.structural_rules import find_violations
from tests.verification.schemas.validators import CrdValidators, list_rules
from verification.schemas.crossplane.coverage import build_previews, iterate_files
from verification.schemas.crossplane.options import parse_choices
from verification.schemas.engine.parsing import parse_schema
from verification.schemas.engine.types import ParsedSchema
from verification.terraform.versions import parse_version

FOLDER = Path(os.environ.get("PORTAL_SHARED", "../shared")) / "data" / "provider-schemas"
ALL = sorted(path.name.removesuffix(".json.gz") for path in FOLDER.glob("*.json.gz"))
NEWEST = list(
    {
        name.rpartition("_")[0]: name for name in sorted(ALL, key=lambda name: parse_version(name.rpartition("_")[2]))
    }.values()
)
SAMPLE = 8  # kubernetes-validate is slow; bin/bench crds validates every definition of every version
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="no recorded schemas of providers on this machine")


def read_schema(name: str) -> ParsedSchema:
    return parse_schema((FOLDER / f"{name}.json.gz").read_bytes())


@pytest.mark.parametrize("name", ALL)
def test_previews_of_a_real_provider_skip_no_resource(name: str) -> None:
    schema = read_schema(name)
    previews = list(build_previews(schema, parse_choices(schema.prefix)))
    assert [one.reason for one in previews if not one.is_available] == []
    assert len(previews) == len(schema.resources)


@pytest.mark.parametrize("name", NEWEST)
def test_largest_definitions_of_a_real_provider_are_valid_in_kubernetes(name: str) -> None:
    largest = sorted(list_definitions(name), key=lambda one: len(json.dumps(one)), reverse=True)[:SAMPLE]
    validators = CrdValidators()
    assert [refusal for one in largest for refusal in validators.list_errors(one)] == []
    assert validators.definition_count == len(largest) > 0


@pytest.mark.parametrize("name", NEWEST)
def test_definitions_of_a_real_provider_are_structural_and_their_rules_compile(name: str) -> None:
    definitions = list_definitions(name)
    environment = celpy.Environment()
    assert [fault for one in definitions for fault in find_violations(one)] == []
    assert all(environment.compile(rule) for rule in {rule for one in definitions for rule in list_rules(one)})


@pytest.mark.parametrize("name", NEWEST)
def test_examples_of_a_real_provider_are_valid_under_its_definitions(name: str) -> None:
    schema = read_schema(name)
    choices = parse_choices(schema.prefix)
    files = list(iterate_files(schema, choices))
    definitions = {file: definition for file, _, definition in files if definition is not None}
    text = next(text for file, text, _ in files if file == "examples.yaml")
    _secret, *examples = yaml.load_all(text, yaml.CSafeLoader)
    assert [refusal for one in examples for refusal in evaluate_example(one, definitions)] == []


DIGEST = """
import hashlib, sys
from pathlib import Path
from verification.schemas.crossplane.options import parse_choices
from verification.schemas.crossplane.coverage import build_coverage, build_previews, render_json, summarize_preview
from verification.schemas.engine.parsing import parse_schema
schema = parse_schema(Path(sys.argv[1]).read_bytes())
previews = list(build_previews(schema, parse_choices(schema.prefix)))
texts = [name + text for one in previews for name, text, _ in one.iterate_files()]
texts.append(render_json(build_coverage(schema, list(map(summarize_preview, previews)))))
print(len(texts), hashlib.sha256("".join(texts).encode()).hexdigest())
"""


def test_files_of_a_real_provider_are_identical_in_every_process() -> None:
    path = FOLDER / "confluentinc_confluent_2.31.0.json.gz"
    first, second = (
        subprocess.run(
            [sys.executable, "-c", DIGEST, str(path)],
            env={"PYTHONHASHSEED": seed},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    )
    assert first == second
    assert first.startswith("111 ")


@cache
def list_definitions(name: str) -> list[dict[str, Any]]:
    schema = read_schema(name)
    return [one for preview in build_previews(schema, parse_choices(schema.prefix)) for one in preview.definitions]
