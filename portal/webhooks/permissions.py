"""Whose endpoint is it, and who may see and change it? Owners of the company; for the program's own, its staff."""

from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.http import Http404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.partners import permissions
from integrations.partners.models import Partner, Role
from portal.webhooks.models import Endpoint

NOT_THERE = gettext_noop("This webhook does not exist, or it is not visible to you.")


def may_manage(partner: Partner | None, user: Any) -> bool:
    """Whether a person manages the endpoints of a company, or of the program where there is none."""
    if partner is None:
        return bool(user is not None and user.is_authenticated and user.is_active and user.is_staff)
    return permissions.manages(partner, user)


def companies_of(user: Any) -> list[Partner]:
    """The companies whose endpoints the person manages."""
    owned = [pk for pk, role in permissions.roles_of(user).items() if role == Role.OWNER]
    return list(Partner.objects.filter(pk__in=owned).order_by("name"))


def visible_to(user: Any) -> Any:
    """The endpoints that a person manages."""
    found = Endpoint.objects.filter(ended_at=None, partner__in=companies_of(user))
    if may_manage(None, user):
        found |= Endpoint.objects.filter(ended_at=None, partner=None)
    return found.select_related("partner")


def load(user: Any, uuid: UUID) -> Endpoint:
    """The endpoint, for those who manage it. Raises Http404 for everybody else."""
    endpoint: Endpoint | None = visible_to(user).filter(uuid=uuid).first()
    if endpoint is None:
        raise Http404(_(NOT_THERE))
    return endpoint


def owners_of(endpoint: Endpoint) -> list[Any]:
    """Who is told when an endpoint is paused: the company's owners; of the program's own, its staff."""
    people = get_user_model().objects.filter(is_active=True)
    if endpoint.partner_id is None:
        return list(people.filter(is_staff=True).order_by("pk"))
    current = {"memberships__partner": endpoint.partner_id, "memberships__ended_at": None}
    return list(people.filter(**current, memberships__role=Role.OWNER).order_by("pk"))
