"""Command that evaluates license files by a program's license policy."""

import json
from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from integrations.programs.registry import PROGRAMS
from integrations.programs.selectors import get_edition_in_force
from verification.licenses.policy import Judgment, Policy, Verdict, evaluate_file


class Command(BaseCommand):
    help = (
        "Print the license of each file as an SPDX expression, and the verdict: allow, deny, or review (a reviewer "
        "decides)."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", help="A license file.")
        parser.add_argument(
            "--program", required=True, choices=sorted(PROGRAMS), help="The program whose policy applies."
        )
        parser.add_argument("--edition", help="The edition as YYYY-MM. Default: the edition in force.")
        parser.add_argument(
            "--json", action="store_true", dest="as_json", help="Print a JSON list in the order of the files."
        )

    def handle(self, *, files: list[str], program: str, edition: str | None, as_json: bool, **_: object) -> None:
        policy = get_policy(program, edition)
        rows = [{"path": path, **evaluate_path(path, policy).as_dict()} for path in files]
        if as_json:
            self.stdout.write(json.dumps(rows, indent=2, ensure_ascii=False))
            return
        for row in rows:
            self.stdout.write(f"{row['verdict']:<7} {row['expression'] or '-':<24} {row['path']}")
            for reason in row["reasons"]:
                self.stdout.write(f"        {reason}")


def get_policy(program: str, edition: str | None) -> Policy:
    editions = PROGRAMS[program].by_date
    if edition is not None and edition not in editions:
        raise CommandError(f"{program} has no edition {edition}. Available editions: {', '.join(editions)}.")
    license_policy = (editions[edition] if edition else get_edition_in_force(program)).licenses
    return Policy(license_policy.allow, license_policy.manual_review)


def evaluate_path(path: str, policy: Policy) -> Judgment:
    """Return the verdict on a file. A file that can't be read needs a review, with the reason."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        return Judgment("", 0.0, Verdict.REVIEW, (f"The file can't be read: {error.strerror}.",))
    return evaluate_file(content, policy)
