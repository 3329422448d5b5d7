"""Verdicts of the real Terraform on constraints and offered versions, many providers in one init."""

import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.verification.releases import terraform
from tests.verification.releases.release_registry import ReleaseRegistry
from tests.verification.terraform.pairs import Pair, Selection

BATCH = 250  # Terraform reads the whole file again for each error in it
ACCEPTED = "accepted"
NO_MATCH = "no match"
BAD_CONSTRAINT = "bad constraint"
BAD_VERSION = "bad version"
PANIC = "panic"
UNAVAILABLE_VERSION_PATTERN = re.compile(r" v(\S+) does not have a package available")


class TerraformPanicError(Exception):
    """Terraform ended with a panic of its own code."""


def evaluate_pairs(pairs: Sequence[Pair]) -> list[str]:
    """Return Terraform's verdict on each pair."""
    offers = [Selection(pair.constraint, (pair.version,)) for pair in pairs]
    return [_classify(text) for text in _ask(offers)]


def evaluate_selections(selections: Sequence[Selection]) -> list[str]:
    """Return the version that Terraform chooses of each list; blank for none."""
    matches = (UNAVAILABLE_VERSION_PATTERN.search(text) for text in _ask(selections))
    return [match[1] if match else "" for match in matches]


def _classify(text: str) -> str:
    if text == PANIC:
        return PANIC
    if text.startswith(("Invalid version constraint", "Invalid provider version constraint")):
        return BAD_CONSTRAINT
    if "invalid version string" in text:
        return BAD_VERSION
    if "no available releases match" in text:
        return NO_MATCH
    assert UNAVAILABLE_VERSION_PATTERN.search(text), f"unknown error of Terraform: {text}"
    return ACCEPTED


def _ask(offers: Sequence[Selection]) -> list[str]:
    """Return Terraform's error for each offer. There is one for each because it never finds a package."""
    registry = ReleaseRegistry(None)
    try:
        return [text for at in range(0, len(offers), BATCH) for text in _ask_batch(registry, offers[at : at + BATCH])]
    finally:
        registry.stop()


def _ask_batch(registry: ReleaseRegistry, offers: Sequence[Selection]) -> list[str]:
    names = {f"p{at}": offer for at, offer in enumerate(offers)}
    for name, offer in names.items():
        versions = [{"version": version, "protocols": ["5.0"]} for version in offer.versions]
        registry.routes[f"/v1/providers/acme/{name}/versions"] = {"versions": versions}
    error_by_name: dict[str, str] = {}
    # two libraries report syntax errors one after the other, and then Terraform doesn't ask the registry
    while remaining := [name for name in names if name not in error_by_name]:
        answers = _ask_about(registry, {name: names[name].constraint for name in remaining})
        assert answers, "Terraform reports no error"
        error_by_name |= answers
    return [error_by_name[name] for name in names]


def _ask_about(registry: ReleaseRegistry, constraints: dict[str, str]) -> dict[str, str]:
    """Run Terraform once. A panic hides all verdicts, so try halves until the version that causes it is alone."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            return _run(Path(folder), registry, constraints)
    except TerraformPanicError:
        if len(constraints) == 1:
            return dict.fromkeys(constraints, PANIC)
    names = list(constraints)
    halves = names[: len(names) // 2], names[len(names) // 2 :]
    first, second = (_ask_about(registry, {name: constraints[name] for name in half}) for half in halves)
    return first | second


def _run(folder: Path, registry: ReleaseRegistry, constraints: dict[str, str]) -> dict[str, str]:
    lines = [f'"{name}": {json.dumps(_require(name, text))}' for name, text in constraints.items()]
    document = '{"terraform": {"required_providers": {\n' + ",\n".join(lines) + "\n}}}"
    (folder / "main.tf.json").write_text(document)
    config = terraform.write_cli_config(folder, registry.url)
    result = terraform.run_init(folder, TF_CLI_CONFIG_FILE=str(config))
    if "panic: " in result.stdout + result.stderr:
        raise TerraformPanicError
    return _read_errors(result.stdout, list(constraints))


def _require(name: str, constraint: str) -> dict[str, str]:
    return {"source": f"{terraform.HOST}/acme/{name}", "version": constraint}


def _read_errors(output: str, names: list[str]) -> dict[str, str]:
    """Return the error of each provider: by its line in the file, or by its address in the sentence."""
    error_by_name = {}
    for line in output.splitlines():
        diagnostic = json.loads(line).get("diagnostic", {})
        if diagnostic.get("severity") != "error":
            continue
        text = " ".join(f"{diagnostic['summary']}: {diagnostic['detail']}".split())
        about = re.search(r'/acme/(p\d+)[\s:."]', text)
        if "range" in diagnostic:
            error_by_name[names[diagnostic["range"]["start"]["line"] - 2]] = text
        elif about:
            error_by_name[about[1]] = text
    return error_by_name
