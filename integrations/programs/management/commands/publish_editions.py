"""Command that adds new editions to the manifest, or checks that no published edition has changed."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from integrations.programs.loader import CONTENT
from integrations.programs.manifest import FILE_NAME, find_changes, find_unpublished, publish_editions


class Command(BaseCommand):
    help = "Add new program editions to the manifest of published editions."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="Only compare the editions with the manifest.")

    def handle(self, *args: object, check: bool, **options: object) -> None:
        if check:
            if problems := [*find_changes(CONTENT), *find_unpublished(CONTENT)]:
                raise CommandError("\n".join(map(str, problems)))
            return
        try:
            names = publish_editions(CONTENT)
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write("\n".join(names) or f"Every edition is in {FILE_NAME}.")
