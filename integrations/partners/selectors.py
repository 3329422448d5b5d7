"""Reads of the partners app."""

from django.db.models import BigIntegerField, Q, QuerySet

from integrations.partners.models import Membership, Partner, PartnerVerification
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
