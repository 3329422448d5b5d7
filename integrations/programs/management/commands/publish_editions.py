"""Command that adds new editions and agreements to the manifest, or checks that no published file has changed."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from integrations.programs.loader import CONTENT
from integrations.programs.manifest import FILE_NAME, find_changes, find_unpublished, publish_editions


class Command(BaseCommand):
    help = "Add new program editions and agreements to the manifest of published files."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="Only compare the files with the manifest.")

    def handle(self, *args: object, check: bool, **options: object) -> None:
        if check:
            if problems := [*find_changes(CONTENT), *find_unpublished(CONTENT)]:
                raise CommandError("\n".join(problems))
            return
        try:
            names = publish_editions(CONTENT)
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write("\n".join(names) or f"Every file is in {FILE_NAME}.")
