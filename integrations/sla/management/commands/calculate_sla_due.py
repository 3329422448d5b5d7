"""When is an issue due? Computed from the words of the command line alone, without a database."""

import json
from argparse import ArgumentParser
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.core.management.base import BaseCommand, CommandError

from integrations.partners.holidays import UnknownPlace, snapshot
from integrations.sla.engine.clock import days_off
from portal.core import business_time
from portal.core.business_time import Calendar, Pause

YEARS_AHEAD = 10  # of holidays; pauses may be long
SHARES = (50, 75, 90)


class Command(BaseCommand):
    help = "Says when an issue is due: 48 hours for critical ones, 5 business days for others, pauses apart."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--opened", required=True, help="ISO 8601; without an offset it is the calendar's time.")
        parser.add_argument("--kind", required=True, choices=("critical", "other"))
        parser.add_argument("--zone", default="UTC", help="The calendar's time zone, such as America/New_York.")
        parser.add_argument("--country", default="", help="Two letters; its public holidays are days off.")
        parser.add_argument("--subdiv", default="", help="A part of the country, such as CA.")
        parser.add_argument("--pause", nargs="+", action="extend", default=[], metavar="FROM/TO")
        parser.add_argument("--hours", type=int, default=48, help="What a critical issue is allowed.")
        parser.add_argument("--business-days", type=int, default=5, help="What other issues are allowed.")

    def handle(self, **options: Any) -> None:  # type: ignore[override]
        try:
            told = answer(**{name: options[name] for name in NAMES})
        except ValueError as error:
            raise CommandError(str(error)) from error
        except OverflowError as error:
            raise CommandError("That is beyond the years that can be counted.") from error
        self.stdout.write(json.dumps(told, indent=2, ensure_ascii=False))


NAMES = ("opened", "kind", "zone", "country", "subdiv", "pause", "hours", "business_days")


def answer(
    *, opened: str, kind: str, zone: str, country: str, subdiv: str, pause: list[str], hours: int, business_days: int
) -> dict[str, Any]:
    """The due moment and how it comes about. Raises ValueError with a sentence."""
    where = _zone(zone)
    start = _moment(opened, where)
    calendar = _calendar(where, country, subdiv, start.year)
    scale, allowed = (
        (business_time.ELAPSED, timedelta(hours=hours))
        if kind == "critical"
        else (calendar.days, business_days * business_time.DAY)
    )
    if allowed <= timedelta():
        raise ValueError("What is allowed must be more than nothing.")
    pauses = business_time.merged(_pause(text, where) for text in pause)
    due = business_time.due(start, allowed, scale, pauses)
    warnings = [business_time.due(start, allowed * share / 100, scale, pauses) for share in SHARES]
    return {
        "due": _iso(due, where),
        "opened": _iso(start, where),
        "kind": kind,
        "allowed": f"{hours} hours" if kind == "critical" else f"{business_days} business days",
        "zone": zone,
        "warn_at": {str(share): _iso(at, where) for share, at in zip(SHARES, warnings, strict=True)},
        "segments": _segments(start, due, scale, pauses, calendar) if due else [],
    }


def _segments(
    start: datetime, due: datetime, scale: business_time.Scale, pauses: list[Pause], calendar: Calendar
) -> list[dict[str, Any]]:
    return [
        {
            "from": _iso(part.start, calendar.zone),
            "to": _iso(part.end, calendar.zone),
            "counted_seconds": part.used.total_seconds(),
            "why": "paused" if part.pause is not None else "counted" if part.used else days_off(part, calendar),
        }
        for part in business_time.stretches(start, due, scale, pauses)
    ]


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise ValueError(f"“{name}” is no time zone that we know; one is written like America/New_York.") from error


def _moment(text: str, zone: ZoneInfo) -> datetime:
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise ValueError(f"“{text}” is no moment as ISO 8601 writes it; one is 2026-04-11T15:00:00-04:00.") from error
    return at if at.tzinfo else at.replace(tzinfo=zone)


def _pause(text: str, zone: ZoneInfo) -> Pause:
    first, slash, last = text.partition("/")
    if not slash:
        raise ValueError(f"A pause is written FROM/TO, or FROM/ while it lasts; “{text}” is not.")
    start, end = _moment(first, zone), _moment(last, zone) if last.strip() else None
    if end is not None and end < start:
        raise ValueError(f"The pause “{text}” ends before it begins.")
    return Pause(start, end)


def _calendar(zone: ZoneInfo, country: str, subdiv: str, year: int) -> Calendar:
    if subdiv and not country:
        raise UnknownPlace("Say of which country the part is: --country US --subdiv CA.")
    names = snapshot(country, subdiv, year - 1, year + YEARS_AHEAD) if country else {}
    return Calendar(zone, days_off=frozenset(names), names=names)


def _iso(at: datetime | None, zone: ZoneInfo) -> str | None:
    return at.astimezone(zone).isoformat() if at else None
