"""How well is a promise kept? The figures that pages, reports and listings share, each of a scope and a span of time.

Only promised clocks count. A clock counts in the span in which it was settled: kept when it was met there, broken
when a breach that stands fell due there. What is blind counts nowhere: it is said beside the others.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import Any

from django.db.models import Case, Count, Exists, Min, OuterRef, Q, QuerySet, Value, When

from integrations.sla.engine.types import Severity, Watching
from integrations.sla.models import Breach, Clock, Issue, IssueEvent, Watch

AT_RISK = 75  # per cent of the time that are used
SOON = timedelta(days=7)
OPEN_STATES = (Watching.RUNNING, Watching.PAUSED, Watching.OVERDUE, Watching.BLIND)


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose figures: everybody's, one partner's, one integration's; of one program or of all."""

    partner_id: int | None = None
    integration_id: int | None = None
    program_key: str = ""

    def of(self, prefix: str = "integration__") -> Q:
        """The scope as a condition on rows that know their integration."""
        given = {
            f"{prefix}partner_id": self.partner_id,
            f"{prefix}id": self.integration_id,
            f"{prefix}program_key": self.program_key or None,
        }
        return Q(**{name: value for name, value in given.items() if value is not None})


EVERYBODY = Scope()


@dataclass(frozen=True, slots=True)
class Totals:
    """Figures of a span. `share`: in time, in per cent with one decimal, None where nothing was settled."""

    kept: int = 0
    broken: int = 0
    running: int = 0
    at_risk: int = 0
    overdue: int = 0
    blind: int = 0
    paused: int = 0

    @property
    def settled(self) -> int:
        return self.kept + self.broken

    @property
    def share(self) -> float | None:
        return round(100 * self.kept / self.settled, 1) if self.settled else None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"settled": self.settled, "share": self.share}


def promised(scope: Scope) -> QuerySet[Clock]:
    """The promised clocks of a scope, those of ended watches included."""
    return Clock.objects.filter(scope.of(), promised=True)


def breaches(scope: Scope) -> QuerySet[Breach]:
    """The breaches of a scope that stand."""
    return Breach.objects.filter(scope.of(), retracted_at=None)


def open_at(scope: Scope, at: datetime) -> QuerySet[Any]:
    """Promised clocks that were open at a moment, with `then`: where each was. As today's facts tell it.

    A pause is taken to have lasted since somebody spoke last: what paused later was running.
    """
    spoke_since = Issue.objects.filter(pk=OuterRef("issue_id"), spoke_last_at__gt=at)
    then = Case(
        When(Q(state=Watching.PAUSED) & ~Exists(spoke_since), then=Value(str(Watching.PAUSED))),
        When(state=Watching.BLIND, due_at__lte=at, then=Value(str(Watching.BLIND))),
        When(due_at__lte=at, then=Value(str(Watching.OVERDUE))),
        default=Value(str(Watching.RUNNING)),
    )
    went_on = Q(stopped_at=None) | Q(stopped_at__gt=at) | Q(state=Watching.BLIND, due_at__lte=at)
    watched = Q(watch__ended_at=None) | Q(watch__ended_at__gt=at)
    return promised(scope).filter(went_on & watched, started_at__lte=at).exclude(state=Watching.OFF).annotate(then=then)


def totals(scope: Scope, start: datetime, end: datetime, at: datetime) -> Totals:
    """What was kept and broken within [start, end), and where the open clocks were at a moment."""
    kept = promised(scope).filter(state=Watching.MET, stopped_at__gte=start, stopped_at__lt=end).count()
    broken = breaches(scope).filter(due_at__gte=start, due_at__lt=end).count()
    open_then = open_at(scope, at).aggregate(
        running=Count("pk", filter=Q(then=Watching.RUNNING)),
        at_risk=Count("pk", filter=Q(then=Watching.RUNNING, warn75_at__lte=at)),
        overdue=Count("pk", filter=Q(then=Watching.OVERDUE)),
        blind=Count("pk", filter=Q(then=Watching.BLIND)),
        paused=Count("pk", filter=Q(then=Watching.PAUSED)),
    )
    return Totals(kept=kept, broken=broken, **open_then)


def coming(scope: Scope, at: datetime, until: datetime) -> QuerySet[Clock]:
    """Clocks that ran at a moment, are due before another and have not been stopped since, the soonest due first."""
    running = open_at(scope, at).filter(then=Watching.RUNNING, stopped_at=None, due_at__lt=until)
    return _shown(running.exclude(state=Watching.PAUSED)).order_by("due_at", "pk")


def worst(scope: Scope, at: datetime) -> QuerySet[Clock]:
    """Clocks past their due moment and unanswered at a moment, critical ones first, the oldest first."""
    late = open_at(scope, at).filter(then__in=(Watching.OVERDUE, Watching.BLIND))
    return _shown(late).order_by("severity", "due_at", "pk")  # "critical" sorts before "other"


def _shown(clocks: QuerySet[Clock]) -> QuerySet[Clock]:
    return clocks.select_related("issue", "watch", "integration__partner")


def data_up_to(scope: Scope) -> datetime | None:
    """How far what we know of all of them reaches: the furthest behind decides. None where nothing is watched."""
    watches = Watch.objects.filter(scope.of(), ended_at=None)
    return watches.aggregate(at=Min("data_up_to"))["at"]


def movements(scope: Scope, start: datetime, end: datetime) -> dict[str, int]:
    """What happened within [start, end), counted."""
    span = Q(at__gte=start, at__lt=end)
    events = IssueEvent.objects.filter(span & scope.of("issue__integration__"))
    kinds = dict(events.order_by().values_list("kind").annotate(count=Count("pk")))
    due = breaches(scope).filter(due_at__gte=start, due_at__lt=end).count()
    back = Breach.objects.filter(scope.of(), retracted_at__gte=start, retracted_at__lt=end).count()
    opened = Issue.objects.filter(scope.of(), opened_at__gte=start, opened_at__lt=end).count()
    return {
        "opened": opened,
        "closed": kinds.get("closed", 0),
        "reopened": kinds.get("reopened", 0),
        "comments": kinds.get("commented", 0),
        "breached": due,
        "retracted": back,
    }


def response_hours(scope: Scope, start: datetime, end: datetime, severity: str = "") -> list[float]:
    """Counted hours of the first answers given within [start, end), promised or not, in ascending order."""
    answered = Clock.objects.filter(scope.of(), verb="respond", stopped_at__gte=start, stopped_at__lt=end)
    if severity:
        answered = answered.filter(severity=severity)
    return sorted(round(seconds / 3600, 2) for seconds in answered.values_list("counted_seconds", flat=True))


def record(scope: Scope, now: datetime, days: int = 90) -> dict[str, Any]:
    """The support record of a listing: share in time, median hours to the first answer, and the sample's size."""
    start = now - timedelta(days=days)
    figures = totals(scope, start, now, now)
    hours = response_hours(scope, start, now)
    return {
        "days": days,
        "share": figures.share,
        "settled": figures.settled,
        "median_hours": round(median(hours), 1) if hours else None,
        "answers": len(hours),
    }


def severities() -> Iterable[Severity]:
    """Both, critical first, as tables show them."""
    return Severity.CRITICAL, Severity.OTHER
