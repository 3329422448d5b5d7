"""Says which versions a constraint lets pass, as Terraform reads both."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from verification.terraform.versions import BadVersion, constraint, parse


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
        self.stdout.write(f"Terraform would choose {' or '.join(told['selected']) or 'none of them'}.")


def answer(text: str, versions: list[str]) -> dict[str, Any]:
    """Return the constraint, each version with whether it matches, and those that Terraform could choose.

    Several are selected where they differ only in build metadata: Terraform has no order for them and takes any.
    """
    wanted = constraint(text)
    parsed = [(given, parse(given)) for given in versions]
    first_given = {version: given for given, version in reversed(parsed)}
    return {
        "constraint": text,
        "versions": [{"version": given, "matches": wanted.lets_pass(version)} for given, version in parsed],
        "selected": [first_given[version] for version in wanted.find_ties(first_given)],
    }
