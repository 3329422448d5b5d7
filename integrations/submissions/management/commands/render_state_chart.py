"""Prints the state machine, or says whether the committed picture still shows it."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from integrations.submissions.workflow.state_chart import render_chart

CHART_PATH = Path(settings.BASE_DIR) / "docs" / "statechart.md"


class Command(BaseCommand):
    help = "Prints the state machine as Markdown. --write keeps it in docs/, --check compares."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--write", action="store_true", help="write docs/statechart.md")
        parser.add_argument("--check", action="store_true", help="fail where docs/statechart.md differs")

    def handle(self, *args: Any, write: bool, check: bool, **options: Any) -> None:
        chart = render_chart()
        if check:
            if not CHART_PATH.exists() or CHART_PATH.read_text() != chart:
                raise CommandError("docs/statechart.md is out of date: run manage.py render_state_chart --write")
            return
        if write:
            CHART_PATH.write_text(chart)
        else:
            self.stdout.write(chart, ending="")
