"""Command that evaluates license files by a program's license policy."""

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from django.core.management.base import BaseCommand

from integrations.programs.registry import PROGRAMS
from integrations.programs.selectors import get_edition_in_force
from portal.core.cli import build_usage_error
from portal.core.value_types import JsonObject
from verification.licenses.policy import Judgment, Policy, Verdict, evaluate_file


class Command(BaseCommand):
    help = (
        "Print the license of each file as an SPDX expression, and the verdict: allow, deny, or review (a reviewer "
        "decides). Exit codes, also with --json: 0 whatever the verdicts, 2 if a file can't be read."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", help="A license file.")
        parser.add_argument(
            "--program", required=True, choices=sorted(PROGRAMS), help="The program whose policy applies."
        )
        parser.add_argument("--edition", metavar="YYYY-MM", help="The edition. Default: the edition in force.")
        parser.add_argument(
            "--json", action="store_true", dest="as_json", help="Print a JSON list in the order of the files."
        )

    def handle(self, *, files: list[str], program: str, edition: str | None, as_json: bool, **_: object) -> None:
        policy = get_policy(program, edition)
        rows = []
        unreadable_paths = []
        for path in files:
            try:
                judgment = evaluate_file(Path(path).read_bytes(), policy)
            except OSError as error:
                judgment = Judgment("", 0.0, Verdict.REVIEW, (f"The file can't be read: {error.strerror}.",))
                unreadable_paths.append(path)
            rows.append({"path": path, **judgment.as_dict()})
        self.stdout.write(json.dumps(rows, indent=2, ensure_ascii=False) if as_json else format_rows(rows))
        if unreadable_paths:
            raise build_usage_error(f"Cannot read {', '.join(unreadable_paths)}.")


def format_rows(rows: Sequence[JsonObject]) -> str:
    """Return the verdicts as text, with the reasons below each."""
    lines = []
    for row in rows:
        lines.append(f"{row['verdict']:<7} {row['expression'] or '-':<24} {row['path']}")
        lines += [f"        {reason}" for reason in row["reasons"]]
    return "\n".join(lines)


def get_policy(program: str, edition: str | None) -> Policy:
    editions = PROGRAMS[program].by_date
    if edition is not None and edition not in editions:
        raise build_usage_error(f"{program} has no edition {edition}. Available editions: {', '.join(editions)}.")
    license_policy = (editions[edition] if edition else get_edition_in_force(program)).licenses
    return Policy(license_policy.allow, license_policy.manual_review)
