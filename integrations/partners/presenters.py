"""What does a company's page show besides its people: its agreements, signed by whom, and what happened to it?"""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.partners.models import Partner
from integrations.submissions.models import Agreement
from portal.audit.models import AuditEvent

# What everybody of the company and the program reads; who is invited, asks or leaves is for its owners.
PARTNER_EVENT_TYPES = ("partner_created", "company_changed", "calendar_changed", "manager_named")
IN_FORCE_LABEL, REPLACED_LABEL = gettext_noop("in force"), gettext_noop("replaced")


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """One version of an agreement: what has become of it, and where it is signed or renewed (blank: nowhere now)."""

    agreement: Agreement
    state: str
    place: str


def get_history(partner: Partner, *, with_people: bool) -> Any:
    """Events of the company itself, newest first; its integrations have histories of their own."""
    events = AuditEvent.objects.filter(stream=f"partner:{partner.pk}").shown_to_partner().order_by("-seq")
    return events if with_people else events.filter(event_type__in=PARTNER_EVENT_TYPES)


def list_agreements(partner: Partner) -> list[AgreementRow]:
    """Every version, by kind, the newest first. Of the complete ones of a kind the newest is in force."""
    signing_urls, newest_by_kind, rows = map_signing_urls(partner), dict[str, Agreement](), list[AgreementRow]()
    kinds_in_force: set[str] = set()
    for agreement in partner.agreements.select_related("document").order_by("kind", "-created_at", "-pk"):
        state = describe_state(agreement, agreement.kind in kinds_in_force)
        if agreement.is_complete:
            kinds_in_force.add(agreement.kind)
        rows.append(
            AgreementRow(
                agreement,
                state,
                signing_urls.get(agreement.kind, "")
                if newest_by_kind.setdefault(agreement.kind, agreement) is agreement
                else "",
            )
        )
    return rows


def describe_state(agreement: Agreement, is_replaced: bool) -> str:
    if not agreement.is_complete:
        return _("waits for the program") if agreement.partner_signed_on else _("waits for the company")
    return REPLACED_LABEL if is_replaced else IN_FORCE_LABEL


def map_signing_urls(partner: Partner) -> dict[str, str]:
    """For each kind of agreement the page where it is signed: of the newest open integration that asks for it."""
    urls_by_kind: dict[str, str] = {}
    for integration in partner.integrations.open().order_by("-created_at"):
        for requirement in integration.edition.requirements():
            if requirement.agreement:
                urls_by_kind.setdefault(
                    requirement.agreement, reverse("requirement", args=[integration.uuid, requirement.id])
                )
    return urls_by_kind
