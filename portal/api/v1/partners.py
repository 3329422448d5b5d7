"""Operations for partners, members, invitations, and join requests."""

from collections.abc import Iterable
from datetime import datetime

from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Query, Schema
from pydantic import Field

from integrations.partners import permission_conditions, permissions, selectors
from integrations.partners.forms.members import InvitationForm, PartnerProfileForm, RoleForm
from integrations.partners.models import Invitation, JoinRequest, Membership, Partner
from integrations.partners.services import members, profiles
from integrations.partners.views.members import get_own_partner
from integrations.submissions.selectors import agreements
from integrations.submissions.services import creation
from portal.accounts.models import User
from portal.accounts.requests import AuthenticatedRequest
from portal.api.form_data import build_form_data, clean, validate_form
from portal.api.pagination import CursorPage, Page, PaginationParams, paginate
from portal.api.problems import FieldError
from portal.api.routing import MessageResponse, NameConfirmation, RowId, ScopedRouter, StrictSchema
from portal.api.v1.schemas.common import DisplayText
from portal.api.v1.schemas.submissions import EventOut
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from portal.core.form_fields import clean_search_query
from portal.ui.name_confirmation import NameConfirmationForm

router = ScopedRouter("Partners")
READ_SCOPE = "partners:read"
WRITE_SCOPE = "partners:write"


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

    alliances_manager: str | None


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


class PartnerFilterParams(PaginationParams):
    q: str = Field("", max_length=100, description="Text in the name or email domain.")


def list_visible_partners(request: HttpRequest) -> QuerySet[Partner]:
    """Return the partners that the user can see: own partners, or all for program staff."""
    rows = Partner.objects.select_related("alliances_manager")
    if permissions.is_program_staff(request.user):
        return rows
    return rows.filter(pk__in=list(permissions.get_roles(request.user)))


@router.get("/partners", READ_SCOPE, CursorPage[PartnerOut])
def list_partners(request: HttpRequest, params: Query[PartnerFilterParams]) -> Page[Partner]:
    """List your partners, newest first. Program staff can see all of them."""
    rows = list_visible_partners(request)
    search_text = clean_search_query(params.q)
    if search_text:
        rows = rows.filter(Q(name__icontains=search_text) | Q(domain__icontains=search_text))
    return paginate(request, rows, params)


@router.get("/partners/{slug:slug}", READ_SCOPE, PartnerOut)
def get_partner(request: HttpRequest, slug: str) -> Partner:
    """Get a partner."""
    return get_object_or_404(list_visible_partners(request), slug=slug)


@router.patch("/partners/{slug:slug}", WRITE_SCOPE, PartnerOut)
def update_partner(request: AuthenticatedRequest, slug: str, body: PartnerUpdateIn) -> Partner:
    """Change a partner's name or website. Fields that are omitted or null stay unchanged. For owners."""
    partner = get_own_partner(request, slug)
    sent_fields = body.model_dump(exclude_none=True)
    form_fields = {"name": partner.name, "website": partner.website} | sent_fields
    values = clean(PartnerProfileForm(build_form_data(**form_fields), initial={"name": partner.name}))
    # Only what the client sent, so that a colleague's change of the other field stays.
    changes = {name: values[name] for name in sent_fields}
    profiles.change_profile(partner, **changes, actor=request.user, now=timezone.now())
    return Partner.objects.select_related("alliances_manager").get(pk=partner.pk)


@router.get("/partners/{slug:slug}/agreements", READ_SCOPE, list[AgreementOut])
def list_agreements(request: HttpRequest, slug: str) -> list[agreements.AgreementRow]:
    """List a partner's agreements with the program."""
    return agreements.list_agreements(get_partner(request, slug))


@router.get("/partners/{slug:slug}/events", READ_SCOPE, CursorPage[EventOut])
def list_partner_events(request: HttpRequest, slug: str, pagination: Query[PaginationParams]) -> Page[AuditEvent]:
    """List events of a partner, newest first."""
    partner = get_partner(request, slug)
    # Who invited whom and who left is for owners only.
    events = selectors.get_history(partner, with_people=permissions.can_manage_partner(partner, request.user))
    return paginate(request, events, pagination, key="seq")


@router.get("/partners/{slug:slug}/members", READ_SCOPE, PartnerMembersOut)
def list_members(request: HttpRequest, slug: str) -> dict[str, Iterable[Model]]:
    """List a partner's members, and for owners also invitations and join requests."""
    partner = get_partner(request, slug)
    memberships = Membership.objects.filter(partner=partner, ended_at=None).select_related("user").order_by("pk")
    can_manage = permissions.can_manage_partner(partner, request.user)
    now = timezone.now()
    if not can_manage:
        return {"members": memberships, "invitations": [], "requests": []}
    join_requests = partner.join_requests.filter(state=JoinRequest.State.WAITING).select_related("user")
    open_invitations = members.list_open_invitations(now).filter(partner=partner).order_by("pk")
    return {"members": memberships, "invitations": open_invitations, "requests": join_requests}


@router.post("/partners/{slug:slug}/invitations", WRITE_SCOPE, InvitationOut, status=201)
def invite(request: AuthenticatedRequest, slug: str, body: InvitationIn) -> Invitation:
    """Invite someone by email. For owners."""
    partner = get_own_partner(request, slug)
    values = clean(InvitationForm(build_form_data(**body.model_dump())))
    return members.send_invitation(partner, values["email"], values["role"], actor=request.user, now=timezone.now())


@router.post("/partners/{slug:slug}/invitations/{int:pk}/resend", WRITE_SCOPE, MessageResponse)
def resend_invitation(request: AuthenticatedRequest, slug: str, pk: RowId) -> MessageResponse:
    """Resend an invitation with a new link. The previous link stops working."""
    partner = get_own_partner(request, slug)
    invitation = get_object_or_404(partner.invitations, pk=pk)
    members.resend_invitation(invitation, actor=request.user, now=timezone.now())
    return MessageResponse(message=f"New invitation sent to {invitation.email}.")


@router.delete("/partners/{slug:slug}/invitations/{int:pk}", WRITE_SCOPE)
def revoke_invitation(request: AuthenticatedRequest, slug: str, pk: RowId) -> MessageResponse:
    """Revoke an invitation."""
    invitation = get_object_or_404(get_own_partner(request, slug).invitations, pk=pk)
    members.revoke_invitation(invitation, actor=request.user, now=timezone.now())
    return MessageResponse(message=f"Invitation to {invitation.email} revoked.")


@router.post("/partners/{slug:slug}/requests/{int:pk}", WRITE_SCOPE, MessageResponse)
def decide_request(request: AuthenticatedRequest, slug: str, body: JoinDecisionIn, pk: RowId) -> MessageResponse:
    """Accept or decline a join request."""
    join_request = get_object_or_404(get_own_partner(request, slug).join_requests.select_related("user"), pk=pk)
    role = clean(RoleForm(build_form_data(role=body.role)))["role"]
    members.decide_join_request(join_request, accept=body.accept, role=role, actor=request.user, now=timezone.now())
    return MessageResponse(
        message=f"{join_request.user} joined {join_request.partner.name}." if body.accept else "Request declined."
    )


@router.patch("/partners/{slug:slug}/members/{int:pk}", WRITE_SCOPE, MessageResponse)
def change_role(request: AuthenticatedRequest, slug: str, body: RoleIn, pk: RowId) -> MessageResponse:
    """Change a member's role."""
    member = get_object_or_404(get_own_partner(request, slug).memberships.select_related("user"), pk=pk)
    role = clean(RoleForm(build_form_data(role=body.role)))["role"]
    members.change_role(member, role, actor=request.user, now=timezone.now())
    return MessageResponse(message=f"Role of {member.user} changed.")


@router.delete("/partners/{slug:slug}/members/{int:pk}", WRITE_SCOPE)
def end_membership(
    request: AuthenticatedRequest, slug: str, pk: RowId, params: Query[NameConfirmation]
) -> MessageResponse:
    """Remove a member, or leave. To remove another member, `confirm_name` is their name in the list of members."""
    member = get_object_or_404(get_own_partner(request, slug).memberships.select_related("user"), pk=pk)
    # People who leave don't confirm a name, and the service refuses those who can't remove others.
    if member.user != request.user and permissions.can_manage_partner(member.partner, request.user):
        validate_form(NameConfirmationForm(str(member.user), data=params.model_dump()))
    members.end_membership(member, actor=request.user, now=timezone.now())
    return MessageResponse(message=f"{member.user} is no longer a member of {member.partner.name}.")


@router.post("/partners/{slug:slug}/manager", "reviews:write", PartnerOut)
def set_alliances_manager(request: AuthenticatedRequest, slug: str, body: AlliancesManagerIn) -> Partner:
    """Assign a partner's Alliances manager. For program staff."""
    partner = get_partner(request, slug)
    if not permissions.can_write_for_programs(request.user):
        raise ActionRefused("Only program staff can assign an Alliances manager.", "forbidden")
    staff = User.objects.filter(permission_conditions.WRITES_FOR_PROGRAMS, is_active=True)
    manager = staff.filter(email=(body.alliances_manager or "").lower()).first()
    if body.alliances_manager and manager is None:
        raise FieldError("alliances_manager", "Enter the email address of program staff.", "Unknown person.")
    creation.assign_manager(partner, manager, actor=request.user, now=timezone.now())
    return Partner.objects.select_related("alliances_manager").get(pk=partner.pk)
