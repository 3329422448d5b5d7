"""Agreements and history for a partner's page."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.partners.models import Partner
from integrations.submissions.models import Agreement
from portal.audit.models import AuditEvent

# Visible to all members and program staff. Events about members are visible to owners only.
PARTNER_EVENT_TYPES = ("partner_created", "company_changed", "calendar_changed", "manager_named")
IN_FORCE_LABEL, REPLACED_LABEL = gettext_noop("in force"), gettext_noop("replaced")


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """Version of an agreement with its status and the URL where it can be signed, or an empty string."""

    agreement: Agreement
    state: str
    signing_url: str


def get_history(partner: Partner, *, with_people: bool) -> Any:
    """Return the partner's own events, newest first, without those of its integrations."""
    events = AuditEvent.objects.filter(stream=f"partner:{partner.pk}").visible_to_partner().order_by("-seq")
    return events if with_people else events.filter(event_type__in=PARTNER_EVENT_TYPES)


def list_agreements(partner: Partner) -> list[AgreementRow]:
    """Return all versions by kind, newest first. The newest complete version of a kind is in force."""
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
        return _("waiting for the program") if agreement.partner_signed_on else _("waiting for the company")
    return REPLACED_LABEL if is_replaced else IN_FORCE_LABEL


def map_signing_urls(partner: Partner) -> dict[str, str]:
    """Return the signing page by agreement kind, on the newest open integration that requires the agreement."""
    urls_by_kind: dict[str, str] = {}
    for integration in partner.integrations.open().order_by("-created_at"):
        for requirement in integration.edition.requirements():
            if requirement.agreement:
                urls_by_kind.setdefault(
                    requirement.agreement, reverse("submissions:requirement", args=[integration.uuid, requirement.id])
                )
    return urls_by_kind
