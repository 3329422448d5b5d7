"""Operation that describes the current token."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from ninja import Schema
from ninja.errors import AuthenticationError

from integrations.partners import permissions
from integrations.partners.models import Partner
from portal.api.routing import ScopedRouter
from portal.api.v1.schemas.common import PartnerReference

router = ScopedRouter("Token")


class PartnerRoleOut(Schema):
    partner: PartnerReference
    role: str


class CurrentTokenOut(Schema):
    """Current token. `acts_as` is the name in events."""

    token: UUID
    name: str
    scopes: list[str]
    expires_at: datetime
    acts_as: str
    is_reviewer: bool
    partners: list[PartnerRoleOut]


@router.get("/me", "", CurrentTokenOut)
def get_me(request: HttpRequest) -> object:
    """Get the current token. Requires a token without a scope."""
    token: Any = getattr(request, "api_token", None)
    if token is None:
        raise AuthenticationError
    roles = permissions.get_roles(request.user)
    partners = Partner.objects.filter(pk__in=list(roles)).order_by("name")
    return {
        "token": token.uuid,
        "name": token.name,
        "scopes": token.scopes,
        "expires_at": token.expires_at,
        "acts_as": str(request.user),
        "is_reviewer": request.user.is_reviewer,  # type: ignore[union-attr]
        "partners": [
            {"partner": {"name": partner.name, "slug": partner.slug}, "role": roles[partner.pk]} for partner in partners
        ],
    }
