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
from integrations.submissions.services.transitions import changing
from portal.audit.services import record
from portal.core.errors import NotAllowed


def claim(integration: Integration, *, by: Any, now: datetime) -> Integration:
    """Take an integration for a while. A lease that ran out may be taken by anyone."""
    with changing(integration, permissions.may_decide, by=by, now=now) as row:
        others = row.reviewer_id not in (None, by.pk) and row.claimed_until is not None and row.claimed_until > now
        if others:
            raise NotAllowed(
                _("%(reviewer)s has it until %(claimed_until)s UTC.")
                % {"reviewer": row.reviewer, "claimed_until": f"{row.claimed_until:%H:%M}"},
                "stale",
            )
        is_news = row.reviewer_id != by.pk
        row.reviewer, row.claimed_until = by, now + timedelta(minutes=settings.CLAIM_MINUTES)
        row.version -= 1  # a claim makes nobody's page out of date
        if is_news:
            record(row, "claimed", by=by, now=now, internal=True)
    return row


def keep_claim(integration: Integration, *, by: Any, now: datetime) -> None:
    """Lengthen one's own lease while one works; nothing happens to another's."""
    until = now + timedelta(minutes=settings.CLAIM_MINUTES)
    Integration.objects.filter(pk=integration.pk, reviewer=by, claimed_until__isnull=False).update(claimed_until=until)


def put_back(integration: Integration, *, by: Any, now: datetime) -> None:
    """Give one's own integration back to the queue. What another holds is given away by assign() only."""
    with changing(integration, permissions.may_decide, by=by, now=now) as row:
        if row.reviewer_id != by.pk:
            raise NotAllowed(
                _("%(reviewer)s has it, not you.") % {"reviewer": row.reviewer}
                if row.reviewer
                else _("Nobody has it."),
                "stale",
            )
        row.reviewer, row.claimed_until = None, None
        row.version -= 1
        record(row, "put_back", by=by, now=now, internal=True)


def assign(integration: Integration, reviewer: Any, *, by: Any, now: datetime) -> None:
    """Name the reviewer. Never one of the integration's own company."""
    if not permissions.may_decide(integration, reviewer):
        raise NotAllowed(
            _("%(reviewer)s cannot review this: not a reviewer, or of the same company.") % {"reviewer": reviewer},
            "may",
        )
    with changing(integration, permissions.may_assign, by=by, now=now) as row:
        row.reviewer, row.claimed_until = reviewer, None
        record(row, "assigned", by=by, now=now, internal=True, reviewer=str(reviewer))


def change_profile(user: Any, fields: Mapping[str, Any], *, by: Any) -> ReviewerProfile:
    """Say what a reviewer takes on: programs, away_from, away_until, most_open. Each for themselves."""
    if by.pk != user.pk or not user.is_reviewer:
        raise NotAllowed(gettext("Reviewers say for themselves what they take on."), "may")
    profile, _ = ReviewerProfile.objects.update_or_create(user=user, defaults=dict(fields))
    return profile
