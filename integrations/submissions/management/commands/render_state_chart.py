"""Prints the state machine, or says whether the committed picture still shows it."""

from argparse import ArgumentParser
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from integrations.submissions.workflow.state_chart import render_chart

CHART_NAME = "docs/reference/state-chart.md"
CHART_PATH = Path(settings.BASE_DIR) / CHART_NAME


class Command(BaseCommand):
    help = "Print the state chart as Markdown. --write saves it in docs/, --check compares."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--write", action="store_true", help=f"write {CHART_NAME}")
        parser.add_argument("--check", action="store_true", help=f"fail if {CHART_NAME} differs")

    def handle(self, *args: object, write: bool, check: bool, **options: object) -> None:
        chart = render_chart()
        if check:
            if not CHART_PATH.exists() or CHART_PATH.read_text() != chart:
                raise CommandError(f"{CHART_NAME} is out of date: run manage.py render_state_chart --write")
            return
        if write:
            CHART_PATH.write_text(chart)
        else:
            self.stdout.write(chart, ending="")
