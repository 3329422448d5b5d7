"""Command that lists the breaking changes between two provider schemas."""

import json
import re
from argparse import ArgumentParser
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from portal.core.cli import build_usage_error
from verification.outcomes import format_count
from verification.schemas.engine.diff import SchemaChange, SchemaDifference, compare_schemas
from verification.schemas.engine.parsing import parse_schema
from verification.schemas.engine.types import ParsedSchema, SchemaParseError
from verification.schemas.engine.version_policy import VersionVerdict, evaluate_version
from verification.terraform.versions import InvalidVersionError, parse_version

NO_VERDICT = "No verdict. Specify the versions with --versions."
# File names such as acme_1.5.0.json.gz, as the documentation suggests them.
VERSION_PATTERN = re.compile(r"v?(\d+\.\d+\.\d+(-[0-9A-Za-z.-]+?)?)(\.json)?(\.gz)?$")


class Command(BaseCommand):
    help = (
        "Compare two outputs of “terraform providers schema -json”. Exit codes: 0 if the version number allows the "
        "changes or is unknown, 1 if it doesn't, 2 if the schemas can't be compared."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("old", type=Path, help="Schema of the older version, plain or gzipped.")
        parser.add_argument("new", type=Path, help="Schema of the newer version, plain or gzipped.")
        parser.add_argument(
            "--versions", nargs=2, metavar=("OLD", "NEW"), help="Versions. Default: from the file names."
        )
        parser.add_argument("--source", default="", help="Provider address, if a file contains several providers.")
        parser.add_argument("--json", action="store_true", dest="as_json", help="Print a JSON object.")

    def handle(self, *, old: Path, new: Path, as_json: bool, **options: Any) -> None:
        try:
            before, after = (read_schema(path, options["source"]) for path in (old, new))
            texts = options["versions"] or [_find_version(old), _find_version(new)]
            # A single version allows no verdict, so it can even be an invalid one.
            versions = [parse_version(text) for text in texts] if all(texts) else []
        except InvalidVersionError as error:
            raise build_usage_error(error) from error
        # Only the names, because a provider can move to another namespace or registry.
        if before.source.rpartition("/")[2] != after.source.rpartition("/")[2]:
            raise build_usage_error(f"{before.source} and {after.source} are different providers.")
        schema_difference = compare_schemas(before, after)
        version_verdict = evaluate_version(versions[0], versions[1], schema_difference) if versions else None
        if as_json:
            document = serialize_difference(after, schema_difference, version_verdict)
            self.stdout.write(json.dumps(document, indent=2, ensure_ascii=False))
        else:
            self.stdout.write("\n".join(format_lines(after, schema_difference, version_verdict)))
        if version_verdict and not version_verdict.admits:
            raise SystemExit(1)


def read_schema(path: Path, source: str) -> ParsedSchema:
    """Return the schema in a file. Raises CommandError, which names the file."""
    try:
        return parse_schema(path.read_bytes(), source)
    except OSError as error:
        raise build_usage_error(f"Cannot read {path}: {error.strerror}.") from error
    except SchemaParseError as error:
        raise build_usage_error(f"{path}: {error}") from error


def _find_version(path: Path) -> str:
    match = VERSION_PATTERN.search(path.name)
    return match[1] if match else ""


def serialize_difference(
    schema: ParsedSchema, schema_difference: SchemaDifference, version_verdict: VersionVerdict | None
) -> dict[str, object]:
    return {
        "source": schema.source,
        "breaking": len(schema_difference.breaking),
        "verdict": asdict(version_verdict) if version_verdict else {"not_run": NO_VERDICT},
        "changes": [change.as_data() for change in schema_difference.changes],
    }


def format_lines(
    schema: ParsedSchema, schema_difference: SchemaDifference, version_verdict: VersionVerdict | None
) -> list[str]:
    """Format the changes as text, breaking changes first, grouped by subject."""
    breaking_count = format_count(len(schema_difference.breaking), "breaking change")
    lines = [f"{schema.source}: {breaking_count}, {len(schema_difference.others)} other."]
    lines.append(version_verdict.summary if version_verdict else NO_VERDICT)
    for title, changes in (
        ("Breaking changes:", schema_difference.breaking),
        ("Other changes:", schema_difference.others),
    ):
        if changes:
            lines += ["", title, *_format_changes(changes)]
    return lines


def _format_changes(changes: tuple[SchemaChange, ...]) -> list[str]:
    lines = []
    for subject, group in groupby(changes, key=lambda change: change.subject):
        several = list(group)
        lines += [f"  {several[0].summary}"] if several[0].path == "" else [f"  {subject}"]
        lines += [f"    {change.summary}" for change in several if change.path]
    return lines
