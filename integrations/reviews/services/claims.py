"""Services for review claims, assignments, and reviewer profiles."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils.translation import gettext
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.reviews.models import ReviewerProfile
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import integration_changes
from portal.audit.services import record_event
from portal.core.errors import ActionRefused


def claim_review(integration: Integration, *, actor: Any, now: datetime) -> Integration:
    """Take an integration for a while. A lease that ran out may be taken by anyone."""
    with integration_changes(integration, permissions.can_decide, actor=actor, now=now) as row:
        is_claimed_by_other = (
            row.reviewer_id not in (None, actor.pk) and row.claim_expires_at is not None and row.claim_expires_at > now
        )
        if is_claimed_by_other:
            raise ActionRefused(
                _("%(reviewer)s has it until %(claim_expires_at)s UTC.")
                % {"reviewer": row.reviewer, "claim_expires_at": f"{row.claim_expires_at:%H:%M}"},
                "conflict",
            )
        is_new_reviewer = row.reviewer_id != actor.pk
        row.reviewer, row.claim_expires_at = actor, now + timedelta(minutes=settings.REVIEW_CLAIM_MINUTES)
        row.version -= 1  # a claim makes nobody's page out of date
        if is_new_reviewer:
            record_event(row, "claimed", actor=actor, now=now, internal=True)
    return row


def renew_claim(integration: Integration, *, actor: Any, now: datetime) -> None:
    """Lengthen one's own lease while one works; nothing happens to another's."""
    expires_at = now + timedelta(minutes=settings.REVIEW_CLAIM_MINUTES)
    Integration.objects.filter(pk=integration.pk, reviewer=actor, claim_expires_at__isnull=False).update(
        claim_expires_at=expires_at
    )


def release_claim(integration: Integration, *, actor: Any, now: datetime) -> None:
    """Give one's own integration back to the queue. What another holds is given away by assign() only."""
    with integration_changes(integration, permissions.can_decide, actor=actor, now=now) as row:
        if row.reviewer_id != actor.pk:
            raise ActionRefused(
                _("%(reviewer)s has it, not you.") % {"reviewer": row.reviewer}
                if row.reviewer
                else _("Nobody has it."),
                "conflict",
            )
        row.reviewer, row.claim_expires_at = None, None
        row.version -= 1
        record_event(row, "put_back", actor=actor, now=now, internal=True)


def assign_reviewer(integration: Integration, reviewer: Any, *, actor: Any, now: datetime) -> None:
    """Name the reviewer. Never one of the integration's own company."""
    if not permissions.can_decide(integration, reviewer):
        raise ActionRefused(
            _("%(reviewer)s cannot review this: not a reviewer, or of the same company.") % {"reviewer": reviewer},
            "forbidden",
        )
    with integration_changes(integration, permissions.can_assign_reviewer, actor=actor, now=now) as row:
        row.reviewer, row.claim_expires_at = reviewer, None
        record_event(row, "assigned", actor=actor, now=now, internal=True, reviewer=str(reviewer))


def change_profile(user: Any, fields: Mapping[str, Any], *, actor: Any) -> ReviewerProfile:
    """Say what a reviewer takes on: programs, away_from, away_until, max_open_reviews. Each for themselves."""
    if actor.pk != user.pk or not user.is_reviewer:
        raise ActionRefused(gettext("Reviewers say for themselves what they take on."), "forbidden")
    profile, _ = ReviewerProfile.objects.update_or_create(user=user, defaults=dict(fields))
    return profile
