"""`manage.py check_license FILE… --program KEY`: what would the program's license policy say to each of these files?"""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from integrations.programs.registry import PROGRAMS
from verification.licenses.policy import Judgement, Policy, Verdict, judge


class Command(BaseCommand):
    help = "Say for each file: the license as an SPDX expression, and allow, deny or review (a person decides)."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", help="a license file")
        parser.add_argument("--program", required=True, choices=sorted(PROGRAMS), help="whose policy decides")
        parser.add_argument("--edition", help="YYYY-MM; the newest if left out")
        parser.add_argument("--json", action="store_true", help="a list in the order given")

    def handle(self, *args: Any, **options: Any) -> None:
        policy = get_policy(options["program"], options["edition"])
        rows = [{"path": path, **judge_file(path, policy).as_dict()} for path in options["files"]]
        if options["json"]:
            self.stdout.write(json.dumps(rows, indent=2, ensure_ascii=False))
            return
        for row in rows:
            self.stdout.write(f"{row['verdict']:<7} {row['expression'] or '-':<24} {row['path']}")
            for reason in row["reasons"]:
                self.stdout.write(f"        {reason}")


def get_policy(program: str, edition: str | None) -> Policy:
    editions = PROGRAMS[program].by_date
    if edition is not None and edition not in editions:
        raise CommandError(f"{program} has no edition {edition}; it has {', '.join(editions)}.")
    license_policy = (editions[edition] if edition else PROGRAMS[program].newest).licenses
    return Policy(license_policy.allow, license_policy.ask)


def judge_file(path: str, policy: Policy) -> Judgement:
    """The verdict on a file; what cannot be read is for a person, with the reason."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        return Judgement("", 0.0, Verdict.REVIEW, (f"The file cannot be read: {error.strerror}.",))
    return judge(content, policy)
