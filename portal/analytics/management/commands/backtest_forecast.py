"""Command that tests wait time forecasts on past data."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from integrations.programs.registry import PROGRAMS
from portal.analytics import forecast_accuracy


class Command(BaseCommand):
    help = "Test past forecasts week by week and print how often the 90% forecast held (target: 85% to 95%)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--program", choices=sorted(PROGRAMS), default="", help="Test this program only.")
        parser.add_argument("--json", action="store_true", help="Print a JSON document with every week.")

    def handle(self, *args: object, **options: Any) -> None:
        accuracies = forecast_accuracy.evaluate_programs(timezone.now(), program=options["program"])
        if options["json"]:
            self.stdout.write(json.dumps([forecast_accuracy.serialize_accuracy(line) for line in accuracies], indent=2))
        else:
            for line in accuracies:
                self.stdout.write(f"{line.name}: {line.summary}")
        if any(line.is_off for line in accuracies):
            raise CommandError("The accuracy of some forecasts is outside the range of 85% to 95%.")
