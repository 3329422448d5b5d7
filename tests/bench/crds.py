"""Kubernetes resources of every recorded schema: made twice, validated, their rules compiled; how long each takes."""

import hashlib
import os
import sys
import time
from pathlib import Path
from typing import Any

from verification.schemas.crossplane.options import choices
from verification.schemas.engine.coverage import Preview, previews
from verification.schemas.engine.diff import difference
from verification.schemas.engine.external_validators import Validators
from verification.schemas.engine.kubernetes_rules import faults
from verification.schemas.engine.parsing import read_one

FOLDER = Path(os.environ.get("PORTAL_SHARED", "../shared")) / "data" / "provider-schemas"


def made(path: Path) -> tuple[list[Preview], str]:
    """The previews of one schema, and the digest of all their files."""
    schema = read_one(path.read_bytes())
    found = list(previews(schema, choices(schema.prefix)))
    digest = hashlib.sha256("".join(name + text for one in found for name, text in one.files()).encode())
    return found, digest.hexdigest()


def validated(definitions: list[dict[str, Any]]) -> tuple[int, int]:
    """How many would be refused, and how many different rules were compiled."""
    validators = Validators()
    refused = sum(bool(validators.refusals(one)) for one in definitions)
    return refused, validators.rules


def main() -> int:
    paths = sorted(FOLDER.glob("*.json.gz"))
    if not paths:
        print("not run: no recorded schemas (PORTAL_SHARED)")
        return 0
    begin = time.perf_counter()
    first = [made(path) for path in paths]
    seconds = time.perf_counter() - begin
    stable = [digest for _, digest in first] == [made(path)[1] for path in paths]
    found = [one for each, _ in first for one in each]
    definitions = [one for preview in found for one in preview.definitions]
    begin = time.perf_counter()
    refused, rules = validated(definitions)
    took = time.perf_counter() - begin
    skipped = [f"{one.resource}: {one.why_not}" for one in found if not one.is_available]
    wrong = sum(bool(faults(one)) for one in definitions)
    print(f"{len(paths)} schemas, {len(found)} resources, {len(definitions)} definitions in {seconds:.1f} s")
    print(f"skipped {len(skipped)}", *skipped, sep="\n  ")
    print(f"refused by the validators {refused}, by the table {wrong}; {rules} rules compiled; {took:.1f} s")
    print(f"the same bytes twice: {stable}")
    begin = time.perf_counter()
    schemas = [read_one(path.read_bytes()) for path in paths]
    for one in schemas:
        difference(one, one)
    print(f"all schemas read and compared with themselves in {time.perf_counter() - begin:.1f} s")
    return int(bool(refused or wrong or not stable))


if __name__ == "__main__":
    sys.exit(main())
