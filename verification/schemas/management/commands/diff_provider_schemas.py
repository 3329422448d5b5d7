"""Says what a new version of a provider breaks for its users, from two schemas."""

import json
import re
from argparse import ArgumentParser
from itertools import groupby
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from portal.core.cli import unusable
from verification.schemas.engine.diff import Change, Difference, difference
from verification.schemas.engine.parsing import read_one
from verification.schemas.engine.types import ProviderSchema, Unreadable
from verification.schemas.engine.version_policy import Verdict, verdict
from verification.terraform.versions import BadVersion, Version, parse

NO_VERDICT = "No verdict: name the versions with --versions."
IN_NAME = re.compile(r"v?(\d+\.\d+\.\d+(-[0-9A-Za-z.-]+?)?)(\.json)?(\.gz)?$")


class Command(BaseCommand):
    help = (
        "Compares two outputs of “terraform providers schema -json”. Ends with 0 if the version admits the change, or "
        "none is known, 1 if it does not, 2 where they cannot be compared."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("old", type=Path)
        parser.add_argument("new", type=Path)
        parser.add_argument("--versions", nargs=2, metavar=("OLD", "NEW"), help="Else from the names of the files.")
        parser.add_argument("--source", default="", help="Which provider, where a file holds several.")
        parser.add_argument("--json", action="store_true", dest="as_json")

    def handle(self, *, old: Path, new: Path, as_json: bool, **options: Any) -> None:  # type: ignore[override]
        try:
            before, after = (read_one(path.read_bytes(), options["source"]) for path in (old, new))
            versions = _versions(options["versions"] or [_in_name(old), _in_name(new)])
        except (Unreadable, BadVersion) as error:
            raise unusable(error) from error
        except OSError as error:
            raise unusable(f"{error.filename} cannot be read: {error.strerror}.") from error
        if not _same_provider(before, after):
            raise unusable(f"{before.source} and {after.source} are different providers.")
        found = difference(before, after)
        said = verdict(*versions, found) if versions else None
        if as_json:
            self.stdout.write(json.dumps(as_data(after, found, said), indent=2, ensure_ascii=False))
        else:
            self.stdout.write("\n".join(as_lines(after, found, said)))
        if said and not said.admits:
            raise SystemExit(1)


def _in_name(path: Path) -> str:
    found = IN_NAME.search(path.name)
    return found[1] if found else ""


def _versions(texts: list[str]) -> tuple[Version, Version] | None:
    return (parse(texts[0]), parse(texts[1])) if all(texts) else None


def _same_provider(one: ProviderSchema, other: ProviderSchema) -> bool:
    """By the last word of the address: a provider may have moved to another namespace or registry."""
    return one.source.rpartition("/")[2] == other.source.rpartition("/")[2]


def as_data(schema: ProviderSchema, found: Difference, said: Verdict | None) -> dict[str, Any]:
    return {
        "source": schema.source,
        "breaking": len(found.breaking),
        "verdict": said.as_data() if said else {"not_run": NO_VERDICT},
        "changes": [change.as_data() for change in found.changes],
    }


def as_lines(schema: ProviderSchema, found: Difference, said: Verdict | None) -> list[str]:
    """For people: what breaks first, under the name of what it is of, then everything else."""
    lines = [f"{schema.source}: {_count(len(found.breaking))} what users have, {len(found.others)} do not."]
    lines.append(said.sentence if said else NO_VERDICT)
    for title, changes in (("Breaks:", found.breaking), ("Does not break:", found.others)):
        lines += ["", title, *_grouped(changes)] if changes else []
    return lines


def _count(number: int) -> str:
    return "1 change breaks" if number == 1 else f"{number} changes break"


def _grouped(changes: tuple[Change, ...]) -> list[str]:
    lines = []
    for of, each in groupby(changes, key=lambda change: change.of):
        several = list(each)
        lines += [f"  {several[0].sentence}"] if several[0].path == "" else [f"  {of}"]
        lines += [f"    {change.sentence}" for change in several if change.path]
    return lines
