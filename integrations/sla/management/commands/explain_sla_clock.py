"""Command that explains the clocks of an issue at any time."""

import json
from argparse import ArgumentParser
from datetime import datetime

from django.core.management.base import BaseCommand, CommandError
from django.forms.models import model_to_dict
from django.utils import timezone
from pydantic_core import to_jsonable_python

from integrations.sla.engine.projection import project_issue_state
from integrations.sla.explanation import explain_clock, serialize_issue_state
from integrations.sla.selectors import issue_states
from integrations.sla.services.projection import get_projection_time
from portal.core.cli import build_usage_error, parse_moment

CALENDAR_FIELDS = ("valid_from", "zone", "country", "subdivision", "workdays", "holidays", "extra_days")


class Command(BaseCommand):
    help = "Explain the SLA clocks of an issue: counted and uncounted time with reasons and links."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("issue", help="Issue as owner/name#12 or UUID.")
        parser.add_argument("--at", type=parse_moment, metavar="TIME", help="Time, by default in UTC. Default: now.")
        parser.add_argument("--json", action="store_true", dest="as_json", help="Print a JSON object.")

    def handle(self, *, issue: str, at: datetime | None, as_json: bool, **_: object) -> None:
        row = issue_states.find_issue(issue)
        if row is None:
            raise build_usage_error(f"Issue “{issue}” not found. Enter owner/name#12 or a UUID.")
        moment = at or timezone.now()
        projected_at = get_projection_time(row, moment)
        # Without a chosen time, the output is that of the issue's page.
        context = issue_states.build_projection_context(row, min(moment, projected_at) if at else projected_at)
        if context.now < row.opened_at:
            raise build_usage_error(f"{row} was opened later, at {row.opened_at.isoformat()}. Enter a later time.")
        try:
            state = project_issue_state(issue_states.list_timeline_events(row), context)
        except ValueError as error:  # the stored history is incomplete, whatever the arguments
            raise CommandError(str(error)) from error
        if as_json:
            data = {"issue": str(row), "url": row.url} | serialize_issue_state(state, context, row.url)
            data["calendar"] = model_to_dict(row.calendar, CALENDAR_FIELDS) if row.calendar else None
            self.stdout.write(json.dumps(to_jsonable_python(data), indent=2, ensure_ascii=False))
            return
        self.stdout.write(f"{row}: {row.title} ({state.severity})")
        for clock in state.clocks:
            self.stdout.write("\n".join([f"\n{clock.target_type}", *explain_clock(clock, context.calendar)]))
        self.stdout.write("\n".join(["", *state.notes]))
