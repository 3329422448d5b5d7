"""Command that writes all generated tables and diagrams of docs/."""

from argparse import ArgumentParser

from django.core.management import call_command
from django.core.management.base import BaseCommand

from portal.core.generated_docs import TableDocsCommand, iterate_own_commands


class Command(BaseCommand):
    help = "Write all generated tables and diagrams of docs/."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="Check whether the pages are up to date.")

    def handle(self, *args: object, check: bool, **options: object) -> None:
        for _, command in iterate_own_commands():
            if isinstance(command, TableDocsCommand):
                call_command(command, check=check)
