"""Says which versions a constraint lets pass, as Terraform reads both."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from verification.versions import BadVersion, constraint, parse


class Command(BaseCommand):
    help = "Says for each version whether the constraint lets it pass, and which one Terraform would choose."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("constraint", help="For example “~> 1.2, != 1.2.5”.")
        parser.add_argument("versions", nargs="+", metavar="version")
        parser.add_argument("--json", action="store_true", dest="as_json")

    def handle(self, *, constraint: str, versions: list[str], as_json: bool, **_: Any) -> None:  # type: ignore[override]
        try:
            told = answer(constraint, versions)
        except BadVersion as error:
            raise CommandError(str(error)) from error
        if as_json:
            self.stdout.write(json.dumps(told, indent=2, ensure_ascii=False))
            return
        for entry in told["versions"]:
            self.stdout.write(f"{entry['version']}: {'matches' if entry['matches'] else 'does not match'}")
        self.stdout.write(f"Terraform would choose {told['selected'] or 'none of them'}.")


def answer(text: str, versions: list[str]) -> dict[str, Any]:
    """The constraint, each version with whether it matches, and the one that would be chosen (None for none)."""
    wanted = constraint(text)
    parsed = [(given, parse(given)) for given in versions]
    chosen = wanted.newest(version for _, version in parsed)
    return {
        "constraint": text,
        "versions": [{"version": given, "matches": wanted.lets_pass(version)} for given, version in parsed],
        "selected": next((given for given, version in parsed if version == chosen), None),
    }
