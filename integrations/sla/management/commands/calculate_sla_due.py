"""Command that calculates a due date from its arguments, without a database."""

import json
from argparse import ArgumentParser
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.core.management.base import BaseCommand

from integrations.sla.formatting import describe_days_off
from portal.core import business_time
from portal.core.business_time import Calendar, ClockPause
from portal.core.cli import build_usage_error, parse_moment
from portal.core.holidays import UnknownRegionError, load_holidays
from portal.core.time_segments import TimeSegment, split_into_segments

YEARS_AHEAD = 10  # covers the holidays of long pauses
WARNING_PERCENTAGES = (50, 75, 90)
OPTION_NAMES = ("opened", "kind", "zone", "country", "subdiv", "pause", "hours", "business_days")


class Command(BaseCommand):
    help = "Calculate the SLA due date of an issue: 48 hours if critical, otherwise 5 business days, excluding pauses."
    # System checks would need valid settings. The command needs neither settings nor a database.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--opened", required=True, help="Opening time in ISO 8601, by default in the calendar's time zone."
        )
        parser.add_argument("--kind", required=True, choices=("critical", "other"), help="Severity.")
        parser.add_argument("--zone", default="UTC", help="Time zone of the calendar, such as America/New_York.")
        parser.add_argument("--country", default="", help="Two-letter country code. Its public holidays are days off.")
        parser.add_argument("--subdiv", default="", help="Region of the country, such as CA.")
        parser.add_argument(
            "--pause", nargs="+", action="extend", default=[], metavar="FROM/TO", help="Pauses in ISO 8601."
        )
        parser.add_argument("--hours", type=int, default=48, help="Target for critical issues.")
        parser.add_argument("--business-days", type=int, default=5, help="Target for other issues.")

    def handle(self, **options: Any) -> None:
        try:
            result = calculate_due(**{name: options[name] for name in OPTION_NAMES})
        except ValueError as error:
            raise build_usage_error(error) from error
        except OverflowError as error:
            raise build_usage_error(
                "The due date is too far in the future. Enter a shorter target or pause."
            ) from error
        self.stdout.write(json.dumps(result, indent=2, ensure_ascii=False))


def calculate_due(
    *, opened: str, kind: str, zone: str, country: str, subdiv: str, pause: list[str], hours: int, business_days: int
) -> dict[str, object]:
    """Calculate the due date and its segments. Raises ValueError or CommandError with a message for people."""
    time_zone = _parse_zone(zone)
    start = parse_moment(opened, time_zone)
    calendar = _build_calendar(time_zone, country, subdiv, start.year)
    scale = business_time.ELAPSED_SCALE if kind == "critical" else calendar.days
    allowed_time = timedelta(hours=hours) if kind == "critical" else business_days * business_time.DAY
    if allowed_time <= timedelta():
        raise ValueError("Enter a target greater than 0.")
    # People can enter pauses in any order and with overlaps.
    pauses = business_time.merge_pauses(_parse_pause(text, time_zone) for text in pause)
    due_at, *warnings = (
        business_time.calculate_due_at(start, allowed_time * share / 100, scale, pauses)
        for share in (100, *WARNING_PERCENTAGES)
    )
    return {
        "due_at": _format_timestamp(due_at, time_zone),
        "opened_at": _format_timestamp(start, time_zone),
        "kind": kind,
        "allowed": f"{hours} hours" if kind == "critical" else f"{business_days} business days",
        "zone": zone,
        "warn_at": {
            str(share): _format_timestamp(warning_at, time_zone)
            for share, warning_at in zip(WARNING_PERCENTAGES, warnings, strict=True)
        },
        "segments": _build_segments(start, due_at, scale, pauses, calendar) if due_at else [],
    }


def _build_segments(
    start: datetime, due_at: datetime, scale: business_time.TimeScale, pauses: list[ClockPause], calendar: Calendar
) -> list[dict[str, object]]:
    return [
        {
            "from": _format_timestamp(part.start, calendar.zone),
            "to": _format_timestamp(part.end, calendar.zone),
            "counted_seconds": part.used.total_seconds(),
            "reason": _describe_segment(part, calendar),
        }
        for part in split_into_segments(start, due_at, scale, pauses)
    ]


def _describe_segment(part: TimeSegment, calendar: Calendar) -> str:
    if part.pause is not None:
        return "paused"
    return "counted" if part.used else describe_days_off(part, calendar)


def _parse_zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise ValueError(f"Unknown time zone “{name}”. Enter a name such as America/New_York.") from error


def _parse_pause(text: str, zone: ZoneInfo) -> ClockPause:
    first, separator, last = text.partition("/")
    if not separator:
        raise ValueError(f"Invalid pause “{text}”. Enter FROM/TO, or FROM/ for an open pause.")
    start = parse_moment(first, zone)
    end = parse_moment(last, zone) if last.strip() else None
    if end is not None and end < start:
        raise ValueError(f"The pause “{text}” ends before it starts. Swap the two times.")
    return ClockPause(start, end)


def _build_calendar(zone: ZoneInfo, country: str, subdiv: str, year: int) -> Calendar:
    if subdiv and not country:
        raise UnknownRegionError("Specify the country of the region, such as --country US --subdiv CA.")
    # In the calendar's time zone, the start can still be in the previous year.
    names = load_holidays(country, subdiv, year - 1, year + YEARS_AHEAD) if country else {}
    return Calendar(zone, days_off=frozenset(names), names=names)


def _format_timestamp(timestamp: datetime | None, zone: ZoneInfo) -> str | None:
    return timestamp.astimezone(zone).isoformat() if timestamp else None
