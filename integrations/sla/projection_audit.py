"""Audit of stored projections: projects every issue again and compares, without writing."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet

from integrations.sla.engine.types import ClockStatus
from integrations.sla.models import SlaBreach, SlaClock, SupportIssue
from integrations.sla.selectors import issue_states
from integrations.sla.services import projection

CHUNK_SIZE = 500
PROCESSING_DELAY = timedelta(minutes=2)  # younger breaches may not have been recorded yet
RUNNING_STATUSES = frozenset({ClockStatus.RUNNING, ClockStatus.OVERDUE, ClockStatus.DATA_INCOMPLETE})
FINAL_STATUSES = frozenset({ClockStatus.MET, ClockStatus.LATE})


def replay_issues(issues: QuerySet[SupportIssue], now: datetime) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of events and the differences of each issue. Memory use doesn't depend on how many there are."""
    last_pk = 0
    # By key instead of offset, so that issues added in the meantime don't shift the chunks.
    while pks := list(issues.filter(pk__gt=last_pk).order_by("pk").values_list("pk", flat=True)[:CHUNK_SIZE]):
        yield from _replay_chunk(pks, now)
        last_pk = pks[-1]


def _replay_chunk(pks: list[int], now: datetime) -> Iterator[tuple[int, list[str]]]:
    clocks: dict[int, dict[str, SlaClock]] = {}
    for clock in SlaClock.objects.filter(issue__in=pks):
        clocks.setdefault(clock.issue_id, {})[clock.target_type] = clock
    due_times_by_clock: dict[int, set[datetime]] = {}
    is_missed = Q(due_at=F("clock__due_at"), clock__is_committed=True) & ~Q(clock__state=ClockStatus.MET)
    # A breach that a decision retracted counts as recorded, because the portal doesn't record it again.
    recorded_breaches = SlaBreach.objects.filter(Q(retracted_at=None) | ~Q(outcome="") & is_missed, issue__in=pks)
    for pk, due_at in recorded_breaches.values_list("clock_id", "due_at"):
        due_times_by_clock.setdefault(pk, set()).add(due_at)
    for issue in projection.load_issues(pks):
        differences = _find_differences(issue, clocks.get(issue.pk, {}), due_times_by_clock, now)
        yield len(issue.events.all()), list(differences)


def _describe(location: str, field_name: str, stored_value: object, computed_value: object) -> str:
    """Describe a difference between stored and computed data. `location` is such as "owner/name#12 respond"."""
    return f"{location}: {field_name} is {stored_value}, expected {computed_value}"


def _find_differences(
    issue: SupportIssue, clocks: dict[str, SlaClock], due_times_by_clock: dict[int, set[datetime]], now: datetime
) -> Iterator[str]:
    """Yield the differences of one issue.

    `due_times_by_clock` holds the due dates of recorded breaches by clock.
    """
    try:
        state = issue_states.compute_issue_state(issue, projection.get_projection_time(issue, now))
    except ValueError as error:
        yield _describe(str(issue), "projection", "present", error)
        return
    for name, computed_value in projection.build_issue_columns(state).items():
        if getattr(issue, name) != computed_value:
            yield _describe(str(issue), name, getattr(issue, name), computed_value)
    for clock_state in state.clocks:
        location = f"{issue} {clock_state.target_type}"
        clock = clocks.get(str(clock_state.target_type))
        if clock is None:
            yield _describe(location, "clock", "missing", clock_state.state)
            continue
        for name, computed_value in projection.build_clock_columns(clock_state).items():
            stored_value = getattr(clock, name)
            if stored_value != computed_value and _is_significant(name, clock, str(computed_value)):
                yield _describe(location, name, stored_value, computed_value)
        yield from _compare_breaches(location, clock, due_times_by_clock.get(clock.pk, set()), issue, now)


def _is_significant(name: str, clock: SlaClock, computed_value: str) -> bool:
    """Return whether a difference matters. Open states and counted time change with time alone."""
    if name == "state":
        return not {clock.state, computed_value} <= RUNNING_STATUSES
    return clock.state in FINAL_STATUSES or name not in ("counted_seconds", "paused_seconds")


def _compare_breaches(
    location: str, clock: SlaClock, recorded_due_times: set[datetime], issue: SupportIssue, now: datetime
) -> Iterator[str]:
    expected_due_times = set()
    if clock.is_committed and clock.due_at and clock.state in (*RUNNING_STATUSES, ClockStatus.LATE):
        known_up_to = min(now - PROCESSING_DELAY, issue.monitored_repository.data_up_to)
        # A breach is only expected if the data was complete up to the due date.
        if clock.state == ClockStatus.LATE or clock.due_at <= known_up_to:
            expected_due_times = {clock.due_at}
    for due_at in recorded_due_times - expected_due_times:
        if due_at != clock.due_at or not clock.is_committed or clock.state == ClockStatus.MET:
            yield _describe(location, "breach", due_at, "none")
    for due_at in expected_due_times - recorded_due_times:
        if issue.monitoring_ended_at is None and due_at <= now - PROCESSING_DELAY:
            yield _describe(location, "breach", "missing", due_at)
