"""Automatic assignment of waiting integrations to reviewers by a rule, planned first and applied afterward."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from integrations.partners import permissions
from integrations.reviews.assignment import (
    REVIEW_EVENT_TYPES,
    Absence,
    count_open_reviews,
    get_absence,
    has_chosen_program,
)
from integrations.reviews.models import ReviewerProfile
from integrations.reviews.selectors.queue import build_former_reviewer_condition, build_snoozed_condition
from integrations.reviews.services import claims
from integrations.submissions.models import Integration
from integrations.submissions.models.stage import STAGES_BEFORE_RELEASE
from integrations.submissions.services.transitions import lock_integration
from integrations.submissions.workflow.states import ResponsibleParty
from portal.accounts.models import User
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from portal.notifications import email

MAX_ASSIGNMENTS = 100  # of one plan
# what is shown or decides who can review, because the columns of whole rows take more time than the rest of the page
ROW_FIELDS = (
    "uuid",
    "name",
    "program_key",
    "stage",
    "action_due_at",
    "review_state",
    "first_approver",
    "created_by",
    "partner__name",
    "reviewer__name",
    "reviewer__email",
    "reviewer__is_active",
    "reviewer__is_reviewer",
    "reviewer__program_roles",
)
RULES = {
    "round_robin": gettext_lazy("Round robin: equal shares"),
    "program": gettext_lazy("By program: its reviewers first"),
    "expertise": gettext_lazy("By expertise: knows the partner"),
}
SCOPES = {
    "unassigned": gettext_lazy("Without a reviewer"),
    "away": gettext_lazy("Without an available reviewer"),
    "all": gettext_lazy("All unclaimed"),
}
Rank: TypeAlias = tuple[Any, ...]
# Integration, new reviewer, and the ID of the reviewer that the preview showed
PreviewedAssignment: TypeAlias = tuple[Integration, User, int | None]


@dataclass(slots=True)
class Candidate:
    """Reviewer who can be assigned. `load` grows with the plan."""

    user: User
    profile: ReviewerProfile
    load: int
    new_count: int = 0

    @property
    def is_full(self) -> bool:
        return self.load >= self.profile.max_open_reviews

    def can_review_program(self, program_key: str) -> bool:
        return not self.profile.programs or program_key in self.profile.programs


@dataclass(frozen=True, slots=True)
class PlannedAssignment:
    """Integration with the reviewer it gets, or None if no one is available."""

    integration: Integration
    reviewer: User | None


def plan_assignments(rule: str, scope: str, *, actor: User, now: datetime) -> list[PlannedAssignment]:
    """Return who gets what by a rule, most urgent first.

    Reviewers who are out of office or at their limit get nothing. Integrations of the actor's companies are left out.
    """
    rows = _list_waiting(scope, actor, now)
    candidates = _list_candidates(now)
    if scope == "all":  # these are distributed again
        for candidate in candidates:
            candidate.load -= sum(row.reviewer_id == candidate.user.pk for row in rows)
    rank = _build_rank(rule, rows, candidates)
    return [PlannedAssignment(row, _select_reviewer(row, candidates, rank)) for row in rows]


def list_reviews_by_reviewer(actor: User, now: datetime) -> list[tuple[User | None, list[Integration]]]:
    """Return the reviews that the actor can move: first those without a current reviewer, then by reviewer.

    Reviewers who are out of office are left out if they have none.
    """
    reviews_by_reviewer: dict[User | None, list[Integration]] = {None: []}
    reviews_by_reviewer |= {candidate.user: [] for candidate in _list_candidates(now)}
    for row in _list_waiting("all", actor, now):
        reviewer = row.reviewer if permissions.can_review_program(row.program_key, row.reviewer) else None
        reviews_by_reviewer.setdefault(reviewer, []).append(row)
    return list(reviews_by_reviewer.items())


def _list_waiting(scope: str, actor: User, now: datetime) -> list[Integration]:
    rows = Integration.objects.in_queue().filter(stage__in=STAGES_BEFORE_RELEASE)
    rows = rows.exclude(build_snoozed_condition(now)).exclude(claim_expires_at__gt=now)
    # No one distributes the reviews of their own company.
    rows = rows.exclude(partner__in=list(permissions.get_roles(actor)))
    today = timezone.localtime(now).date()
    is_away = Q(reviewer__reviewer_profile__away_from__lte=today) & (
        Q(reviewer__reviewer_profile__away_until=None) | Q(reviewer__reviewer_profile__away_until__gte=today)
    )
    is_unassigned = Q(reviewer=None) | build_former_reviewer_condition()
    conditions = {"unassigned": is_unassigned, "away": is_unassigned | is_away}
    # an index has all columns of these conditions, so that only the rows of the page are read
    keys = list(rows.filter(conditions.get(scope, Q())).values_list("pk", flat=True)[:MAX_ASSIGNMENTS])
    rows = Integration.objects.in_queue().filter(pk__in=keys).select_related("partner", "reviewer")
    return list(rows.only(*ROW_FIELDS))


def _list_candidates(now: datetime) -> list[Candidate]:
    """Return the reviewers who aren't out of office, by name."""
    load = count_open_reviews(Integration.objects.all())
    users = User.objects.active_reviewers().select_related("reviewer_profile")
    today = timezone.localtime(now).date()
    candidates = [
        Candidate(user, getattr(user, "reviewer_profile", None) or ReviewerProfile(user=user), user.load)
        for user in users.annotate(load=load).order_by("name", "pk")
    ]
    return [each for each in candidates if get_absence(each.profile, today) != Absence.CURRENT]


def _build_rank(
    rule: str, rows: Sequence[Integration], candidates: Iterable[Candidate]
) -> Callable[[Integration, Candidate], Rank]:
    """Return the sort key of a candidate for an integration. The lowest is assigned."""
    if rule == "round_robin":
        return lambda _row, each: (each.new_count,)
    if rule == "program":
        return lambda row, each: (not has_chosen_program(each.profile, row.program_key), each.load)
    events = AuditEvent.objects.filter(event_type__in=REVIEW_EVENT_TYPES).order_by()
    by_partner = _count_reviews(events.filter(integration__partner__in={row.partner_id for row in rows}), "partner")
    by_program = _count_reviews(events, "program_key")
    return lambda row, each: (
        -by_partner[each.user.pk, row.partner_id],
        -by_program[each.user.pk, row.program_key],
        each.load,
    )


def _count_reviews(events: QuerySet[AuditEvent], column: str) -> Counter[tuple[int, Any]]:
    """Return how many integrations each person reviewed, by person and a column of the integration."""
    counts = events.values_list("actor_id", f"integration__{column}").annotate(n=Count("integration", distinct=True))
    return Counter({(actor, value): count for actor, value, count in counts})


def _select_reviewer(
    row: Integration, candidates: Iterable[Candidate], rank: Callable[[Integration, Candidate], Rank]
) -> User | None:
    available = [
        each
        for each in candidates
        if not each.is_full and each.can_review_program(row.program_key) and permissions.can_review_now(row, each.user)
    ]
    if not available:
        return None
    best = min(available, key=lambda each: rank(row, each))  # the first by name among equals
    best.load += 1
    best.new_count += 1
    return best.user


def assign_reviewers(
    assignments: Iterable[PreviewedAssignment], *, actor: User, now: datetime
) -> tuple[int, list[str]]:
    """Assign each integration with an event, and send each reviewer one email. Return the count and the refusals."""
    refusals: list[str] = []
    integrations_by_reviewer: dict[User, list[Integration]] = {}
    with transaction.atomic():
        for integration, reviewer, previous_pk in sorted(assignments, key=lambda each: each[0].pk):
            row = lock_integration(integration.pk)
            if row.reviewer_id == reviewer.pk:
                continue
            try:
                _require_unchanged(row, previous_pk, now)
                claims.assign_reviewer(integration, reviewer, actor=actor, now=now)
            except ActionRefused as refusal:
                refusals.append(f"{integration.name}: {refusal}")
            else:
                integrations_by_reviewer.setdefault(reviewer, []).append(integration)
        for reviewer, integrations in integrations_by_reviewer.items():
            if reviewer.pk != actor.pk:
                _notify_reviewer(reviewer, integrations, actor, now)
    return sum(map(len, integrations_by_reviewer.values())), refusals


def _require_unchanged(row: Integration, previous_pk: int | None, now: datetime) -> None:
    """Raise ActionRefused if a locked integration isn't as the preview showed it."""
    is_claimed = row.claim_expires_at is not None and row.claim_expires_at > now
    is_waiting = row.is_open and row.responsible_party == ResponsibleParty.PROGRAM
    if row.reviewer_id != previous_pk or is_claimed or not is_waiting:
        message = _("This review changed after you opened the page. Check it, then assign it again.")
        raise ActionRefused(message, "conflict")


def _notify_reviewer(reviewer: User, integrations: Sequence[Integration], actor: User, now: datetime) -> None:
    pages = [(row, settings.SITE_URL + reverse("reviews:review", args=[row.uuid])) for row in integrations]
    key = f"reviews_assigned:{reviewer.pk}:{now.isoformat()}"
    email.queue("reviews_assigned", key, reviewer, {"actor": actor, "pages": pages}, now=now)
