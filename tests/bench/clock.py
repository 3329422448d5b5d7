"""Due dates compared with adding 48 hours, and the projection of a million events: time and memory."""

import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import holidays

from integrations.programs.sla_policy import SeverityTargets, Sla, SlaTarget
from integrations.sla.engine.projection import project_issue_state
from integrations.sla.engine.types import Actor, IssueEventKind, ProjectionContext, SlaPolicy, TimelineEvent
from portal.core import business_time
from portal.core.business_time import ELAPSED_SCALE, Calendar, ClockPause, add_business_days
from portal.core.holidays import load_holidays

START_COUNT = 100_000
ROUNDS = 7
LIBRARY_START_COUNT = 2_000  # for the library, which is slow
EVENT_COUNT = 1_000_000
EVENTS_PER_ISSUE = 10
TARGET_RATIO = 4.5
FIRST = datetime(2020, 1, 1, tzinfo=UTC)
USER = Actor(1, "pat")
DEV = Actor(2, "dana", association="MEMBER")
BOT = Actor(3, "stale[bot]", "Bot")
TEXTS = (
    "Which version of the provider is it?",
    "It is 1.2.3.",
    "The token is refreshed too late.",
    "+1",
    "> so\n\nThanks!",
)


def build_california_calendar() -> Calendar:
    names = load_holidays("US", "CA", 2020, 2036)
    return Calendar(ZoneInfo("America/Los_Angeles"), days_off=frozenset(names), names=names)


def measure_microseconds(calls: dict[str, Callable[[datetime], object]], starts: list[datetime]) -> dict[str, float]:
    """Return the CPU time per start of each call: the best round. Calls take turns; the first round warms up."""
    best = dict.fromkeys(calls, float("inf"))
    for number in range(ROUNDS + 1):
        for name, call in calls.items():
            begin = time.process_time()
            for start in starts:
                call(start)
            if number:
                best[name] = min(best[name], (time.process_time() - begin) * 1e6 / len(starts))
    return best


def measure_due_dates() -> bool:
    """Print the time of single due dates. Return whether the target is met."""
    calendar = build_california_calendar()
    library = holidays.country_holidays("US", subdiv="CA", years=range(2020, 2037))
    draw = random.Random(1)
    starts = [FIRST + timedelta(seconds=draw.randrange(15 * 365 * 86_400)) for _ in range(START_COUNT)]
    hours = timedelta(hours=1)
    five = timedelta(days=5)
    begin = time.perf_counter()
    calendar.days  # noqa: B018
    table = (time.perf_counter() - begin) * 1000

    def calculate_paused_due(at: datetime) -> object:
        pauses = (ClockPause(at + 20 * hours, at + 30 * hours), ClockPause(at + 60 * hours, at + 90 * hours))
        return business_time.calculate_due_at(at, five, calendar.days, pauses)

    seconds = measure_microseconds(
        {
            "+ 48 hours": lambda at: at + timedelta(hours=48),
            "critical": lambda at: business_time.calculate_due_at(at, timedelta(hours=48), ELAPSED_SCALE),
            "5 business days": lambda at: add_business_days(at, 5, calendar),
            "with two pauses": calculate_paused_due,
        },
        starts,
    )
    slow = measure_microseconds(
        {"library": lambda at: library.get_nth_working_day(at.date(), 5)}, starts[:LIBRARY_START_COUNT]
    )
    baseline = seconds["+ 48 hours"]
    for name, value in (seconds | {"the library's day": slow["library"]}).items():
        print(f"{name:<20}{value:>8.2f} µs, ratio {value / baseline:.2f}")
    print(f"table of 30 years, built once per calendar: {table:.0f} ms")
    is_met = seconds["5 business days"] / baseline <= TARGET_RATIO
    print(f"target: 5 business days at most {TARGET_RATIO} × adding 48 hours: {'met' if is_met else 'missed'}")
    return is_met


def build_issue_events(draw: random.Random, number: int) -> list[TimelineEvent]:
    """Return the events of an issue: comments, labels, closings, and reopenings, some of them by a bot."""
    at = FIRST + timedelta(minutes=number)
    events = [TimelineEvent("opened", IssueEventKind.OPENED, at, USER, "It fails.")]
    for n in range(1, EVENTS_PER_ISSUE):
        at += timedelta(minutes=draw.randrange(1, 5000))
        who = (USER, DEV, BOT)[draw.randrange(3)]
        kind = draw.choice(
            (
                IssueEventKind.COMMENTED,
                IssueEventKind.COMMENTED,
                IssueEventKind.COMMENTED,
                IssueEventKind.LABELED,
                IssueEventKind.CLOSED,
                IssueEventKind.REOPENED,
            )
        )
        label = draw.choice(("critical", "needs-info", "bug")) if kind == IssueEventKind.LABELED else ""
        text = draw.choice(TEXTS) if kind == IssueEventKind.COMMENTED else ""
        events.append(TimelineEvent(f"comment:{n}", kind, at, who, text, label))
    return events


def generate_issues(count: int) -> Iterator[list[TimelineEvent]]:
    draw = random.Random(2)
    return (build_issue_events(draw, number) for number in range(count))


def measure_projection() -> None:
    """Print time and memory of projecting many events, issue after issue as they come from a database."""
    sla = Sla("", resolve=SeverityTargets(SlaTarget(hours=48), SlaTarget(business_days=5)))
    policy = SlaPolicy(sla, frozenset({"critical"}), frozenset({"needs-info"}))
    calendar = build_california_calendar()
    now = datetime.combine(date(2020, 3, 1), datetime.min.time(), UTC)
    seconds = 0.0
    event_count = 0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    projection_context = ProjectionContext(policy, calendar, now + timedelta(days=80), now + timedelta(days=80))
    for issue_events in generate_issues(EVENT_COUNT // EVENTS_PER_ISSUE):
        begin = time.process_time()
        project_issue_state(issue_events, projection_context)
        seconds += time.process_time() - begin
        event_count += len(issue_events)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"{event_count:,} events projected: {seconds:.0f} s, {event_count / seconds:,.0f} events/s, "
        f"peak {peak / 1024:.0f} MiB, {(peak - before) / 1024:.0f} MiB more than before"
    )


def main() -> int:
    is_met = measure_due_dates()
    measure_projection()
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
