"""Tests of provider names, including international ones, that Terraform normalizes or refuses."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.verification.releases import terraform
from tests.verification.releases.release_registry import ReleaseRegistry
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
def test_name_is_normalized(name: str) -> None:
    assert (is_provider(name), normalize_part(name)) == (True, NORMALIZED_NAMES[name])


@pytest.mark.parametrize("name", REFUSED_NAMES)
def test_invalid_name_is_refused_and_not_normalized(name: str) -> None:
    assert (is_part(name), normalize_part(name)) == (False, name)


def list_diagnostics(folder: Path, names: Iterable[str]) -> list[dict[str, Any]]:
    """Return Terraform's diagnostics for providers of these names, each of which is on its own line."""
    registry = ReleaseRegistry(None)
    sources = [f"{terraform.HOST}/acme/{name}" for name in names]
    lines = [f'"p{at}": {json.dumps({"source": source, "version": "1.0.0"})}' for at, source in enumerate(sources)]
    (folder / "main.tf.json").write_text('{"terraform": {"required_providers": {\n' + ",\n".join(lines) + "\n}}}")
    process = terraform.run_init(folder, TF_CLI_CONFIG_FILE=str(terraform.write_cli_config(folder, registry.url)))
    registry.stop()
    messages = map(json.loads, process.stdout.splitlines())
    return [message["diagnostic"] for message in messages if "diagnostic" in message]


@terraform.needs_terraform
def test_terraform_requests_the_normalized_names(tmp_path: Path) -> None:
    details = " ".join(each["detail"] for each in list_diagnostics(tmp_path, NORMALIZED_NAMES))
    assert set(re.findall(rf"{terraform.HOST}/acme/([^\s:,]+)", details)) == set(NORMALIZED_NAMES.values())


@terraform.needs_terraform
def test_terraform_refuses_the_invalid_names(tmp_path: Path) -> None:
    lines = [each["range"]["start"]["line"] for each in list_diagnostics(tmp_path, REFUSED_NAMES) if "range" in each]
    assert sorted(lines) == [at + 2 for at in range(len(REFUSED_NAMES))]
