"""Whose endpoint is it, and who may see and change it? Owners of the company; for the program's own, its staff."""

from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.http import Http404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from integrations.partners import permissions
from integrations.partners.models import Partner, Role
from portal.webhooks.models import WebhookEndpoint

NOT_FOUND_MESSAGE = gettext_noop("This webhook does not exist, or it is not visible to you.")


def can_manage(partner: Partner | None, user: Any) -> bool:
    """Whether a person manages the endpoints of a company, or of the program where there is none."""
    if partner is None:
        return bool(user is not None and user.is_authenticated and user.is_active and user.is_staff)
    return permissions.can_manage_partner(partner, user)


def list_managed_partners(user: Any) -> list[Partner]:
    """The companies whose endpoints the person manages."""
    owned_partner_ids = [pk for pk, role in permissions.get_roles(user).items() if role == Role.OWNER]
    return list(Partner.objects.filter(pk__in=owned_partner_ids).order_by("name"))


def list_visible_endpoints(user: Any) -> Any:
    """The endpoints that a person manages."""
    endpoints = WebhookEndpoint.objects.filter(ended_at=None, partner__in=list_managed_partners(user))
    if can_manage(None, user):
        endpoints |= WebhookEndpoint.objects.filter(ended_at=None, partner=None)
    return endpoints.select_related("partner")


def get_endpoint(user: Any, uuid: UUID) -> WebhookEndpoint:
    """The endpoint, for those who manage it. Raises Http404 for everybody else."""
    endpoint: WebhookEndpoint | None = list_visible_endpoints(user).filter(uuid=uuid).first()
    if endpoint is None:
        raise Http404(_(NOT_FOUND_MESSAGE))
    return endpoint


def list_owners(endpoint: WebhookEndpoint) -> list[Any]:
    """Who is told when an endpoint is paused: the company's owners; of the program's own, its staff."""
    active_users = get_user_model().objects.filter(is_active=True)
    if endpoint.partner_id is None:
        return list(active_users.filter(is_staff=True).order_by("pk"))
    membership_filter = {"memberships__partner": endpoint.partner_id, "memberships__ended_at": None}
    return list(active_users.filter(**membership_filter, memberships__role=Role.OWNER).order_by("pk"))
