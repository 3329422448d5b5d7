"""Names of providers beyond ASCII: what Terraform asks a registry for, and what it refuses."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.verification.releases import terraform
from tests.verification.releases.world import World
from verification.releases.artifacts.file_names import is_part, is_provider, normalize_part

NORMALIZED_NAMES = {
    "Null": "null",
    "stra\u00dfe": "stra\u00dfe",
    "\u1e9ex": "ssx",
    "x\u00b2": "x2",
    "\uff58": "x",
    "\u0130x": "i\u0307x",
    "a\u0301": "\u00e1",
    "\u65e5\u672c": "\u65e5\u672c",
    "\u2177": "viii",
    "\uab70": "\u13a0",
    "x\u200by": "xy",
    "\u0939\u093f\u0928\u094d\u0926\u0940": "\u0939\u093f\u0928\u094d\u0926\u0940",
    "\u0915\u094d\u200d\u0937": "\u0915\u094d\u200d\u0937",
    "\u05e9\u05dc\u05d5\u05dd": "\u05e9\u05dc\u05d5\u05dd",
    "\u00bd": "1\u20442",
    "\u2603": "\u2603",
}
REFUSED_NAMES = (
    "my_x",
    "my--x",
    "a.b",
    "-a",
    "a-",
    "xn--nxasmq6b",
    "a b",
    "\u0661",
    "\u0301a",
    "\u05e9a",
    "a\u05e9",
    "a\u200db",
    "\u2260",
    "\u2100",
    "\u65e5--\u672c",
    "-\u65e5",
)


@pytest.mark.parametrize("name", NORMALIZED_NAMES)
def test_name_is_mapped_as_terraform_maps_it(name: str) -> None:
    assert (is_provider(name), normalize_part(name)) == (True, NORMALIZED_NAMES[name])


@pytest.mark.parametrize("name", REFUSED_NAMES)
def test_name_that_terraform_refuses_is_refused_and_stays(name: str) -> None:
    assert (is_part(name), normalize_part(name)) == (False, name)


def ask_terraform(folder: Path, names: Iterable[str]) -> list[dict[str, Any]]:
    """Return what Terraform finds wrong with providers of these names, each on a line of its own."""
    world = World(None)
    sources = [f"{terraform.HOST}/acme/{name}" for name in names]
    lines = [f'"p{at}": {json.dumps({"source": source, "version": "1.0.0"})}' for at, source in enumerate(sources)]
    (folder / "main.tf.json").write_text('{"terraform": {"required_providers": {\n' + ",\n".join(lines) + "\n}}}")
    completed_process = terraform.run(folder, TF_CLI_CONFIG_FILE=str(terraform.write_cli_config(folder, world.url)))
    world.stop()
    return [
        message["diagnostic"]
        for message in map(json.loads, completed_process.stdout.splitlines())
        if "diagnostic" in message
    ]


@pytest.mark.skipif(not terraform.available(), reason="Terraform is not installed")
def test_terraform_asks_for_the_same_names(tmp_path: Path) -> None:
    details = " ".join(each["detail"] for each in ask_terraform(tmp_path, NORMALIZED_NAMES))
    assert set(re.findall(rf"{terraform.HOST}/acme/([^\s:,]+)", details)) == set(NORMALIZED_NAMES.values())


@pytest.mark.skipif(not terraform.available(), reason="Terraform is not installed")
def test_terraform_refuses_the_same_names(tmp_path: Path) -> None:
    lines = [each["range"]["start"]["line"] for each in ask_terraform(tmp_path, REFUSED_NAMES) if "range" in each]
    assert sorted(lines) == [at + 2 for at in range(len(REFUSED_NAMES))]
