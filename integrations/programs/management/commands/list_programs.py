"""Command that prints all program editions."""

import json

from django.core.management.base import BaseCommand, CommandParser

from integrations.programs.registry import PROGRAMS
from integrations.programs.rendering import describe_edition, format_edition
from integrations.programs.selectors import get_edition_in_force


class Command(BaseCommand):
    help = "Print all programs with their editions, steps, requirements, and rules."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="Print a JSON list with one object per edition.")
        parser.add_argument("--program", choices=sorted(PROGRAMS), help="Print this program only.")

    def handle(self, *args: object, **options: object) -> None:
        programs = [p for p in PROGRAMS.values() if options["program"] in (None, p.key)]
        descriptions = [
            describe_edition(program, edition, in_force=edition == get_edition_in_force(program.key))
            for program in programs
            for edition in program.editions
        ]
        if options["json"]:
            self.stdout.write(json.dumps(descriptions, indent=2, ensure_ascii=False))
        else:
            self.stdout.write("\n".join(format_edition(description) for description in descriptions))
