"""Conflicts of interest: what is recorded, and what follows from memberships and verified domains."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any, Protocol

from allauth.account.models import EmailAddress
from django.db.models import BigIntegerField, Case, Min, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce, Lower, StrIndex, Substr

from integrations.partners.models import (
    DOMAIN_METHODS,
    ConflictKind,
    ConflictOfInterest,
    Membership,
    Partner,
    PartnerVerification,
)
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.core.compiled_queries import CompiledQuery, Parameter

# A removed conflict is a row with a blank kind: it overrides what follows from older facts, but not from later ones.
STORED_COLUMNS = (Case(When(removed_at=None, then="kind"), default=Value("")), Coalesce("removed_at", "recorded_at"))
EMAIL_DOMAIN = Lower(Substr("email", StrIndex("email", Value("@")) + 1))


@dataclass(frozen=True, slots=True)
class CurrentMembership:
    """Current membership of a user: partner ID, name, slug, and role."""

    partner: int
    role: str
    name: str
    slug: str


class PartnerIntegration(Protocol):
    """Columns of an integration that decide who can do what with it, and on conflicts of interest."""

    partner: Partner
    program_key: str
    stage: str
    review_state: str
    created_by_id: int | None
    reviewer_id: int | None
    first_approver_id: int | None


def get_conflicts(user: AnyUser | None) -> dict[int, ConflictKind]:
    """Return a user's conflicts by partner ID. One query per request, cached on the user with their memberships."""
    if user is None or not user.is_authenticated:
        return {}
    conflicts: dict[int, ConflictKind] | None = getattr(user, "_conflicts", None)
    if conflicts is None:
        rows = INVOLVEMENTS.fetch(user=user.pk)
        conflicts = _drop_removed([(pk, kind, at) for pk, kind, at, *_ in rows if at])
        current = [CurrentMembership(pk, role, name, slug) for pk, _, at, role, name, slug in rows if not at]
        user._conflicts = conflicts  # type: ignore[attr-defined]
        user._roles = sorted(current, key=attrgetter("name"))  # type: ignore[attr-defined]
    return conflicts


def _select_involvements() -> "QuerySet[Membership, tuple[Any, ...]]":
    """Return a user's memberships, the verified domains of their email addresses, and recorded conflicts."""
    user = Parameter("user", BigIntegerField())
    primary = User.objects.filter(pk=user).values(domain=EMAIL_DOMAIN)
    confirmed = EmailAddress.objects.filter(user=user, verified=True).values(domain=EMAIL_DOMAIN)
    is_at_domain = Q(subject__in=primary) | Q(subject__in=confirmed)
    # All confirmed addresses: a second one at the company is a conflict as much as the first.
    verified = PartnerVerification.objects.filter(is_at_domain, method__in=DOMAIN_METHODS).order_by()
    former = Value(ConflictKind.FORMER_MEMBER.value)
    at_domain = Value(ConflictKind.EMAIL_DOMAIN.value)
    names = ("role", "partner__name", "partner__slug")
    blank = [Value("")] * 3
    memberships = Membership.objects.filter(user=user).order_by()
    return memberships.values_list("partner_id", former, "ended_at", *names).union(
        verified.values("partner_id").values_list("partner_id", at_domain, Min("verified_at"), *blank),
        ConflictOfInterest.objects.filter(user=user).order_by().values_list("partner_id", *STORED_COLUMNS, *blank),
    )


INVOLVEMENTS = CompiledQuery(_select_involvements)  # each page of program staff reads them


def list_conflicted_reviewers(partner: Partner) -> dict[int, ConflictKind]:
    """Return the conflicts of all reviewers with a partner by user ID."""
    proofs = partner.verifications.filter(method__in=DOMAIN_METHODS, subject=OuterRef("domain")).order_by("verified_at")
    primary = User.objects.filter(is_reviewer=True)
    confirmed = EmailAddress.objects.filter(verified=True, user__is_reviewer=True)
    at_domain = [
        addresses.order_by()
        .annotate(domain=EMAIL_DOMAIN, began_at=Subquery(proofs.values("verified_at")[:1]))
        .exclude(began_at=None)
        .values_list(user, Value(ConflictKind.EMAIL_DOMAIN.value), "began_at")
        for addresses, user in ((primary, "pk"), (confirmed, "user_id"))
    ]
    former = Membership.objects.filter(partner=partner, user__is_reviewer=True).exclude(ended_at=None)
    rows = former.values_list("user_id", Value(ConflictKind.FORMER_MEMBER.value), "ended_at").union(
        *at_domain,
        ConflictOfInterest.objects.filter(partner=partner).order_by().values_list("user_id", *STORED_COLUMNS),
    )
    return _drop_removed(rows)


def list_impartial_reviewers(partner: Partner) -> "QuerySet[User]":
    """Return the active reviewers who neither belong to a partner nor have a conflict of interest with it.

    Two queries, however many reviewers there are, instead of one for each of them.
    """
    members = Membership.objects.filter(partner=partner, ended_at=None).values("user")
    reviewers = User.objects.active_reviewers().exclude(pk__in=members)
    return reviewers.exclude(pk__in=list(list_conflicted_reviewers(partner)))


def _drop_removed(rows: Iterable[tuple[int, str, datetime]]) -> dict[int, ConflictKind]:
    """Return the kinds by ID. A blank kind is a removal, which also hides conflicts that were derived before it."""
    # Read twice, because a removal can come before or after the conflicts that it overrides.
    conflicts = list(rows)
    removed = {pk: at for pk, kind, at in conflicts if not kind}
    return {pk: ConflictKind(kind) for pk, kind, at in conflicts if kind and (pk not in removed or at > removed[pk])}


def find_conflict(integration: PartnerIntegration, user: AnyUser | None) -> ConflictKind | None:
    """Return why a reviewer can't decide although they belong to the program, apart from a current membership."""
    # Others can't decide anyway, so a conflict isn't the reason.
    if user is None or not user.is_authenticated or not user.is_reviewer:
        return None
    is_own = integration.created_by_id == user.pk
    return ConflictKind.OWN_SUBMISSION if is_own else get_conflicts(user).get(integration.partner.pk)
