"""Kubernetes resources of every recorded schema: built, validated, and their rules compiled."""

import hashlib
import os
import sys
import time
from pathlib import Path
from typing import Any

from tests.verification.schemas.structural_rules import find_violations
from tests.verification.schemas.validators import CrdValidators
from verification.schemas.crossplane.coverage import CrdPreview, build_previews
from verification.schemas.crossplane.options import parse_choices
from verification.schemas.engine.diff import compare_schemas
from verification.schemas.engine.parsing import parse_schema

FOLDER = Path(os.environ.get("PORTAL_SHARED", "../shared")) / "data" / "provider-schemas"


def build_crd_previews(path: Path) -> tuple[list[CrdPreview], str]:
    """Return the previews of a schema and the digest of all their files."""
    schema = parse_schema(path.read_bytes())
    previews = list(build_previews(schema, parse_choices(schema.prefix)))
    digest = hashlib.sha256("".join(name + text for one in previews for name, text, _ in one.iterate_files()).encode())
    return previews, digest.hexdigest()


def validate_definitions(definitions: list[dict[str, Any]]) -> tuple[int, int]:
    """Return how many definitions are refused and how many different rules were compiled."""
    validators = CrdValidators()
    total = sum(bool(validators.list_errors(one)) for one in definitions)
    return total, validators.rule_count


def main() -> int:
    paths = sorted(FOLDER.glob("*.json.gz"))
    if not paths:
        print("not run: no recorded schemas (PORTAL_SHARED)")
        return 0
    begin = time.perf_counter()
    first = [build_crd_previews(path) for path in paths]
    seconds = time.perf_counter() - begin
    stable = [digest for _, digest in first] == [build_crd_previews(path)[1] for path in paths]
    previews = [one for each, _ in first for one in each]
    definitions = [one for preview in previews for one in preview.definitions]
    begin = time.perf_counter()
    refused_count, rules = validate_definitions(definitions)
    took = time.perf_counter() - begin
    skipped = [f"{one.resource}: {one.reason}" for one in previews if not one.is_available]
    wrong = sum(bool(find_violations(one)) for one in definitions)
    print(f"{len(paths)} schemas, {len(previews)} resources, {len(definitions)} definitions in {seconds:.1f} s")
    print(f"skipped {len(skipped)}", *skipped, sep="\n  ")
    print(f"refused by the validators {refused_count}, by the table {wrong}; {rules} rules compiled; {took:.1f} s")
    print(f"same bytes twice: {stable}")
    begin = time.perf_counter()
    schemas = [parse_schema(path.read_bytes()) for path in paths]
    for one in schemas:
        compare_schemas(one, one)
    print(f"all schemas read and compared with themselves in {time.perf_counter() - begin:.1f} s")
    return int(bool(refused_count or wrong or not stable))


if __name__ == "__main__":
    sys.exit(main())
