"""Why is an issue due when it is? From its facts in the database, at any moment."""

import json
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from integrations.sla.engine import inputs
from integrations.sla.engine.explanation import explain_clock, serialize_issue_state
from integrations.sla.engine.projection import project_issue_state


class Command(BaseCommand):
    help = "Explains the clocks of an issue: what counted, what did not and why, with links that add up."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("issue", help="owner/name#12, or its uuid.")
        parser.add_argument("--at", help="ISO 8601 in UTC; now where it is not given.")
        parser.add_argument("--json", action="store_true", dest="as_json")

    def handle(self, *, issue: str, at: str | None, as_json: bool, **_: Any) -> None:  # type: ignore[override]
        row = inputs.find_issue(issue)
        if row is None:
            raise CommandError(f"We know no issue “{issue}”; write owner/name#12 or its uuid.")
        context = inputs.build_projection_context(row, _parse_moment(at))
        if context.now < row.opened_at:
            raise CommandError(f"{row} was not open yet at that moment: it was opened at {row.opened_at.isoformat()}.")
        try:
            state = project_issue_state(inputs.list_timeline_events(row), context)
        except ValueError as error:
            raise CommandError(str(error)) from error
        if as_json:
            data = {"issue": str(row), "url": row.url} | serialize_issue_state(state, context, row.url)
            data["calendar"] = inputs.serialize_calendar(row)
            self.stdout.write(json.dumps(data, indent=2, ensure_ascii=False))
            return
        self.stdout.write(f"{row}: {row.title} ({state.severity})")
        for clock in state.clocks:
            self.stdout.write("\n".join([f"\n{clock.target_type}", *explain_clock(clock, context.calendar.zone)]))
        self.stdout.write("\n".join(["", *state.notes]))


def _parse_moment(text: str | None) -> datetime:
    if not text:
        return timezone.now()
    try:
        timestamp = datetime.fromisoformat(text)
    except ValueError as error:
        raise CommandError(f"“{text}” is no moment as ISO 8601 writes it.") from error
    return timestamp if timestamp.tzinfo else timestamp.replace(tzinfo=UTC)
