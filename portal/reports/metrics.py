"""Metrics of a report as JSON, which is stored and never changes."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Q
from django.utils.text import capfirst

from integrations.programs.registry import PROGRAMS, get_edition
from integrations.sla import metrics
from integrations.sla.engine.projection import MissingOpeningError
from integrations.sla.engine.types import ClockStatus
from integrations.sla.issue_names import format_issue_name
from integrations.sla.metrics import MetricsScope
from integrations.sla.models import MonitoredRepository, SlaBreach, SlaClock, SupportIssue
from integrations.sla.selectors import issue_states
from integrations.submissions.models import Integration
from integrations.submissions.selectors.history import DECISIONS, annotate_requested_at
from integrations.submissions.workflow.states import ListingStatus, ResponsibleParty, Stage
from portal.audit.event_types import EVENT_TYPES
from portal.audit.models import AuditEvent
from portal.core.business_time import add_business_days
from portal.core.periods import Period
from portal.core.value_types import JsonObject
from portal.reports.models import ReportSnapshot
from portal.reports.scopes import ReportScope

OPEN_STATES = ("running", "at_risk", "overdue", "data_incomplete", "paused")
# A test limits the size of an email to 100 kB.
MAX_OVERDUE_ROWS = 5
MAX_DUE_SOON_ROWS = 20
TREND_PERIODS = 8  # including that of the report
LATE_AFTER = timedelta(days=1)  # after a period's end: from then on its report is created late
LISTING_EVENT_TYPES = tuple(key for key, event_type in EVENT_TYPES.items() if event_type.is_in_reports)


def build_figures(report_scope: ReportScope, period: Period, zone: ZoneInfo, now: datetime) -> dict[str, object]:
    """Return the metrics of a scope and period as self-contained JSON data with ISO timestamps.

    Open clocks are evaluated at the end of the period, even if the report is created later.
    """
    start, end = period.get_bounds(zone)
    scope = report_scope.scope
    evaluated_at = min(end, now)
    data_up_to = metrics.get_data_up_to(scope)
    next_period_ends_at = period.next.get_bounds(zone)[1]
    # For a report that is created so late, the next period is over as well.
    due_soon_clocks = (
        metrics.list_due_soon_clocks(scope, evaluated_at, next_period_ends_at)
        if now < next_period_ends_at
        else SlaClock.objects.none()
    )
    totals = _get_totals(scope, start, end, evaluated_at)
    previous_totals = _build_previous_totals(report_scope, period, zone, evaluated_at)
    due_soon_rows = list(due_soon_clocks[:MAX_DUE_SOON_ROWS])
    return _build_report_metadata(report_scope, period, zone, now) | {
        "is_past": now >= next_period_ends_at,
        "data_up_to": data_up_to.isoformat() if data_up_to else None,
        "monitored_repository_count": _count_monitored_repositories(scope, evaluated_at),
        "totals": totals,
        "trend": _list_trend(report_scope, period, totals, previous_totals),
        "previous_totals": previous_totals,
        "overdue_issues": [
            build_clock_row(clock, evaluated_at)
            for clock in metrics.list_overdue_clocks(scope, evaluated_at)[:MAX_OVERDUE_ROWS]
        ],
        "due_soon_issues": [build_clock_row(clock, evaluated_at) for clock in due_soon_rows],
        "due_soon_count": due_soon_clocks.count() if len(due_soon_rows) == MAX_DUE_SOON_ROWS else len(due_soon_rows),
        "activity": metrics.count_activity(scope, start, end),
        "retractions": _list_retractions(scope, start, end),
        "programs": _list_program_totals(scope, start, end, evaluated_at, totals),
        "listing_changes": _list_listing_changes(scope, start, end),
        "review_record": build_review_record(scope, start, end, evaluated_at),
        "editions": sorted(_list_editions(scope)),
    }


def _build_report_metadata(
    report_scope: ReportScope, period: Period, zone: ZoneInfo, now: datetime
) -> dict[str, object]:
    """Return what the report covers and when it was made."""
    start, end = period.get_bounds(zone)
    return {
        "scope": report_scope.key,
        "name": report_scope.name,
        "period": str(period),
        "kind": period.kind,
        "start": start.isoformat(),
        "end": end.isoformat(),
        "zone": str(zone),
        "created_at": now.isoformat(),
        "was_created_late": now >= end + LATE_AFTER,
    }


def _count_monitored_repositories(scope: MetricsScope, evaluated_at: datetime) -> int:
    """Return the number of repositories that were monitored at a moment."""
    active_condition = Q(ended_at=None) | Q(ended_at__gt=evaluated_at)
    return MonitoredRepository.objects.filter(
        scope.build_condition(), active_condition, began_at__lte=evaluated_at
    ).count()


def _build_previous_totals(
    report_scope: ReportScope, period: Period, zone: ZoneInfo, evaluated_at: datetime
) -> dict[str, object]:
    """Return the totals of the previous period. The counts of open clocks come from its own report, or are None."""
    totals = metrics.get_closed_metrics(report_scope.scope, *period.previous.get_bounds(zone), evaluated_at).as_dict()
    # The clocks that were open then can't be counted anymore, because clocks only store their present state.
    frozen_figures = (
        ReportSnapshot.objects.filter(scope=report_scope.key, period=str(period.previous))
        .values_list("figures", flat=True)
        .first()
    )
    if frozen_figures is None:
        return totals | dict.fromkeys(OPEN_STATES)
    frozen_totals = frozen_figures["totals"]
    # Clocks whose data was incomplete then and that are evaluated by now must not count twice.
    evaluated_count = max(0, totals["settled"] - frozen_totals["settled"])
    data_incomplete = max(0, frozen_totals["data_incomplete"] - evaluated_count)
    return totals | {name: frozen_totals[name] for name in OPEN_STATES} | {"data_incomplete": data_incomplete}


def _list_trend(
    report_scope: ReportScope, period: Period, totals: JsonObject, previous_totals: JsonObject
) -> list[JsonObject]:
    """Return the results of the last periods that have a report, oldest first, and of this period."""
    periods = [period]
    while len(periods) < TREND_PERIODS:
        periods.append(periods[-1].previous)
    earlier_totals = (
        ReportSnapshot.objects.filter(scope=report_scope.key, period__in=[str(each) for each in periods[1:]])
        .order_by("end_day")
        .values_list("period", "figures__totals")
    )
    names = ("met", "settled", "overdue", "data_incomplete")
    # The report compares the period with the previous one, whose figures must be the same here.
    current_totals = {str(period): totals, str(period.previous): previous_totals}
    return [
        {"period": name, **{key: current_totals.get(name, row).get(key, 0) for key in names}}
        for name, row in [*earlier_totals, (str(period), totals)]
    ]


def build_clock_row(clock: Any, evaluated_at: datetime) -> dict[str, object]:
    """Return an open clock as a row of the report."""
    issue = clock.issue
    last_commenter_role, last_commented_at = _find_last_commenter(issue, evaluated_at)
    return {
        "issue": str(issue.uuid),
        "name": format_issue_name(clock.monitored_repository.repository, issue.number, issue.url, issue.ended_at),
        "title": issue.title,
        "url": issue.url,
        "partner": clock.integration.partner.name,
        "integration": clock.integration.name,
        "severity": issue.severity,
        "target_type": clock.target_type,
        "due_at": clock.due_at.isoformat() if clock.due_at else None,
        "age_hours": int((evaluated_at - issue.opened_at).total_seconds() // 3600),
        "overdue_hours": max(0, int((evaluated_at - clock.due_at).total_seconds() // 3600)) if clock.due_at else 0,
        "responsible_party": "reporter" if clock.past_status == ClockStatus.PAUSED else "partner",
        "last_commenter_role": last_commenter_role,
        "last_commented_at": last_commented_at.isoformat() if last_commented_at else None,
        "state": clock.past_status,
    }


def _find_last_commenter(issue: SupportIssue, evaluated_at: datetime) -> tuple[str, datetime | None]:
    """Return the role and time of the last comment before a moment, blank and None if it is not known."""
    if issue.last_commented_at is None or issue.last_commented_at <= evaluated_at:
        return issue.last_commenter_role, issue.last_commented_at
    # Someone commented since, and the issue only stores the last comment.
    try:
        state = issue_states.compute_issue_state(issue, evaluated_at)
    except MissingOpeningError:  # must not prevent the report
        return "", None
    return state.last_commenter_role, state.last_commented_at


def _list_retractions(scope: MetricsScope, start: datetime, end: datetime) -> list[dict[str, str]]:
    """Return the breaches that were retracted in the period, with the reason."""
    breaches = SlaBreach.objects.filter(scope.build_condition(), retracted_at__gte=start, retracted_at__lt=end)
    recent_breaches = breaches.select_related("issue__monitored_repository", "integration").order_by(
        "retracted_at", "pk"
    )[:MAX_DUE_SOON_ROWS]
    return [
        {"name": str(breach.issue), "integration": breach.integration.name, "reason": breach.retraction_reason}
        for breach in recent_breaches
    ]


def _list_program_totals(
    scope: MetricsScope, start: datetime, end: datetime, evaluated_at: datetime, totals: JsonObject
) -> list[JsonObject]:
    """Return the totals of each program. Those of a scope with one program are its own."""
    integrations = Integration.objects.filter(scope.build_condition(""), monitored_repository__isnull=False).order_by(
        "program_key"
    )
    keys = list(integrations.values_list("program_key", flat=True).distinct())
    program_totals = []
    for key in keys:
        program_scope = MetricsScope(scope.partner_id, scope.integration_id, key)
        name = PROGRAMS[key].name if key in PROGRAMS else key
        # Most partners have one program, whose clocks were counted already.
        own_totals = totals if len(keys) == 1 else _get_totals(program_scope, start, end, evaluated_at)
        program_totals.append({"program": key, "name": name} | own_totals)
    return program_totals


def _get_totals(scope: MetricsScope, start: datetime, end: datetime, evaluated_at: datetime) -> JsonObject:
    return metrics.get_metrics(scope, start, end, evaluated_at).as_dict()


def _list_listing_changes(scope: MetricsScope, start: datetime, end: datetime) -> list[dict[str, object]]:
    """Return the changes of listing statuses in the period."""
    events = AuditEvent.objects.filter(
        scope.build_condition("integration__"),
        event_type__in=LISTING_EVENT_TYPES,
        at__gte=start,
        at__lt=end,
        # Partners receive these reports.
        internal=False,
    )
    recent_events = events.select_related("integration__partner").order_by("at", "pk")[:50]
    return [
        {
            "partner": event.integration.partner.name,
            "integration": event.integration.name,
            "change": capfirst(event.action),
            "actor": event.actor_name,
            "is_public": _is_public_change(event),
        }
        for event in recent_events
        if event.integration is not None and not _is_undone(event)
    ]


def _is_undone(event: AuditEvent) -> bool:
    """Return whether a decision was undone, so that it didn't change anything."""
    undo_until = event.data.get("undo_until")
    undone = AuditEvent.objects.filter(stream=event.stream, seq__gt=event.seq, event_type="integration.decision_undone")
    return bool(undo_until) and undone.filter(at__lte=undo_until).exists()


def _is_public_change(event: AuditEvent) -> bool:
    """Return whether the public sees the change of a listing status."""
    # docs/explanation/compliance.md, "Public effect": a notice is visible to the program and the partner only.
    statuses = event.data.get("listing_status", ())
    return len({ListingStatus.LISTED if each == ListingStatus.ON_NOTICE else each for each in statuses}) > 1


def build_review_record(scope: MetricsScope, start: datetime, end: datetime, evaluated_at: datetime) -> dict[str, int]:
    """Return the program's review record: decided reviews, those on time, and pending reviews."""
    decision_events = AuditEvent.objects.filter(
        scope.build_condition("integration__"), event_type__in=DECISIONS, at__gte=start, at__lt=end
    )
    decisions = annotate_requested_at(decision_events).values_list(
        "at", "requested_at", "integration__program_key", "integration__edition_date"
    )
    are_on_time = [_is_on_time(*decision) for decision in decisions.iterator()]
    pending_reviews = Integration.objects.filter(
        scope.build_condition(""), stage=Stage.REVIEW, responsible_party=ResponsibleParty.PROGRAM
    )
    pending_reviews = pending_reviews.exclude(responsible_since__gt=evaluated_at)
    return {
        "decided": len(are_on_time),
        "on_time": sum(are_on_time),
        "pending": pending_reviews.count(),
        "overdue": pending_reviews.filter(action_due_at__lt=evaluated_at).count(),
    }


def _is_on_time(
    decided_at: datetime, requested_at: datetime | None, program_key: str | None, edition_date: str | None
) -> bool:
    """Return whether a review was decided within the program's time. One without a request was."""
    if requested_at is None or program_key is None or edition_date is None:
        return True
    edition = get_edition(program_key, edition_date)
    return decided_at <= add_business_days(requested_at, edition.review_days, edition.business_calendar)


def _list_editions(scope: MetricsScope) -> Iterable[str]:
    rows = Integration.objects.filter(scope.build_condition(""), monitored_repository__isnull=False)
    # The default order would add a column, with which no two rows are equal.
    editions = rows.order_by().values_list("program_key", "edition_date").distinct()
    return {f"{key}@{edition}" for key, edition in editions}
