"""Ranked reviewer suggestions with their reasons.

The criteria are compared one after the other and never summed: availability, earlier reviews of this integration,
earlier reviews for this partner, choice of this program, open reviews, name.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import Enum, auto
from typing import Any

from django.db.models import BooleanField, Count, Exists, ExpressionWrapper, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.conflicts import list_impartial_reviewers
from integrations.reviews.models import ReviewerProfile
from integrations.submissions.models import Integration
from integrations.submissions.models.stage import STAGES_BEFORE_RELEASE
from integrations.submissions.workflow.compliance_guards import is_excluded_from_decision
from portal.accounts.role_names import list_programs
from portal.audit.models import AuditEvent
from portal.ui.components.moments import format_short

REVIEW_EVENT_TYPES = (
    "finding.raised",
    "finding.verified",
    "review.changes_requested",
    "integration.approved",
    "integration.declined",
)
UPCOMING_ABSENCE_PERIOD = timedelta(days=14)


@dataclass(frozen=True, slots=True)
class ReviewerSuggestion:
    """Suggested reviewer with the reasons for the rank."""

    reviewer: Any
    summary: str
    is_available: bool


def suggest_reviewers(integration: Integration, now: datetime) -> list[ReviewerSuggestion]:
    """Return all reviewers who can decide on an integration, best first, without conflicts of interest."""
    today = timezone.localtime(now).date()
    # The same conditions as assign_reviewer: a suggestion that the service refuses would help no one.
    rankings = [
        _rank_reviewer(integration, reviewer, today)
        for reviewer in _list_reviewers(integration)
        if permissions.can_review_program(integration.program_key, reviewer)
        and not permissions.is_own_approval(integration.first_approver_id, integration.review_state, reviewer)
        and not is_excluded_from_decision(integration, reviewer.pk)
    ]
    return [suggestion for _, suggestion in sorted(rankings, key=lambda pair: pair[0])]


def _list_reviewers(integration: Integration) -> QuerySet[Any]:
    """Return active reviewers without a conflict, with their profile, their open reviews, and earlier reviews."""
    reviewers = list_impartial_reviewers(integration.partner)
    if integration.created_by_id is not None:
        reviewers = reviewers.exclude(pk=integration.created_by_id)
    # Events keep the company that they were recorded for, also after it was merged.
    companies = [integration.partner_id, *integration.partner.merged_partners.values_list("pk", flat=True)]
    reviews = AuditEvent.objects.filter(event_type__in=REVIEW_EVENT_TYPES)
    reviewed_by = reviews.filter(integration=integration).exclude(actor_id=None).values("actor_id")
    other_reviews = reviews.filter(partner__in=companies, actor_id=OuterRef("pk")).exclude(integration=integration)
    return reviewers.select_related("reviewer_profile").annotate(
        load=count_open_reviews(Integration.objects.exclude(pk=integration.pk)),
        reviewed_integration=ExpressionWrapper(Q(pk__in=reviewed_by), BooleanField()),
        knows_partner=Exists(other_reviews),
    )


def count_open_reviews(integrations: QuerySet[Integration]) -> Coalesce:
    """Return a subquery that counts the open reviews of each reviewer. An index is enough to answer it."""
    reviews = integrations.filter(reviewer=OuterRef("pk"), stage__in=STAGES_BEFORE_RELEASE).order_by()
    return Coalesce(Subquery(reviews.values("reviewer").values(count=Count("*"))), 0)


def _rank_reviewer(integration: Integration, reviewer: Any, today: date) -> tuple[tuple[Any, ...], ReviewerSuggestion]:
    profile = getattr(reviewer, "reviewer_profile", None) or ReviewerProfile(user=reviewer)
    absence = get_absence(profile, today)
    reviews_program = not profile.programs or integration.program_key in profile.programs
    is_full = reviewer.load >= profile.max_open_reviews
    # An absence that begins soon is shown, but only a current one makes a reviewer unavailable.
    is_available = reviews_program and not is_full and absence != Absence.CURRENT
    chose_program = has_chosen_program(profile, integration.program_key)
    # No number of small advantages outweighs a larger one.
    preferences = (is_available, reviewer.reviewed_integration, reviewer.knows_partner, chose_program)
    order = (*(not preference for preference in preferences), reviewer.load, str(reviewer), reviewer.pk)
    reasons = []
    if reviewer.reviewed_integration:
        reasons.append(_("reviewed %(name)s earlier") % {"name": integration.name})
    if reviewer.knows_partner:
        reasons.append(_("knows %(name)s") % {"name": integration.partner.name})
    if chose_program:
        reasons.append(_("knows %(product)s") % {"product": integration.program.product})
    if not reviews_program:
        reasons.append(_("doesn't review %(product)s") % {"product": integration.program.product})
    workload = {"load": reviewer.load, "max_open_reviews": profile.max_open_reviews}
    reasons.append(_("%(load)s of %(max_open_reviews)s reviews open") % workload)
    if is_full:
        reasons.append(_("at limit"))
    if absence is not None:
        reasons.append(describe_absence(profile, today))
    return order, ReviewerSuggestion(reviewer, capfirst(" · ".join(reasons)), is_available)


def has_chosen_program(profile: ReviewerProfile, program_key: str) -> bool:
    """Return whether the reviewer selected the program, or has a role for it."""
    chosen_programs = {*profile.programs, *list_programs(profile.user, "reviewer")}
    return program_key in chosen_programs


class Absence(Enum):
    """Absence of a reviewer that matters for new reviews."""

    CURRENT = auto()
    UPCOMING = auto()


def get_absence(profile: ReviewerProfile, today: date) -> Absence | None:
    """Return the current or upcoming absence. Without an end date, an absence lasts until further notice."""
    if profile.away_from is None or (profile.away_until is not None and profile.away_until < today):
        return None
    if profile.away_from <= today:
        return Absence.CURRENT
    return Absence.UPCOMING if profile.away_from - today <= UPCOMING_ABSENCE_PERIOD else None


def describe_absence(profile: ReviewerProfile, today: date) -> str:
    """Return the current or future absence, such as "away until Mon, May 3", or an empty string."""
    if profile.away_from is None or (profile.away_until is not None and profile.away_until < today):
        return ""
    if profile.away_from > today:
        return _("away from %(day)s") % {"day": format_short(profile.away_from)}
    if profile.away_until is None:
        return _("away until further notice")
    return _("away until %(day)s") % {"day": format_short(profile.away_until)}
