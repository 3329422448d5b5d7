"""API schemas of partners and members."""

from datetime import datetime

from ninja import Schema

from portal.api.routing import StrictSchema


class PartnerOut(Schema):
    name: str
    slug: str
    website: str
    domain: str
    alliances_manager: str
    created_at: datetime


class MemberOut(Schema):
    id: int
    name: str
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
    name: str
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


class AgreementOut(Schema):
    kind: str
    version: str
    state: str
    partner_signer: str
    program_signer: str
