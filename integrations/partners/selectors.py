"""Reads of the partners app."""

from datetime import datetime, timedelta

from django.conf import settings
from django.core.paginator import Page
from django.db.models import BigIntegerField, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from integrations.partners import name_validation, permissions
from integrations.partners.models import Membership, Partner, PartnerVerification, Role
from integrations.programs.stages import Stage
from portal.accounts.adapters import list_verified_addresses
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.audit.models import AuditEvent
from portal.core.compiled_queries import CompiledQuery, Parameter

DECISION_EVENT_TYPES = ("partner.decision_requested", "partner.approved", "partner.rejected")


def list_decisions(partner: Partner) -> QuerySet[AuditEvent]:
    """Return the decisions on a partner and the requests for them, newest first."""
    return partner.events.filter(stream=f"partner:{partner.pk}", event_type__in=DECISION_EVENT_TYPES).order_by("-seq")


def select_all_memberships(partner: Partner) -> QuerySet[Membership]:
    """Select the present and former memberships of a partner and of those that were merged into it."""
    # A merge moves the integrations and their emails, but only the present members.
    return Membership.objects.filter(Q(partner=partner) | Q(partner__merged_into=partner))


VERIFICATIONS = CompiledQuery(
    lambda: PartnerVerification.objects.filter(partner=Parameter("partner", BigIntegerField())).select_related(
        "verified_by"
    )
)


def list_verifications(partner: Partner) -> list[PartnerVerification]:
    """Return the proofs of a partner with the people who verified them, oldest first."""
    return VERIFICATIONS.fetch(partner=partner.pk)


def get_state_reason(partner: Partner) -> str:
    """Return why a partner waits for a decision or was rejected, or an empty string."""
    if not (partner.is_awaiting_decision or partner.is_rejected):
        return ""
    event = list_decisions(partner).first()
    return str(event.note or event.data.get("concern", "")) if event else ""


def get_history(partner: Partner, *, with_people: bool) -> QuerySet[AuditEvent]:
    """Return the partner's own events, newest first, without those of its integrations.

    All members and program staff see them, but only owners see those about people, tokens, and webhooks.
    """
    events = AuditEvent.objects.filter(stream=f"partner:{partner.pk}").visible_to_partner().order_by("-seq")
    return events if with_people else events.filter(event_type__startswith="partner.")


def list_own_partners(user: AnyUser) -> QuerySet[Partner]:
    """Return the partners of the user."""
    return Partner.objects.filter(pk__in=list(permissions.get_roles(user))).order_by("name")


def is_unconfirmed(partner: Partner, now: datetime) -> bool:
    """Return whether no owner has confirmed the contacts for a year, or as configured."""
    # Whoever creates a company states its contacts.
    return (partner.contacts_confirmed_at or partner.created_at) <= _get_confirmation_limit(now)


def select_unconfirmed(now: datetime) -> QuerySet[Partner]:
    """Select the partners of supported integrations for which `is_unconfirmed` is true."""
    limit = _get_confirmation_limit(now)
    confirmed_or_created_at = Coalesce("contacts_confirmed_at", "created_at")
    supported = Partner.objects.filter(integrations__stage=Stage.SUPPORT).values("pk")
    partners = Partner.objects.filter(merged_into=None, pk__in=supported)
    return partners.alias(confirmed_or_created_at=confirmed_or_created_at).filter(confirmed_or_created_at__lte=limit)


def _get_confirmation_limit(now: datetime) -> datetime:
    return now - timedelta(days=settings.CONTACT_CONFIRMATION_DAYS)


def build_active_owner_condition(other_than: User | None = None) -> Exists:
    """Return the condition that a partner has an active owner, optionally another one than a user."""
    owners = Membership.objects.filter(partner=OuterRef("pk"), ended_at=None, role=Role.OWNER, user__is_active=True)
    if other_than is not None:
        owners = owners.exclude(user=other_than)
    return Exists(owners)


def has_active_owner(partner: Partner, page: Page[Membership]) -> bool:
    """Return whether a partner has an active owner. A page of its memberships saves a query for most partners."""
    if any(each.role == Role.OWNER and each.user.is_active for each in page):
        return True
    return page.has_other_pages() and Partner.objects.filter(build_active_owner_condition(), pk=partner.pk).exists()


def list_solely_owned_partners(user: User) -> list[Partner]:
    """Return the partners of an owner that have no other active owner, by name."""
    owned = Membership.objects.filter(user=user, ended_at=None, role=Role.OWNER).values("partner")
    return list(Partner.objects.filter(~build_active_owner_condition(other_than=user), pk__in=owned).order_by("name"))


def list_editable_partners(user: AnyUser) -> list[Partner]:
    """Return the partners for which the user can edit, by name."""
    partner_ids = [partner for partner, role in permissions.get_roles(user).items() if role in permissions.EDITOR_ROLES]
    return list(Partner.objects.filter(pk__in=partner_ids).order_by("name"))


def list_matching_partners(user: AnyUser, name: str) -> list[Partner]:
    """Return partners that match the name or the user's email domain, without the user's own ones.

    Pages must show nothing of them but the name.
    """
    own_partner_ids = set(list_own_partners(user).values_list("pk", flat=True))
    return [
        partner
        for partner in name_validation.find_matching_partners(name, list_verified_addresses(user))
        if partner.pk not in own_partner_ids
    ]


def has_single_partner(user: AnyUser) -> bool:
    """Return whether the user has one partner, so that a button can create the draft without a choice."""
    return bool(user.is_authenticated) and len(list_editable_partners(user)) == 1


def find_company_domain(user: User) -> str:
    """Return the first domain of a company among the user's confirmed addresses, or an empty string."""
    # Only confirmed addresses: anyone could claim a domain by typing an address there.
    return next((d for d in map(name_validation.get_company_domain, list_verified_addresses(user)) if d), "")
