"""Whose report is it, and who may read it? A scope's name, figures and readers."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Q
from django.utils.translation import gettext, gettext_noop

from integrations.partners import permissions
from integrations.partners.models import Membership, Partner
from integrations.programs.registry import PROGRAMS
from integrations.sla.metrics import EVERYBODY, Scope

PROGRAMS_SCOPE, ALL_PROGRAMS = "programs", gettext_noop("all programs")


@dataclass(frozen=True, slots=True)
class Reported:
    """A scope as a report knows it. `partner` is None for the programs' own reports."""

    key: str
    name: str
    scope: Scope
    partner: Partner | None = None


def reported(key: str) -> Reported | None:
    """The scope of that key; None where there is none."""
    kind, _, rest = key.partition(":")
    if key == PROGRAMS_SCOPE:
        return Reported(key, ALL_PROGRAMS, EVERYBODY)
    if kind == "program" and rest in PROGRAMS:
        return Reported(key, PROGRAMS[rest].name, Scope(program_key=rest))
    if kind == "partner" and rest.isascii() and rest.isdigit():
        partner = Partner.objects.filter(pk=int(rest)).first()
        return Reported(key, partner.name, Scope(partner_id=partner.pk), partner) if partner else None
    return None


def partner_key(partner: Partner | int) -> str:
    return f"partner:{getattr(partner, 'pk', partner)}"


def name_of(key: str, name: str) -> str:
    """The name of a scope as it is shown: companies and programs have their own in every language."""
    return gettext(ALL_PROGRAMS) if key == PROGRAMS_SCOPE else name


def may_read(user: Any, found: Reported) -> bool:
    """The program's people read every report, members of a company their own."""
    return permissions.works_for_program(user) or (
        found.partner is not None and bool(permissions.role_of(found.partner, user))
    )


def readers_of(found: Reported) -> list[Any]:
    """Who may be sent this report, as they chose: a company's people, or those of the programs."""
    if found.partner is None:
        people = get_user_model().objects.filter(Q(is_reviewer=True) | Q(is_staff=True), is_active=True)
        return list(people.order_by("pk"))
    members = Membership.objects.filter(partner=found.partner, ended_at=None, user__is_active=True)
    return [member.user for member in members.select_related("user").order_by("user_id")]
