"""SLA metrics for pages, reports, and listings, each for a scope and a period.

Only committed clocks count as met or breached. A clock counts in the period in which it was met, or in which its target
was breached and the breach was not retracted. Clocks with incomplete data count separately, missed ideal targets too.
"""

from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from statistics import median
from typing import Any

from django.db.models import Case, Count, Exists, F, Min, OuterRef, Q, QuerySet, Value, When

from integrations.sla.engine.timeline import order_events
from integrations.sla.engine.types import DENIED_KEY, Actor, ClockStatus, IssueEventKind, TimelineEvent
from integrations.sla.models import MonitoredRepository, SlaBreach, SlaClock, SupportIssue, SupportIssueEvent
from portal.core.value_types import JsonObject

ACTIVITY_KINDS = (IssueEventKind.CLOSED, IssueEventKind.REOPENED, IssueEventKind.COMMENTED)


@dataclass(frozen=True, slots=True)
class MetricsScope:
    """Scope of metrics: all clocks, one partner, one integration, or one program."""

    partner_id: int | None = None
    integration_id: int | None = None
    program_key: str = ""

    def build_condition(self, prefix: str = "integration__") -> Q:
        """Return the scope as a condition for models with an integration."""
        conditions = {
            f"{prefix}partner_id": self.partner_id,
            f"{prefix}id": self.integration_id,
            f"{prefix}program_key": self.program_key or None,
        }
        return Q(**{name: value for name, value in conditions.items() if value is not None})


GLOBAL_SCOPE = MetricsScope()


@dataclass(frozen=True, slots=True)
class Totals:
    """Metrics of a period. `met` counts met targets, `breached` counts breaches.

    `share` is the percentage on time with one decimal, or None without settled clocks. `ideal_missed` counts missed
    ideal targets, which are not breaches. The median times are counted hours of all issues, with or without a target.
    """

    met: int = 0
    breached: int = 0
    running: int = 0
    at_risk: int = 0
    overdue: int = 0
    data_incomplete: int = 0
    paused: int = 0
    ideal_missed: int = 0
    respond_hours: float | None = None
    resolve_hours: float | None = None

    @property
    def settled_count(self) -> int:
        return self.met + self.breached

    @property
    def share(self) -> float | None:
        return round(100 * self.met / self.settled_count, 1) if self.settled_count else None

    def as_dict(self) -> JsonObject:
        return asdict(self) | {"settled": self.settled_count, "share": self.share}


def list_breaches(scope: MetricsScope) -> QuerySet[SlaBreach]:
    """Return the breaches of a scope that were not retracted."""
    return SlaBreach.objects.filter(scope.build_condition(), retracted_at=None)


def build_missed_ideal_condition(evaluated_at: datetime) -> Q:
    """Return the condition of clocks whose ideal target was missed according to complete data."""
    was_due = Q(ideal_due_at__lte=evaluated_at, monitored_repository__data_up_to__gte=F("ideal_due_at"))
    was_monitored = Q(issue__ended_at=None) | Q(issue__ended_at__gte=F("ideal_due_at"))
    return was_due & was_monitored & (Q(stopped_at=None) | Q(stopped_at__gt=F("ideal_due_at")))


def build_monitored_condition(evaluated_at: datetime) -> Q:
    """Return the condition of clocks that were monitored at a time."""
    is_of_repository = Q(monitored_repository__ended_at=None) | Q(monitored_repository__ended_at__gt=evaluated_at)
    return is_of_repository & (Q(issue__ended_at=None) | Q(issue__ended_at__gt=evaluated_at))


def list_open_clocks(scope: MetricsScope, evaluated_at: datetime) -> QuerySet[Any]:
    """Return committed clocks that were open at a time, annotated with their `past_status` based on today's data.

    A paused clock counts as paused since the last comment.
    """
    # Clocks store only their current status. If someone commented later, the clock may not have been paused then.
    spoke_since = SupportIssue.objects.filter(pk=OuterRef("issue_id"), last_commented_at__gt=evaluated_at)
    status_case = Case(
        When(Q(state=ClockStatus.PAUSED) & ~Exists(spoke_since), then=Value(str(ClockStatus.PAUSED))),
        When(state=ClockStatus.DATA_INCOMPLETE, due_at__lte=evaluated_at, then=Value(str(ClockStatus.DATA_INCOMPLETE))),
        When(due_at__lte=evaluated_at, then=Value(str(ClockStatus.OVERDUE))),
        default=Value(str(ClockStatus.RUNNING)),
    )
    open_condition = (
        Q(stopped_at=None)
        | Q(stopped_at__gt=evaluated_at)
        # A stop that the data doesn't confirm yet doesn't settle a clock (decision 0073).
        | Q(state=ClockStatus.DATA_INCOMPLETE, due_at__lte=evaluated_at)
    )
    return (
        SlaClock.objects.filter(scope.build_condition(), open_condition, build_monitored_condition(evaluated_at))
        .filter(is_committed=True, started_at__lte=evaluated_at)
        .exclude(state=ClockStatus.NOT_APPLICABLE)
        .annotate(past_status=status_case)
    )


def get_metrics(scope: MetricsScope, start: datetime, end: datetime, evaluated_at: datetime) -> Totals:
    """Return the met and breached clocks within [start, end), and the status of open clocks at `evaluated_at`."""
    is_urgent = Q(warn75_at__lte=evaluated_at)
    counts = list_open_clocks(scope, evaluated_at).order_by().values_list("past_status")
    open_counts = dict[str, int]()
    for status, count, urgent_count in counts.annotate(Count("pk"), urgent=Count("pk", filter=is_urgent)):
        open_counts[status] = count
        if status == ClockStatus.RUNNING:
            open_counts["at_risk"] = urgent_count
    return replace(get_closed_metrics(scope, start, end, evaluated_at), **open_counts)


def get_closed_metrics(scope: MetricsScope, start: datetime, end: datetime, evaluated_at: datetime) -> Totals:
    """Return the met and breached clocks within [start, end), without the status of open clocks."""
    stopped_clocks = SlaClock.objects.filter(scope.build_condition(), stopped_at__gte=start, stopped_at__lt=end)
    # By due date, so that a breach that was found late counts in the period in which it happened.
    breach_count = list_breaches(scope).filter(due_at__gte=start, due_at__lt=end).count()
    ideal_count = SlaClock.objects.filter(
        scope.build_condition(),
        build_missed_ideal_condition(evaluated_at),
        ideal_due_at__gte=start,
        ideal_due_at__lt=end,
    ).count()
    # SQLite can't calculate a median, so one query reads the hours and the counts.
    met_count = 0
    hours = dict[str, list[float]]()
    for target_type, seconds, is_committed, state in stopped_clocks.values_list(
        "target_type", "counted_seconds", "is_committed", "state"
    ):
        met_count += is_committed and state == ClockStatus.MET
        hours.setdefault(target_type, []).append(seconds / 3600)
    medians = {target_type: round(median(values), 1) for target_type, values in hours.items()}
    return Totals(
        met=met_count,
        breached=breach_count,
        ideal_missed=ideal_count,
        respond_hours=medians.get("respond"),
        resolve_hours=medians.get("resolve"),
    )


def list_due_soon_clocks(scope: MetricsScope, evaluated_at: datetime, due_before: datetime) -> QuerySet[SlaClock]:
    """Return clocks that were running, are due before `due_before`, and have not stopped since, earliest first."""
    running_clocks = list_open_clocks(scope, evaluated_at).filter(
        past_status=ClockStatus.RUNNING, stopped_at=None, due_at__lt=due_before
    )
    return _select_related(running_clocks.exclude(state=ClockStatus.PAUSED)).order_by("due_at", "pk")


def list_overdue_clocks(scope: MetricsScope, evaluated_at: datetime) -> QuerySet[SlaClock]:
    """Return clocks that were overdue and not stopped, critical ones first, then the oldest first."""
    overdue_clocks = list_open_clocks(scope, evaluated_at).filter(
        # With incomplete data, an issue may be overdue as well.
        past_status__in=(ClockStatus.OVERDUE, ClockStatus.DATA_INCOMPLETE)
    )
    # "critical" sorts before "other"
    return _select_related(overdue_clocks).order_by("issue__severity", "due_at", "pk")


def _select_related(clocks: QuerySet[SlaClock]) -> QuerySet[SlaClock]:
    return clocks.select_related("issue", "monitored_repository", "integration__partner")


def get_data_up_to(scope: MetricsScope) -> datetime | None:
    """Return the time until which the data of all repositories is complete. None without monitored repositories."""
    monitored_repositories = MonitoredRepository.objects.filter(scope.build_condition(), ended_at=None)
    return monitored_repositories.aggregate(at=Min("data_up_to"))["at"]


def count_activity(scope: MetricsScope, start: datetime, end: datetime) -> dict[str, int]:
    """Count the activity within [start, end)."""
    counts_by_kind = _count_events(scope, start, end)
    breach_count = list_breaches(scope).filter(due_at__gte=start, due_at__lt=end).count()
    retraction_count = SlaBreach.objects.filter(
        scope.build_condition(), retracted_at__gte=start, retracted_at__lt=end
    ).count()
    opened_count = SupportIssue.objects.filter(scope.build_condition(), opened_at__gte=start, opened_at__lt=end).count()
    return {
        "opened": opened_count,
        "closed": counts_by_kind[IssueEventKind.CLOSED],
        "reopened": counts_by_kind[IssueEventKind.REOPENED],
        "comments": counts_by_kind[IssueEventKind.COMMENTED],
        "breached": breach_count,
        "retracted": retraction_count,
    }


def _count_events(scope: MetricsScope, start: datetime, end: datetime) -> Counter[IssueEventKind]:
    """Count the closings, reopenings, and comments within [start, end)."""
    period = Q(at__gte=start, at__lt=end) & scope.build_condition("issue__integration__")
    rows = SupportIssueEvent.objects.filter(period, Q(kind__in=ACTIVITY_KINDS) | Q(data__has_key=DENIED_KEY))
    events: dict[int, list[TimelineEvent]] = defaultdict(list)
    for issue_id, key, kind, at, actor_id, data in rows.order_by().values_list(
        "issue_id", "key", "kind", "at", "actor_id", "data"
    ):
        events[issue_id].append(TimelineEvent(key, IssueEventKind(kind), at, Actor(actor_id, ""), data=data))
    # Webhooks and lists can both report an action, and GitHub may deny it. A denial is stored as an event, too.
    return Counter(event.kind for each in events.values() for event in order_events(each, end))
