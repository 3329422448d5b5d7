"""Services for review claims, assignments, and reviewer profiles."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.conf import settings
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.refusals import explain_conflict
from integrations.reviews.models import ReviewerProfile
from integrations.submissions.models import Integration
from integrations.submissions.selectors.step_context import StepContext
from integrations.submissions.services.changes import (
    IntegrationChange,
    build_first_approval_condition,
    change_integration,
)
from integrations.submissions.services.transitions import lock_integration
from integrations.submissions.workflow import guards
from integrations.submissions.workflow.compliance_guards import is_excluded_from_decision
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.core.errors import ActionRefused


def claim_review(integration: Integration, *, actor: User, now: datetime) -> Integration:
    """Claim a review for a limited time. Any reviewer can claim it after the claim expires."""
    with change_integration(integration, permissions.can_decide, actor=actor, now=now) as change:
        row = change.integration
        row.step_context = StepContext(row, now, actor)
        _require_other_author(row, actor)
        # Under the lock: of two reviewers who press the button at the same time, one gets the review.
        if refusal := guards.require_no_other_claim(row):
            raise ActionRefused(refusal, "conflict")
        is_new_reviewer = row.reviewer_id != actor.pk
        row.reviewer = actor
        row.claim_expires_at = now + timedelta(minutes=settings.REVIEW_CLAIM_MINUTES)
        row.version -= 1  # open pages stay current
        if is_new_reviewer:
            change.record("review.claimed")
    return row


def renew_claim(integration: Integration, *, actor: User, now: datetime) -> None:
    """Extend the actor's own claim; claims of others don't change."""
    expires_at = now + timedelta(minutes=settings.REVIEW_CLAIM_MINUTES)
    claims = Integration.objects.filter(pk=integration.pk, reviewer=actor, claim_expires_at__isnull=False)
    # Without an event and a new version: the open page renews the claim every minute.
    claims.update(claim_expires_at=expires_at)


def release_claim(integration: Integration, *, actor: AnyUser, now: datetime) -> None:
    """Release the actor's own claim. Only assign_reviewer() changes the reviewer for someone else."""
    with change_integration(integration, permissions.can_decide, actor=actor, now=now) as change:
        row = change.integration
        # Even a reviewer whose claim expired stays assigned until someone else claims the review.
        if row.reviewer_id != actor.pk:
            message = _("No reviewer has claimed this review.")
            if row.reviewer:
                message = _("%(reviewer)s reviews this integration. You can release only your own claim.")
            raise ActionRefused(message % {"reviewer": row.reviewer}, "conflict")
        row.reviewer = None
        row.claim_expires_at = None
        row.version -= 1
        change.record("review.claim_released")


def assign_reviewer(integration: Integration, reviewer: User | None, *, actor: User | None, now: datetime) -> None:
    """Assign a reviewer who is not a member of the integration's partner."""
    with change_integration(integration, permissions.can_assign_reviewer, actor=actor, now=now) as change:
        row = change.integration
        if not permissions.can_decide(row, reviewer):
            message = _("%(reviewer)s can't review this integration. Choose a reviewer from another company.")
            raise ActionRefused(explain_conflict(row, reviewer) or message % {"reviewer": reviewer}, "forbidden")
        _require_other_author(row, reviewer)
        row.reviewer = reviewer
        row.claim_expires_at = None
        change.record("review.assigned", reviewer=str(reviewer))


def _require_other_author(integration: Integration, reviewer: AnyUser | None) -> None:
    """Refuse the author of an earlier approval or decision, after which another reviewer must decide."""
    if not permissions.can_review_now(integration, reviewer):
        raise ActionRefused(_(guards.SECOND_REVIEWER_MESSAGE), "forbidden")
    if reviewer and is_excluded_from_decision(integration, reviewer.pk):
        message = _("%(reviewer)s made an earlier decision. Another reviewer must make this one.")
        raise ActionRefused(message % {"reviewer": reviewer}, "forbidden")


def withdraw_lost_approvals(reviewer: User, now: datetime) -> None:
    """Withdraw the first approvals of a person who lost a role or was deactivated, if they can't decide anymore."""
    reviews = Integration.objects.filter(build_first_approval_condition(reviewer, now)).order_by("pk")
    for pk in reviews.values_list("pk", flat=True):
        change = IntegrationChange(lock_integration(pk), None, now)
        if not permissions.can_decide(change.integration, reviewer):
            change.withdraw_first_approval(is_changed=False)
            change.save()


def change_profile(user: User, fields: Mapping[str, object], *, actor: User) -> ReviewerProfile:
    """Save the actor's own reviewer profile: programs, away_from, away_until, max_open_reviews."""
    if actor.pk != user.pk or not user.is_reviewer:
        raise ActionRefused(_("Only reviewers can change their own profile."), "forbidden")
    return ReviewerProfile.objects.update_or_create(user=user, defaults=dict(fields))[0]


def change_absence(user: User, fields: Mapping[str, object], *, actor: User) -> None:
    """Save when a reviewer is out of office: away_from and away_until. Raises ActionRefused."""
    if not permissions.can_change_absence(user, actor):
        raise ActionRefused(_("Only the reviewer, program managers, and staff can do this."), "forbidden")
    ReviewerProfile.objects.update_or_create(user=user, defaults=dict(fields))
