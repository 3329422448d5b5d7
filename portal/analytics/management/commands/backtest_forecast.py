"""Tries the forecasts of the wait on the past: how often did nine of ten hold?"""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from integrations.programs.registry import PROGRAMS
from portal.analytics import forecast_accuracy


class Command(BaseCommand):
    help = "Replays history week by week and says how often the forecast held (aim: nine of ten hold 85 to 95 %)."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("--program", choices=sorted(PROGRAMS), default="", help="this program alone")
        parser.add_argument("--json", action="store_true", help="one JSON document with every week")

    def handle(self, *args: Any, **options: Any) -> None:
        accuracies = forecast_accuracy.evaluate_programs(timezone.now(), program=options["program"])
        if options["json"]:
            self.stdout.write(json.dumps([forecast_accuracy.serialize_accuracy(line) for line in accuracies], indent=2))
        else:
            for line in accuracies:
                self.stdout.write(f"{line.name}: {line.words}")
        if any(line.is_off for line in accuracies):
            raise CommandError("Some forecasts held more or less often than 85 to 95 %.")
