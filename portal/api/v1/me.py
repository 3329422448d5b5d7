"""Operation that describes the current token."""

from datetime import datetime
from uuid import UUID

from django.http import HttpRequest
from ninja import Schema
from ninja.errors import AuthenticationError
from pydantic import Field

from integrations.partners import permissions
from integrations.partners.models import Partner
from portal.api.models import ApiToken
from portal.api.routing import ScopedRouter
from portal.api.v1.schemas.common import DisplayText, PartnerReference
from portal.core.value_types import JsonObject

router = ScopedRouter("Token")


class PartnerRoleOut(Schema):
    partner: PartnerReference
    role: str


class CurrentTokenOut(Schema):
    """Current token. `acts_as` is the name in events."""

    token: UUID = Field(validation_alias="uuid")
    name: str
    scopes: list[str]
    expires_at: datetime
    acts_as: DisplayText = Field(validation_alias="user")
    is_reviewer: bool = Field(validation_alias="user.is_reviewer")
    partners: list[PartnerRoleOut]

    @staticmethod
    def resolve_partners(token: ApiToken) -> list[JsonObject]:
        roles = permissions.get_roles(token.user)
        partners = Partner.objects.filter(pk__in=list(roles)).order_by("name")
        return [{"partner": partner, "role": roles[partner.pk]} for partner in partners]


@router.get("/me", "", CurrentTokenOut)
def get_me(request: HttpRequest) -> ApiToken:
    """Get the current token. Requires a token without a scope."""
    token: ApiToken | None = getattr(request, "api_token", None)
    # The router has no scope to require, so the token is required here.
    if token is None:
        raise AuthenticationError
    return token
