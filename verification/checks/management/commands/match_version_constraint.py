"""Command that lists the versions that match a constraint, as Terraform reads both."""

import json
from argparse import ArgumentParser

from django.core.management.base import BaseCommand

from portal.core.cli import build_usage_error
from portal.core.value_types import JsonObject
from verification.terraform.versions import InvalidVersionError, parse_constraint, parse_version


class Command(BaseCommand):
    help = (
        "Show whether each version matches the constraint, and which version Terraform would select. Exit codes, also "
        "with --json: 0 even if no version matches, 2 if the constraint or a version is invalid."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("constraint", help="Version constraint, such as “~> 1.2, != 1.2.5”.")
        parser.add_argument("versions", nargs="+", metavar="version", help="A version such as 1.2.3.")
        parser.add_argument("--json", action="store_true", dest="as_json", help="Print a JSON object.")

    def handle(self, *, constraint: str, versions: list[str], as_json: bool, **_: object) -> None:
        try:
            result = match_versions(constraint, versions)
        except InvalidVersionError as error:
            raise build_usage_error(error) from error
        if as_json:
            self.stdout.write(json.dumps(result, indent=2, ensure_ascii=False))
            return
        for entry in result["versions"]:
            self.stdout.write(f"{entry['version']}: {'matches' if entry['matches'] else 'no match'}")
        self.stdout.write(f"Terraform would select {' or '.join(result['selected']) or 'none of them'}.")


def match_versions(constraint_text: str, versions: list[str]) -> JsonObject:
    """Return the constraint, each version with whether it matches, and those that Terraform could select.

    Several are selected if they differ only in build metadata: Terraform doesn't order them and may take any.
    """
    version_constraint = parse_constraint(constraint_text)
    parsed_versions = [(spelling, parse_version(spelling)) for spelling in versions]
    first_spelling = {version: spelling for spelling, version in reversed(parsed_versions)}
    return {
        "constraint": constraint_text,
        "versions": [
            {"version": spelling, "matches": version_constraint.allows(version)}
            for spelling, version in parsed_versions
        ],
        "selected": [first_spelling[version] for version in version_constraint.find_ties(first_spelling)],
    }
