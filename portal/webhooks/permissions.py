"""Permissions for webhook endpoints: owners manage those of their company, and staff those of the program."""

from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.models import Partner, Role
from portal.accounts.models import User
from portal.accounts.requests import AnyUser
from portal.webhooks.models import WebhookEndpoint


def can_manage_webhooks(partner: Partner | None, user: AnyUser | None) -> bool:
    """Return whether a user can manage the endpoints of a partner, or of the program without a partner."""
    if partner is None:
        # The program's endpoints receive the events of all partners.
        return bool(user is not None and user.is_authenticated and user.is_active and user.is_staff)
    return permissions.can_manage_partner(partner, user)


def list_managed_partners(user: AnyUser | None) -> list[Partner]:
    """Return the partners whose endpoints the user can manage."""
    # A webhook sends data of the partner elsewhere, so editors can't add one.
    owned_partner_ids = [pk for pk, role in permissions.get_roles(user).items() if role == Role.OWNER]
    return list(Partner.objects.filter(pk__in=owned_partner_ids).order_by("name"))


def list_visible_endpoints(user: AnyUser | None) -> QuerySet[WebhookEndpoint]:
    """Return the endpoints that the user can manage."""
    endpoints = WebhookEndpoint.objects.filter(ended_at=None, partner__in=list_managed_partners(user))
    if can_manage_webhooks(None, user):
        endpoints |= WebhookEndpoint.objects.filter(ended_at=None, partner=None)
    return endpoints.select_related("partner")


def get_endpoint(user: AnyUser | None, uuid: UUID) -> WebhookEndpoint:
    """Return an endpoint that the user can manage, or raise Http404."""
    endpoint = list_visible_endpoints(user).filter(uuid=uuid).first()
    if endpoint is None:
        raise Http404(_("Webhook not found. It doesn't exist, or you don't have access."))
    return endpoint


def list_owners(endpoint: WebhookEndpoint) -> list[User]:
    """Return the recipients of emails about an endpoint: owners of the partner, or staff for the program."""
    if endpoint.partner is not None:
        return endpoint.partner.list_members(Role.OWNER)
    return list(User.objects.filter(is_active=True, is_staff=True).order_by("pk"))
