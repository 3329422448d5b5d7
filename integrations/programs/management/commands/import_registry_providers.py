"""Command that imports the providers of the public registry from a file."""

from argparse import ArgumentParser
from collections import Counter
from pathlib import Path

from django.core.management.base import BaseCommand
from django.utils import timezone

from integrations.programs.models import RegistryProvider
from integrations.programs.services.registry_import import ImportResult, import_providers, open_lines
from portal.core.cli import build_usage_error

MAX_REPORTED_LINES = 20


class Command(BaseCommand):
    help = "Import published providers from a JSON Lines file, optionally compressed with gzip."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, help="Path of the file, such as providers.jsonl.gz.")

    def handle(self, *, path: Path, **_: object) -> None:
        try:
            result = import_providers(open_lines(path), now=timezone.now(), progress=self.report_progress)
        except OSError as error:
            raise build_usage_error(f"Cannot read {path}: {error.strerror}.") from error
        self.report_skipped(result)
        self.stdout.write(
            f"{result.line_count:,} lines: {result.new_count:,} new, {result.changed_count:,} changed, "
            f"{result.unchanged_count:,} unchanged, "
            f"{len(result.skipped_lines):,} skipped. Total providers: {RegistryProvider.objects.count():,}."
        )
        if len(result.skipped_lines) == result.line_count:
            raise build_usage_error(f"No provider found in {path}. Enter a file with one JSON object per line.")

    def report_progress(self, line_count: int) -> None:
        self.stderr.write(f"{line_count:,} lines read")

    def report_skipped(self, result: ImportResult) -> None:
        for number, reason in result.skipped_lines[:MAX_REPORTED_LINES]:
            self.stderr.write(f"line {number} skipped: {reason}")
        if len(result.skipped_lines) > MAX_REPORTED_LINES:
            counts = Counter(reason for _number, reason in result.skipped_lines)
            self.stderr.write("total skipped: " + ", ".join(f"{n:,} × {reason}" for reason, n in counts.items()))
