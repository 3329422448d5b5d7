"""Who has how much to review, which waivers are open, and which checks fail most? One query each."""

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Count, Min, Q, QuerySet
from django.utils import dates, timezone
from django.utils.translation import gettext as _

from integrations.programs.registry import PROGRAMS, get_edition
from integrations.reviews.models import ReviewerProfile
from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.models.integration import STAGES_BEFORE_RELEASE
from integrations.submissions.workflow.states import FINAL_STAGES, ResponsibleParty, Status
from portal.analytics.filters import AnalyticsFilters
from portal.audit.models import AuditEvent

DECISIONS = ("approve", "request_changes", "decline")
DECISION_WINDOW = timedelta(days=30)
MAX_ROWS = 12


@dataclass(frozen=True, slots=True)
class ReviewerLoad:
    """One reviewer: how many reviews are theirs, how many of those wait for them and since when, what they decided."""

    name: str
    open: int
    most: int
    waiting: int
    oldest: datetime | None
    decided: int
    away: str

    @property
    def pieces(self) -> list[tuple[str, float]]:
        """What waits for them, then what waits for others; beyond what they take on stands out."""
        others = self.open - self.waiting
        over = max(0, self.open - self.most)
        parts = (("counted", min(self.waiting, self.most)), ("paused", max(0, others - over)), ("over", over))
        return [(kind, float(n)) for kind, n in parts if n]

    @property
    def said(self) -> str:
        template = _("%(open)s of %(most)s taken on, %(waiting)s wait for them")
        return template % {"open": self.open, "most": self.most, "waiting": self.waiting}


def list_reviewer_loads(filters: AnalyticsFilters) -> list[ReviewerLoad]:
    """Every active reviewer, who has most that waits first. Two queries."""
    open_reviews = Q(reviews__stage__in=[str(s) for s in STAGES_BEFORE_RELEASE]) & Q(
        **filters.of("reviews__program_key")
    )
    waiting_reviews = open_reviews & Q(reviews__responsible_party=str(ResponsibleParty.PROGRAM))
    people = get_user_model().objects.filter(is_reviewer=True, is_active=True).select_related("reviewer_profile")
    reviewers = people.annotate(
        load=Count("reviews", filter=open_reviews), waiting=Count("reviews", filter=waiting_reviews),
        oldest=Min("reviews__responsible_since", filter=waiting_reviews),
    )  # fmt: skip
    decision_counts = _count_decisions(filters)
    reviewer_loads = [
        _build_load(person, decision_counts[person.pk], filters.now) for person in reviewers.order_by("name", "pk")
    ]
    return sorted(reviewer_loads, key=lambda load: (-load.waiting, -load.open, load.name))


def _count_decisions(filters: AnalyticsFilters) -> Counter[int]:
    events = AuditEvent.objects.filter(
        event_type__in=DECISIONS, at__gt=filters.now - DECISION_WINDOW, at__lte=filters.now
    )
    decisions = events.filter(**filters.of("integration__program_key")).order_by()
    return Counter(dict(decisions.values_list("actor_id").annotate(n=Count("pk"))))


def _build_load(person: Any, decision_count: int, now: datetime) -> ReviewerLoad:
    profile = getattr(person, "reviewer_profile", None) or ReviewerProfile(user=person)
    away = format_absence(profile.away_from, profile.away_until, timezone.localtime(now).date())
    return ReviewerLoad(
        str(person), person.load, profile.max_open_reviews, person.waiting, person.oldest, decision_count, away
    )


def format_absence(start: date | None, end: date | None, today: date) -> str:
    """ "away until 3 May", "away until further notice", "away from 3 May", or blank."""
    if start is None or (end is not None and end < today):
        return ""
    if start > today:
        return _("away from %(day)s") % {"day": _format_day(start)}
    return _("away until %(day)s") % {"day": _format_day(end)} if end else _("away until further notice")


def _format_day(day: date) -> str:
    return f"{day.day} {str(dates.MONTHS_3[day.month]).title()}"


def summarize_unassigned(filters: AnalyticsFilters) -> dict[str, Any]:
    """What waits for the program and is nobody's: {"count", "oldest"}."""
    rows = Integration.objects.filter(responsible_party=ResponsibleParty.PROGRAM, reviewer=None, **filters.of())
    return rows.aggregate(count=Count("pk"), oldest=Min("responsible_since"))


def list_waivers(filters: AnalyticsFilters) -> list[RequirementFulfillment]:
    """Those of the open waivers that a page shows, and one more where there are more."""
    return list(list_open_waivers(filters)[: MAX_ROWS + 1])


def list_open_waivers(filters: AnalyticsFilters) -> QuerySet[RequirementFulfillment]:
    """The waivers that count now, the one that ends first first; each with its integration."""
    rows = RequirementFulfillment.objects.filter(
        waiver_expires_at__gt=filters.now, **filters.of("integration__program_key")
    )
    open_rows = rows.exclude(integration__stage__in=[str(stage) for stage in FINAL_STAGES])
    return open_rows.select_related("integration__partner", "submitted_by").order_by("waiver_expires_at", "pk")


@dataclass(frozen=True, slots=True)
class FailingCheck:
    """One check requirement of a program: of how many integrations that were looked at it fails now."""

    program: str
    title: str
    failed: int
    looked: int

    @property
    def program_name(self) -> str:
        return PROGRAMS[self.program].name

    @property
    def pieces(self) -> list[tuple[str, float]]:
        return [("over", float(self.failed)), ("left", float(self.looked - self.failed))]

    @property
    def said(self) -> str:
        return _("%(failed)s of %(looked)s") % {"failed": self.failed, "looked": self.looked}


EVALUATED_STATUSES = (Status.PASS, Status.WARN, Status.FAIL)


def list_failing_checks(filters: AnalyticsFilters) -> list[FailingCheck]:
    """The checks that fail most, as many as a page shows."""
    return list_all_failing_checks(filters)[:MAX_ROWS]


def list_all_failing_checks(filters: AnalyticsFilters) -> list[FailingCheck]:
    """The checks that fail of open integrations, the most failed first."""
    rows = RequirementFulfillment.objects.filter(
        status__in=[str(s) for s in EVALUATED_STATUSES], **filters.of("integration__program_key")
    ).exclude(integration__stage__in=[str(stage) for stage in FINAL_STAGES])
    failing_rows = (
        rows.order_by()
        .values_list("integration__program_key", "integration__edition_date", "requirement_id")
        .annotate(failed=Count("pk", filter=Q(status=str(Status.FAIL))), looked=Count("pk"))
    )
    sums_by_check: dict[tuple[str, str], list[int]] = {}
    for program, edition, key, failed_count, checked_count in failing_rows.filter(failed__gt=0):
        requirement = get_edition(program, edition).requirement(key)
        sums = sums_by_check.setdefault((program, requirement.title if requirement else key), [0, 0])
        sums[0] += failed_count
        sums[1] += checked_count
    sorted_checks = sorted(sums_by_check.items(), key=lambda pair: (-pair[1][0], -pair[1][0] / pair[1][1], pair[0]))
    return [FailingCheck(*check, *sums) for check, sums in sorted_checks]
