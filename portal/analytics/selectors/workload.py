"""Queries of the reviewers' workload, open waivers, and failing checks."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import Any

from django.db.models import Count, Min, Q, QuerySet
from django.utils import timezone

from integrations.programs.registry import PROGRAMS, get_edition
from integrations.reviews.assignment import describe_absence
from integrations.reviews.models import ReviewerProfile
from integrations.reviews.selectors.queue import build_snoozed_condition
from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.models.stage import STAGES_BEFORE_RELEASE
from integrations.submissions.selectors.history import DECISIONS, annotate_requested_at
from integrations.submissions.workflow.states import FINAL_STAGES, ResponsibleParty, Status
from portal.accounts.models import User
from portal.analytics.filters import AnalyticsFilters
from portal.audit.models import AuditEvent
from portal.core.figures import read_figures
from portal.ui.components.moments import format_span

DECISION_WINDOW = timedelta(days=30)
MEDIAN_WINDOW = timedelta(days=90)
MAX_ROWS = 12  # of a page


@dataclass(frozen=True, slots=True)
class Decisions:
    """Decisions of a reviewer: all of the last 90 days, those of the last 30, and the median time to decide."""

    count: int = 0
    recent_count: int = 0
    median_seconds: float | None = None  # from the request of a review

    @property
    def median_label(self) -> str:
        return "" if self.median_seconds is None else format_span(self.median_seconds)


@dataclass(frozen=True, slots=True)
class ReviewerLoad:
    """Workload of a reviewer, who has the counts of the open reviews as attributes."""

    reviewer: Any
    capacity: int
    decisions: Decisions
    away: str

    @property
    def pieces(self) -> list[tuple[str, float]]:
        """Return the meter parts: reviews waiting for the reviewer, for others, and beyond the capacity."""
        open_count = self.reviewer.open_count
        waiting = self.reviewer.waiting
        over = max(0, open_count - self.capacity)
        return [
            ("counted", min(waiting, self.capacity)),
            ("paused", max(0, open_count - waiting - over)),
            ("over", over),
        ]


def list_reviewer_loads(filters: AnalyticsFilters) -> list[ReviewerLoad]:
    """Return the active reviewers, those with the most waiting reviews first. Two queries."""
    open_reviews = Q(reviews__stage__in=[str(s) for s in STAGES_BEFORE_RELEASE]) & Q(
        **filters.build_program_lookup("reviews__program_key")
    )
    waiting_reviews = open_reviews & Q(reviews__responsible_party=str(ResponsibleParty.PROGRAM))
    people = User.objects.active_reviewers().select_related("reviewer_profile")
    reviewers = people.annotate(
        open_count=Count("reviews", filter=open_reviews),
        waiting=Count("reviews", filter=waiting_reviews),
        oldest=Min("reviews__responsible_since", filter=waiting_reviews),
        overdue=Count("reviews", filter=waiting_reviews & Q(reviews__action_due_at__lt=filters.now)),
        snoozed=Count("reviews", filter=waiting_reviews & build_snoozed_condition(filters.now, "reviews__")),
    )
    decisions = _list_decisions(filters)
    reviewer_loads = [
        _build_load(person, decisions.get(person.pk, Decisions()), filters.now)
        for person in reviewers.order_by("name", "pk")
    ]
    return sorted(
        reviewer_loads, key=lambda load: (-load.reviewer.waiting, -load.reviewer.open_count, str(load.reviewer))
    )


def _list_decisions(filters: AnalyticsFilters) -> dict[int, Decisions]:
    """Return the decisions of each reviewer. Large results are cached for ten minutes."""
    return read_figures(
        f"decisions {filters.program}",
        lambda: {reviewer: _summarize(times, filters.now) for reviewer, times in _read_times(filters).items()},
        lambda decisions: sum(each.count for each in decisions.values()),
    )


def _read_times(filters: AnalyticsFilters) -> dict[int, list[tuple[datetime, datetime]]]:
    """Return (time of the decision, time of the request) of the last 90 days by reviewer."""
    events = AuditEvent.objects.filter(
        event_type__in=DECISIONS, at__gt=filters.now - MEDIAN_WINDOW, at__lte=filters.now
    ).filter(**filters.build_program_lookup("integration__program_key"))
    times: dict[int, list[tuple[datetime, datetime]]] = defaultdict(list)
    rows = annotate_requested_at(events.order_by()).values_list("actor_id", "at", "requested_at")
    for actor, decided_at, requested_at in rows:
        # A decision without a request took no time.
        times[actor].append((decided_at, requested_at or decided_at))
    return times


def _summarize(times: list[tuple[datetime, datetime]], now: datetime) -> Decisions:
    return Decisions(
        len(times),
        sum(decided_at > now - DECISION_WINDOW for decided_at, _requested_at in times),
        median((decided_at - requested_at).total_seconds() for decided_at, requested_at in times),
    )


def _build_load(person: Any, decisions: Decisions, now: datetime) -> ReviewerLoad:
    profile = getattr(person, "reviewer_profile", None) or ReviewerProfile(user=person)
    away = describe_absence(profile, timezone.localtime(now).date())
    return ReviewerLoad(person, profile.max_open_reviews, decisions, away)


def summarize_unassigned(filters: AnalyticsFilters) -> dict[str, object]:
    """Return the count and the oldest date of unassigned reviews waiting for the program."""
    rows = Integration.objects.filter(
        responsible_party=ResponsibleParty.PROGRAM, reviewer=None, **filters.build_program_lookup()
    )
    return rows.aggregate(count=Count("pk"), oldest=Min("responsible_since"))


def list_open_waivers(filters: AnalyticsFilters) -> QuerySet[RequirementFulfillment]:
    """Return the current waivers with their integrations, sorted by expiration."""
    rows = RequirementFulfillment.objects.filter(
        waiver_expires_at__gt=filters.now, **filters.build_program_lookup("integration__program_key")
    )
    open_rows = rows.exclude(integration__stage__in=[str(stage) for stage in FINAL_STAGES])
    return open_rows.select_related("integration__partner", "waived_by").order_by("waiver_expires_at", "pk")


@dataclass(frozen=True, slots=True)
class FailingCheck:
    """Check of a program with the number of integrations that fail it, out of the checked ones."""

    program: str
    title: str
    failed_count: int
    checked_count: int

    @property
    def program_name(self) -> str:
        return PROGRAMS[self.program].name

    @property
    def pieces(self) -> list[tuple[str, float]]:
        return [("over", self.failed_count), ("left", self.checked_count - self.failed_count)]


EVALUATED_STATUSES = (Status.PASS, Status.WARN, Status.FAIL)


def list_failing_checks(filters: AnalyticsFilters) -> list[FailingCheck]:
    """Return the failing checks of open integrations, most frequent first. Large results are cached for ten minutes."""
    counts = read_figures(
        f"checks {filters.program}",
        lambda: _count_checks(filters),
        lambda counts: sum(checked_count for _failed_count, checked_count in counts.values()),
    )
    failing_checks = [FailingCheck(*check, *numbers) for check, numbers in counts.items() if numbers[0]]
    return sorted(
        failing_checks,
        key=lambda check: (-check.failed_count, -check.failed_count / check.checked_count, check.program, check.title),
    )


def _count_checks(filters: AnalyticsFilters) -> dict[tuple[str, str], list[int]]:
    """Return the numbers of failed and checked integrations by program and title."""
    rows = RequirementFulfillment.objects.filter(
        status__in=[str(s) for s in EVALUATED_STATUSES], **filters.build_program_lookup("integration__program_key")
    ).exclude(integration__stage__in=[str(stage) for stage in FINAL_STAGES])
    counted_rows = (
        rows.order_by()
        .values_list("integration__program_key", "integration__edition_date", "requirement_id")
        .annotate(failed=Count("pk", filter=Q(status=str(Status.FAIL))), checked=Count("pk"))
    )
    counts: dict[tuple[str, str], list[int]] = {}
    for program, edition, key, failed_count, checked_count in counted_rows:
        # Editions can give requirements other IDs, so checks are counted by their title.
        requirement = get_edition(program, edition).get_requirement(key)
        numbers = counts.setdefault((program, requirement.title if requirement else key), [0, 0])
        numbers[0] += failed_count
        numbers[1] += checked_count
    return counts
