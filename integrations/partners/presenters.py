"""What does a company's page show besides its people: its agreements, signed by whom, and what happened to it?"""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.partners.models import Partner
from integrations.submissions.models import Agreement
from portal.audit.models import Event

# What everybody of the company and the program reads; who is invited, asks or leaves is for its owners.
ABOUT_THE_COMPANY = ("partner_created", "company_changed", "calendar_changed", "manager_named")
IN_FORCE, REPLACED = gettext_noop("in force"), gettext_noop("replaced")


@dataclass(frozen=True, slots=True)
class Told:
    """One version of an agreement: what has become of it, and where it is signed or renewed (blank: nowhere now)."""

    agreement: Agreement
    state: str
    place: str


def history_of(partner: Partner, *, with_people: bool) -> Any:
    """Events of the company itself, newest first; its integrations have histories of their own."""
    events = Event.objects.filter(stream=f"partner:{partner.pk}").shown_to_partner().order_by("-seq")
    return events if with_people else events.filter(verb__in=ABOUT_THE_COMPANY)


def agreements_of(partner: Partner) -> list[Told]:
    """Every version, by kind, the newest first. Of the complete ones of a kind the newest is in force."""
    places, newest, told = places_of(partner), dict[str, Agreement](), list[Told]()
    in_force: set[str] = set()
    for row in partner.agreements.select_related("document").order_by("kind", "-created_at", "-pk"):
        state = state_of(row, row.kind in in_force)
        if row.is_complete:
            in_force.add(row.kind)
        told.append(Told(row, state, places.get(row.kind, "") if newest.setdefault(row.kind, row) is row else ""))
    return told


def state_of(row: Agreement, is_replaced: bool) -> str:
    if not row.is_complete:
        return _("waits for the program") if row.partner_signed_on else _("waits for the company")
    return REPLACED if is_replaced else IN_FORCE


def places_of(partner: Partner) -> dict[str, str]:
    """For each kind of agreement the page where it is signed: of the newest open integration that asks for it."""
    places: dict[str, str] = {}
    for row in partner.integrations.open().order_by("-created_at"):
        for requirement in row.edition.requirements():
            if requirement.agreement:
                places.setdefault(requirement.agreement, reverse("requirement", args=[row.uuid, requirement.id]))
    return places
