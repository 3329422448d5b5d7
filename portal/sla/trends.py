"""Is it getting better, and with whom? Twelve weeks of promises, and how long answers took, in eight queries."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Count, F, Q
from django.db.models.functions import TruncWeek

from integrations.programs import PROGRAMS
from portal.reports.shown import per_cent
from portal.reports.weeks import Week, week_of
from portal.sla import recorded
from portal.sla.charts import Chart, Column
from portal.sla.filters import Choice
from verification.models import Breach, Clock
from verification.support.base import Severity, Watching

WEEKS = 12
HOUR, DAY = 3600, 86400
# (severity, seconds at which a column ends, what each is called, the target's words): as the programs promise it
SPANS: dict[str, tuple[tuple[int, ...], tuple[str, ...], str]] = {
    Severity.CRITICAL: (
        (12 * HOUR, 24 * HOUR, 36 * HOUR, 48 * HOUR), ("12 h", "24 h", "36 h", "48 h", "longer"), "48 h"
    ),
    Severity.OTHER: (
        (DAY, 2 * DAY, 3 * DAY, 4 * DAY, 5 * DAY), ("1 day", "2 days", "3 days", "4 days", "5 days", "longer"),
        "5 business days",
    ),
}  # fmt: skip
VERBS = {"respond": "First answer", "resolve": "Resolved"}


@dataclass(frozen=True, slots=True)
class Share:
    """One program or partner: what it kept and broke in the weeks shown."""

    name: str
    kept: int
    broken: int

    @property
    def in_time(self) -> str:
        return per_cent(round(100 * self.kept / (self.kept + self.broken), 1))

    @property
    def pieces(self) -> list[tuple[str, float]]:
        return [(kind, n) for kind, n in (("counted", float(self.kept)), ("over", float(self.broken))) if n]

    @property
    def said(self) -> str:
        return f"{self.kept} kept, {self.broken} broken"


@dataclass(frozen=True, slots=True)
class Trends:
    """Everything on the page."""

    weeks: Chart
    lengths: list[Chart]
    programs: list[Share]
    partners: list[Share]


def trends_of(choice: Choice, now: datetime, zone: ZoneInfo) -> Trends:
    """The last twelve weeks, this one included, of what the filters leave."""
    weeks = _weeks(now, zone)
    start = weeks[0].span(zone)[0]
    kept = choice.clocks().filter(state=Watching.MET, stopped_at__gte=start, stopped_at__lte=now)
    broken = Breach.objects.filter(choice.of, retracted_at=None, due_at__gte=start, due_at__lte=now)
    return Trends(
        weeks=_by_week(
            weeks,
            _counted(kept, "stopped_at", zone),
            _counted(broken, "due_at", zone),
            recorded.blind(choice.report, weeks),
        ),
        lengths=_lengths(choice, start, now),
        programs=_shares(kept, broken, "integration__program_key", {key: p.name for key, p in PROGRAMS.items()}),
        partners=_shares(kept, broken, "integration__partner__name", {}),
    )


def _weeks(now: datetime, zone: ZoneInfo) -> list[Week]:
    week = week_of(now.astimezone(zone).date())
    found = [week]
    while len(found) < WEEKS:
        found.append(found[-1].before)
    return found[::-1]


def _counted(rows: Any, column: str, zone: ZoneInfo) -> dict[date, int]:
    """How many by the Monday of their week."""
    weekly = rows.order_by().annotate(week=TruncWeek(column, tzinfo=zone)).values_list("week")
    return {moment.astimezone(zone).date(): n for moment, n in weekly.annotate(n=Count("pk"))}


def _by_week(weeks: list[Week], kept: dict[date, int], broken: dict[date, int], blind: dict[Week, int]) -> Chart:
    columns = [
        Column(f"W{week.number}", kept.get(week.monday, 0), broken.get(week.monday, 0), str(blind.get(week, "")))
        for week in weeks
    ]
    return Chart("weeks", "Promises kept and broken by week", tuple(columns))


def _lengths(choice: Choice, start: datetime, now: datetime) -> list[Chart]:
    """How long answers and resolutions took, promised or only measured, each severity in its own time."""
    stopped = Clock.objects.filter(choice.of, stopped_at__gte=start, stopped_at__lte=now, verb__in=VERBS)
    spans = {
        f"{severity}_{n}": Count("pk", filter=_between(ends, n) & Q(severity=severity))
        for severity, (ends, _, _) in SPANS.items()
        for n in range(len(ends) + 1)
    }
    found: dict[str, Any] = {row["verb"]: row for row in stopped.order_by().values("verb").annotate(**spans)}
    return [_length_chart(verb, severity, found.get(verb, {})) for verb in VERBS for severity in SPANS]


def _between(ends: tuple[int, ...], n: int) -> Q:
    """Column n: more than the end before it, at most its own."""
    above = Q(counted_seconds__gt=ends[n - 1]) if n else Q()
    return above & Q(counted_seconds__lte=ends[n]) if n < len(ends) else above


def _length_chart(verb: str, severity: str, counts: dict[str, int]) -> Chart:
    ends, labels, target = SPANS[severity]
    numbers = [counts.get(f"{severity}_{n}", 0) for n in range(len(labels))]
    columns = [Column(labels[n], numbers[n]) for n in range(len(ends))] + [Column(labels[-1], 0, numbers[-1])]
    title = f"{VERBS[verb]}, {'critical' if severity == Severity.CRITICAL else 'all others'}"
    return Chart(f"{verb}-{severity}", title, tuple(columns), len(ends), f"target {target}")


def _shares(kept: Any, broken: Any, column: str, names: dict[str, str]) -> list[Share]:
    """What each kept and broke, the worst first."""
    counts: dict[str, list[int]] = {}
    for place, rows in enumerate((kept, broken)):
        for key, n in rows.order_by().values_list(F(column)).annotate(n=Count("pk")):
            counts.setdefault(key, [0, 0])[place] = n
    found = [Share(names.get(key, key), *both) for key, both in counts.items()]
    return sorted(found, key=lambda share: (-share.broken, -share.kept, share.name))
