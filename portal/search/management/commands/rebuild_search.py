"""Command that rebuilds the search index."""

from django.core.management.base import BaseCommand

from portal.search.indexing import rebuild


class Command(BaseCommand):
    help = "Update the search index from all objects and help pages. A daily job does the same."

    def handle(self, *_: object, **__: object) -> None:
        self.stdout.write(f"Changed entries: {rebuild():,}")
