"""API schemas of partners and members."""

from datetime import datetime

from ninja import Schema
from pydantic import Field

from portal.api.routing import StrictSchema
from portal.api.v1.schemas.common import DisplayText


class PartnerOut(Schema):
    name: str
    slug: str
    website: str
    domain: str
    alliances_manager: DisplayText
    created_at: datetime


class MemberOut(Schema):
    id: int
    name: DisplayText = Field(validation_alias="user")
    role: str
    joined_at: datetime


class InvitationOut(Schema):
    """Open invitation. Only its email contains the link."""

    id: int
    email: str
    role: str
    expires_at: datetime


class JoinRequestOut(Schema):
    id: int
    name: DisplayText = Field(validation_alias="user")
    message: str
    created_at: datetime


class PartnerMembersOut(Schema):
    """Members. `invitations` and `requests` are visible to owners only."""

    members: list[MemberOut]
    invitations: list[InvitationOut]
    requests: list[JoinRequestOut]


class PartnerUpdateIn(StrictSchema):
    name: str | None = None
    website: str | None = None


class RoleIn(StrictSchema):
    role: str


class InvitationIn(RoleIn):
    email: str


class JoinDecisionIn(StrictSchema):
    """Decision on a join request. `role` applies if accepted."""

    accept: bool
    role: str = "viewer"


class AlliancesManagerIn(StrictSchema):
    """Email address of the Alliances manager, or null for none."""

    manager: str | None


class AgreementSignatureOut(Schema):
    side: str
    signer: str
    title: str
    signed_at: datetime


class AgreementOut(Schema):
    """Version of an agreement. `digest` is the SHA-256 of its text, and `method` how it was signed."""

    id: int = Field(validation_alias="agreement.pk")
    kind: str = Field(validation_alias="agreement.kind")
    version: str = Field(validation_alias="agreement.version")
    digest: str = Field(validation_alias="agreement.digest")
    method: str = Field(validation_alias="agreement.method")
    state: str
    completed_at: datetime | None = Field(validation_alias="agreement.completed_at")
    rejection_reason: str = Field(validation_alias="agreement.rejection_reason")
    signatures: list[AgreementSignatureOut] = Field(validation_alias="agreement.signatures")
