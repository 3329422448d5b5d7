"""Conflicts of interest: what is recorded, and what follows from memberships and verified domains."""

from collections.abc import Iterable
from datetime import datetime
from typing import Protocol

from django.contrib.auth import get_user_model
from django.db.models import Case, DateTimeField, Min, Q, Value, When
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.partners.models import (
    DOMAIN_METHODS,
    ConflictKind,
    ConflictOfInterest,
    Membership,
    Partner,
    PartnerVerification,
)
from portal.accounts.requests import AnyUser

FORMER_MEMBERSHIPS = Membership.objects.exclude(ended_at=None)
STORED_COLUMNS = (Case(When(removed_at=None, then="kind"), default=Value("")), Coalesce("removed_at", "recorded_at"))
CONFLICT_REFUSALS = {
    ConflictKind.MARKED: gettext_noop("Conflict of interest: %(reviewer)s has a recorded conflict with %(company)s."),
    ConflictKind.FORMER_MEMBER: gettext_noop("Conflict of interest: %(reviewer)s was a member of %(company)s."),
    ConflictKind.EMAIL_DOMAIN: gettext_noop(
        "Conflict of interest: the email address of %(reviewer)s is at the domain of %(company)s."
    ),
    ConflictKind.OWN_SUBMISSION: gettext_noop("Conflict of interest: %(reviewer)s created this integration."),
}


class ConflictingIntegration(Protocol):
    """Columns of an integration that decide on conflicts."""

    @property
    def partner(self) -> Partner: ...
    @property
    def created_by_id(self) -> int | None: ...


def get_conflicts(user: AnyUser | None) -> dict[int, ConflictKind]:
    """Return a user's conflicts by partner ID. One query per request, cached on the user."""
    if user is None or not user.is_authenticated:
        return {}
    conflicts: dict[int, ConflictKind] | None = getattr(user, "_conflicts", None)
    if conflicts is None:
        domain = user.email.rpartition("@")[2].lower()
        verified = PartnerVerification.objects.filter(method__in=DOMAIN_METHODS, subject=domain).order_by()
        rows = FORMER_MEMBERSHIPS.filter(user=user).values_list(
            "partner_id", Value(ConflictKind.FORMER_MEMBER.value), "ended_at"
        )
        rows = rows.union(
            verified.values("partner_id").values_list(
                "partner_id", Value(ConflictKind.EMAIL_DOMAIN.value), Min("verified_at")
            ),
            ConflictOfInterest.objects.filter(user=user).order_by().values_list("partner_id", *STORED_COLUMNS),
        )
        conflicts = _drop_removed(rows)
        user._conflicts = conflicts  # type: ignore[attr-defined]
    return conflicts


def clear_cached_conflicts(user: object) -> None:
    """Clear the cached conflicts after a change in this request."""
    if getattr(user, "_conflicts", None) is not None:
        del user._conflicts  # type: ignore[attr-defined]  # works through the lazy request.user


def list_conflicted_reviewers(partner: Partner) -> dict[int, ConflictKind]:
    """Return the conflicts of all reviewers with a partner by user ID."""
    verified = partner.verifications.filter(method__in=DOMAIN_METHODS).order_by().values("subject")
    has_address, began_at = Q(pk=None), []
    for subject, verified_at in verified.values_list("subject", Min("verified_at")):
        condition = Q(email__iendswith=f"@{subject}")
        has_address |= condition
        began_at.append(When(condition, then=Value(verified_at, DateTimeField())))
    reviewers = get_user_model().objects.filter(has_address, is_reviewer=True).order_by()
    former = FORMER_MEMBERSHIPS.filter(partner=partner, user__is_reviewer=True)
    rows = former.values_list("user_id", Value(ConflictKind.FORMER_MEMBER.value), "ended_at")
    rows = rows.union(
        reviewers.values_list(
            "pk", Value(ConflictKind.EMAIL_DOMAIN.value), Case(*began_at, output_field=DateTimeField())
        ),
        ConflictOfInterest.objects.filter(partner=partner).order_by().values_list("user_id", *STORED_COLUMNS),
    )
    return _drop_removed(rows)


def _drop_removed(rows: Iterable[tuple[int, str, datetime]]) -> dict[int, ConflictKind]:
    """Return the kinds by ID. A blank kind is a removal, which also hides conflicts that were derived before it."""
    conflicts = list(rows)
    removed = {pk: at for pk, kind, at in conflicts if not kind}
    return {pk: ConflictKind(kind) for pk, kind, at in conflicts if kind and (pk not in removed or at > removed[pk])}


def explain_conflict(integration: ConflictingIntegration, user: AnyUser | None) -> str:
    """Return the reviewer's conflict of interest with an integration, or an empty string."""
    kind = find_conflict(integration, user)
    return _(CONFLICT_REFUSALS[kind]) % {"reviewer": user, "company": integration.partner} if kind else ""


def find_conflict(integration: ConflictingIntegration, user: AnyUser | None) -> ConflictKind | None:
    """Return why a reviewer can't decide although they belong to the program, apart from a current membership."""
    if user is None or not user.is_authenticated or not user.is_reviewer:
        return None
    is_own = integration.created_by_id == user.pk
    return ConflictKind.OWN_SUBMISSION if is_own else get_conflicts(user).get(integration.partner.pk)
