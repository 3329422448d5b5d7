"""Bring in the providers of the public registry from a file. Can be repeated."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from integrations.programs.models import PublishedProvider
from integrations.programs.services.registry_import import Tally, import_providers, lines_of

TOLD_IN_FULL = 20


class Command(BaseCommand):
    help = "Imports published providers from a file of JSON lines, packed by gzip or not."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, help="For example providers.jsonl.gz.")

    def handle(self, *, path: Path, **_: Any) -> None:
        try:
            tally = import_providers(lines_of(path), now=timezone.now(), progress=self.progress)
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
        self.tell_skipped(tally)
        self.stdout.write(
            f"{tally.read:,} lines: {tally.new:,} new, {tally.changed:,} changed, {tally.unchanged:,} unchanged, "
            f"{len(tally.skipped):,} skipped. {PublishedProvider.objects.count():,} providers are here."
        )

    def progress(self, read: int) -> None:
        self.stderr.write(f"{read:,} lines read")

    def tell_skipped(self, tally: Tally) -> None:
        for number, reason in tally.skipped[:TOLD_IN_FULL]:
            self.stderr.write(f"line {number} skipped: {reason}")
        if len(tally.skipped) > TOLD_IN_FULL:
            self.stderr.write("skipped in all: " + ", ".join(f"{n:,} × {why}" for why, n in tally.reasons().items()))
