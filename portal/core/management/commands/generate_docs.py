"""Command that writes all generated tables and diagrams of docs/."""

from argparse import ArgumentParser
from typing import Any

from django.core.management import call_command, get_commands, load_command_class
from django.core.management.base import BaseCommand

from portal.core.generated_docs import OWN_PACKAGES, TableDocsCommand


class Command(BaseCommand):
    help = "Write all generated tables and diagrams of docs/."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="Check whether the pages are up to date.")

    def handle(self, *args: Any, check: bool, **options: Any) -> None:
        for name, app in sorted(get_commands().items()):
            if str(app).split(".")[0] in OWN_PACKAGES:
                command = load_command_class(str(app), name)
                if isinstance(command, TableDocsCommand):
                    call_command(command, check=check)
