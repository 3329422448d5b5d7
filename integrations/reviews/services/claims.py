"""Services for review claims, assignments, and reviewer profiles."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.conf import settings
from django.utils.translation import gettext
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.reviews.models import ReviewerProfile
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import integration_changes
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.audit.services import record_event
from portal.core.errors import ActionRefused
from portal.ui.components.moments import format_clock


def claim_review(integration: Integration, *, actor: User, now: datetime) -> Integration:
    """Claim a review for a limited time. Any reviewer can claim it after the claim expires."""
    with integration_changes(integration, permissions.can_decide, actor=actor, now=now) as row:
        is_claimed_by_other = (
            row.reviewer_id not in (None, actor.pk) and row.claim_expires_at is not None and row.claim_expires_at > now
        )
        if is_claimed_by_other:
            raise ActionRefused(
                _(
                    "%(reviewer)s claimed this review until %(claim_expires_at)s. "
                    "Wait until then, or ask them to release the claim."
                )
                % {"reviewer": row.reviewer, "claim_expires_at": format_clock(row.claim_expires_at)},
                "conflict",
            )
        is_new_reviewer = row.reviewer_id != actor.pk
        row.reviewer, row.claim_expires_at = actor, now + timedelta(minutes=settings.REVIEW_CLAIM_MINUTES)
        row.version -= 1  # open pages stay current
        if is_new_reviewer:
            record_event(row, "review.claimed", actor=actor, now=now)
    return row


def renew_claim(integration: Integration, *, actor: User, now: datetime) -> None:
    """Extend the actor's own claim; claims of others don't change."""
    expires_at = now + timedelta(minutes=settings.REVIEW_CLAIM_MINUTES)
    Integration.objects.filter(pk=integration.pk, reviewer=actor, claim_expires_at__isnull=False).update(
        claim_expires_at=expires_at
    )


def release_claim(integration: Integration, *, actor: AnyUser, now: datetime) -> None:
    """Release the actor's own claim. Only assign_reviewer() changes the reviewer for someone else."""
    with integration_changes(integration, permissions.can_decide, actor=actor, now=now) as row:
        if row.reviewer_id != actor.pk:
            raise ActionRefused(
                _("%(reviewer)s reviews this integration. You can release only your own claim.")
                % {"reviewer": row.reviewer}
                if row.reviewer
                else _("No reviewer has claimed this review."),
                "conflict",
            )
        row.reviewer, row.claim_expires_at = None, None
        row.version -= 1
        record_event(row, "review.claim_released", actor=actor, now=now)


def assign_reviewer(integration: Integration, reviewer: User | None, *, actor: User | None, now: datetime) -> None:
    """Assign a reviewer who is not a member of the integration's partner."""
    if not permissions.can_decide(integration, reviewer):
        raise ActionRefused(
            _("%(reviewer)s can't review this integration. Choose a reviewer from another company.")
            % {"reviewer": reviewer},
            "forbidden",
        )
    with integration_changes(integration, permissions.can_assign_reviewer, actor=actor, now=now) as row:
        row.reviewer, row.claim_expires_at = reviewer, None
        record_event(row, "review.assigned", actor=actor, now=now, reviewer=str(reviewer))


def change_profile(user: User, fields: Mapping[str, object], *, actor: User) -> ReviewerProfile:
    """Save the actor's own reviewer profile: programs, away_from, away_until, max_open_reviews."""
    if actor.pk != user.pk or not user.is_reviewer:
        raise ActionRefused(gettext("Only reviewers can change their own profile."), "forbidden")
    profile, _ = ReviewerProfile.objects.update_or_create(user=user, defaults=dict(fields))
    return profile
