"""Services that record and remove conflicts of interest of reviewers."""

from datetime import datetime
from functools import partial

from django.db.models import Q
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.conflicts import list_conflicted_reviewers
from integrations.partners.models import ConflictKind, ConflictOfInterest, Partner, VerificationState
from integrations.partners.services.changes import change_partner
from integrations.submissions.services.changes import IntegrationChange, build_first_approval_condition
from integrations.submissions.services.transitions import lock_integration
from portal.accounts.models import User
from portal.core.errors import ActionRefused
from portal.jobs.batches import process_each


def record_conflict(
    partner: Partner,
    reviewer: User,
    reason: str,
    *,
    actor: User | None,
    now: datetime,
    kind: ConflictKind = ConflictKind.MARKED,
) -> None:
    """Record that a reviewer can't decide about a partner, and release their reviews of it. Raises ActionRefused."""
    # Reviewers record their own conflicts, but no one removes their own.
    is_allowed = actor is None or actor == reviewer or permissions.can_manage_conflicts(partner, actor, reviewer)
    if not (is_allowed and reviewer.is_reviewer):
        raise ActionRefused(_("Only the reviewer, program managers, and staff can do this."), "forbidden")
    _require_reason(reason)
    with change_partner(partner.pk, actor=actor, now=now) as change:
        change.store_conflict(reviewer, kind, reason.strip())
        # While the company is locked, because everything locks a company before its integrations.
        _release_reviews(partner, reviewer, actor, now)
    permissions.clear_cached_roles(reviewer)


def remove_conflict(partner: Partner, reviewer: User, reason: str, *, actor: User, now: datetime) -> None:
    """Remove a conflict with a reason. A current membership still counts. Raises ActionRefused."""
    if not permissions.can_manage_conflicts(partner, actor, reviewer):
        message = _("Only program managers and staff can remove a conflict of interest, and never their own.")
        raise ActionRefused(message, "forbidden")
    _require_reason(reason)
    with change_partner(partner.pk, actor=actor, now=now) as change:
        kind = list_conflicted_reviewers(change.partner).get(reviewer.pk)
        if kind is None:
            raise ActionRefused(_("The conflict was already removed."), "conflict")
        fields = {"removed_at": now}
        # A conflict that the portal derives has no row until the hourly job. The removal needs one to override it.
        defaults = {"kind": kind, "reason": kind.label, "recorded_at": now, **fields}
        ConflictOfInterest.objects.update_or_create(
            partner=change.partner, user=reviewer, defaults=fields, create_defaults=defaults
        )
        change.record("partner.conflict_removed", person=reviewer, note=reason.strip(), kind=str(kind))
    permissions.clear_cached_roles(reviewer)


def record_known_conflicts(now: datetime) -> int:
    """Record the conflicts that follow from memberships and verified domains. Return how many are new.

    Permissions apply these conflicts even before they are recorded.
    """
    partners = Partner.objects.exclude(verification_state=VerificationState.CLOSED).order_by("pk")
    return process_each(partners.iterator(), partial(_record_partner_conflicts, now=now), "record conflicts of partner")


def _record_partner_conflicts(partner: Partner, now: datetime) -> int:
    conflicts = list_conflicted_reviewers(partner)
    in_force = partner.conflicts.filter(removed_at=None)
    recorded = set(in_force.values_list("user", flat=True)) if conflicts else set()
    reviewers = User.objects.filter(pk__in=set(conflicts) - recorded).order_by("pk")
    for reviewer in reviewers:
        kind = conflicts[reviewer.pk]
        record_conflict(partner, reviewer, str(kind.label), actor=None, now=now, kind=kind)
    return len(reviewers)


def release_conflicted_reviews(partner: Partner, now: datetime) -> None:
    """Release the reviews of people who have a conflict of interest with a company, such as after a merge."""
    for reviewer in User.objects.filter(pk__in=list_conflicted_reviewers(partner)).order_by("pk"):
        _release_reviews(partner, reviewer, None, now)


def _require_reason(reason: str) -> None:
    if not reason.strip():
        raise ActionRefused(_("Enter a reason."), "validation-error")


def _release_reviews(partner: Partner, reviewer: User, actor: User | None, now: datetime) -> None:
    """Release the claims and assignments of a reviewer, and withdraw their first approvals."""
    is_theirs = Q(reviewer=reviewer) | build_first_approval_condition(reviewer, now)
    for pk in partner.integrations.open().filter(is_theirs).order_by("pk").values_list("pk", flat=True):
        change = IntegrationChange(lock_integration(pk), actor, now)
        row = change.integration
        if row.reviewer_id == reviewer.pk:
            row.reviewer = None
            row.claim_expires_at = None
            change.record("review.claim_released")
        # An approval by someone who must not decide can't count as one of the two.
        if row.first_approver_id == reviewer.pk:
            change.withdraw_first_approval(is_changed=False)
        change.save()
