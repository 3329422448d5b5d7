"""Who builds integrations, and who belongs to whom? Companies, their people, invitations, requests to join."""

from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Path, Query, Schema
from pydantic import Field

from integrations.partners import permissions, presenters
from integrations.partners.forms.members import CompanyForm, InviteForm, RoleForm
from integrations.partners.models import JoinRequest, Membership, Partner
from integrations.partners.services import invitations as inviting
from integrations.partners.services import members as people
from integrations.partners.services import profiles
from integrations.submissions.services import creation
from portal.api.problems import Problem, fit
from portal.api.routing import Done, Page, Paged, Room, Strict, listed, posted
from portal.api.v1.schemas import submissions
from portal.core.errors import NotAllowed
from portal.core.text_fields import searched

room = Room("Companies")
COMPANIES, MANAGE = "companies:read", "companies:write"
BIG = 2**63 - 1


class Wanted(Paged):
    q: str = Field("", max_length=100, description="Words in name or mail domain.")


class CompanyOut(Schema):
    name: str
    slug: str
    website: str
    domain: str
    alliances_manager: str
    created_at: datetime


class Member(Schema):
    id: int
    name: str
    role: str
    joined_at: datetime


class Offer(Schema):
    """An open invitation. Its link is in its mail alone."""

    id: int
    email: str
    role: str
    expires_at: datetime


class Asking(Schema):
    id: int
    name: str
    message: str
    created_at: datetime


class People(Schema):
    """`invitations` and `requests` for owners only."""

    members: list[Member]
    invitations: list[Offer]
    requests: list[Asking]


class CompanyIn(Strict):
    name: str | None = None
    website: str | None = None


class RoleIn(Strict):
    role: str


class InviteIn(RoleIn):
    email: str


class DecideIn(Strict):
    """`role` where they are let in."""

    accept: bool
    role: str = "viewer"


class ManagerIn(Strict):
    """Mail address of the Alliances manager; null for nobody."""

    manager: str | None


class AgreementOut(Schema):
    kind: str
    version: str
    state: str
    company_signer: str
    program_signer: str


def visible(request: HttpRequest) -> Any:
    """The companies that are this person's to see: their own; for people of the program all."""
    rows = Partner.objects.select_related("alliances_manager")
    return (
        rows
        if permissions.works_for_program(request.user)
        else rows.filter(pk__in=list(permissions.roles_of(request.user)))
    )


def own(request: HttpRequest, slug: str) -> Partner:
    """A company that the person belongs to. Raises Http404 for every other, also for the program."""
    mine = Partner.objects.filter(pk__in=list(permissions.roles_of(request.user)))
    return get_object_or_404(mine, slug=slug)


def company_out(row: Partner) -> dict[str, Any]:
    same = ("name", "slug", "website", "domain", "created_at")
    return {name: getattr(row, name) for name in same} | {"alliances_manager": str(row.alliances_manager or "")}


@room.get("/companies", COMPANIES, Page[CompanyOut])
def list_companies(request: HttpRequest, response: HttpResponse, wanted: Query[Wanted]) -> Any:
    """Your companies; for people of the program all of them, newest first."""
    rows, words = visible(request), searched(wanted.q)
    if words:
        rows = rows.filter(Q(name__icontains=words) | Q(domain__icontains=words))
    return listed(request, response, rows, wanted, company_out)


@room.get("/companies/{slug:slug}", COMPANIES, CompanyOut)
def get_company(request: HttpRequest, slug: str) -> Any:
    """One company."""
    return company_out(get_object_or_404(visible(request), slug=slug))


@room.patch("/companies/{slug:slug}", MANAGE, CompanyOut)
def change_company(request: HttpRequest, slug: str, body: CompanyIn) -> Any:
    """Change its name or website. For owners."""
    partner = own(request, slug)
    before = {"name": partner.name, "website": partner.website}
    given = fit(CompanyForm(posted(**before | body.model_dump(exclude_none=True)))).cleaned_data
    profiles.change(partner, **given, by=request.user, now=timezone.now())
    return company_out(Partner.objects.select_related("alliances_manager").get(pk=partner.pk))


@room.get("/companies/{slug:slug}/agreements", COMPANIES, list[AgreementOut])
def list_agreements(request: HttpRequest, slug: str) -> Any:
    """What the company and the program signed."""
    told = presenters.agreements_of(get_object_or_404(visible(request), slug=slug))
    return [
        {"kind": t.agreement.kind, "version": t.agreement.version, "state": t.state,
         "company_signer": t.agreement.partner_signer, "program_signer": t.agreement.program_signer}
        for t in told
    ]  # fmt: skip


@room.get("/companies/{slug:slug}/events", COMPANIES, Page[submissions.EventOut])
def list_company_events(request: HttpRequest, response: HttpResponse, slug: str, paged: Query[Paged]) -> Any:
    """What happened to the company itself, newest first."""
    partner = get_object_or_404(visible(request), slug=slug)
    events = presenters.history_of(partner, with_people=permissions.manages(partner, request.user))
    return listed(request, response, events, paged, submissions.event_out, key="seq")


@room.get("/companies/{slug:slug}/people", COMPANIES, People)
def list_people(request: HttpRequest, slug: str) -> Any:
    """Who belongs to it."""
    partner = get_object_or_404(visible(request), slug=slug)
    current = Membership.objects.filter(partner=partner, ended_at=None).select_related("user").order_by("pk")
    manages, now = permissions.manages(partner, request.user), timezone.now()
    offers = people.open_invitations(partner, now).order_by("pk") if manages else []
    asked = partner.join_requests.filter(state=JoinRequest.State.WAITING).select_related("user") if manages else []
    return {
        "members": [{"id": m.pk, "name": str(m.user), "role": m.role, "joined_at": m.joined_at} for m in current],
        "invitations": [
            {"id": o.pk, "email": o.email, "role": o.role, "expires_at": o.expires_at} for o in offers
        ],
        "requests": [
            {"id": a.pk, "name": str(a.user), "message": a.message, "created_at": a.created_at} for a in asked
        ],
    }  # fmt: skip


@room.post("/companies/{slug:slug}/invitations", MANAGE, Offer, status=201)
def invite(request: HttpRequest, slug: str, body: InviteIn) -> Any:
    """Invite a colleague by mail. For owners."""
    partner = own(request, slug)
    given = fit(InviteForm(posted(**body.model_dump()))).cleaned_data
    offer = inviting.send(partner, given["email"], given["role"], by=request.user, now=timezone.now())
    return {"id": offer.pk, "email": offer.email, "role": offer.role, "expires_at": offer.expires_at}


@room.post("/companies/{slug:slug}/invitations/{int:pk}/resend", MANAGE, Done)
def resend_invitation(request: HttpRequest, slug: str, pk: int = Path(le=BIG)) -> Any:
    """Send it again with a new link; the one before no longer works."""
    partner = own(request, slug)
    offer = _row(partner.invitations, pk)
    inviting.send(partner, offer.email, offer.role, by=request.user, now=timezone.now())
    return Done(said=f"A new link is on its way to {offer.email}.")


@room.delete("/companies/{slug:slug}/invitations/{int:pk}", MANAGE)
def revoke_invitation(request: HttpRequest, slug: str, pk: int = Path(le=BIG)) -> Any:
    """Take an invitation back."""
    offer = _row(own(request, slug).invitations, pk)
    people.revoke_invitation(offer, by=request.user, now=timezone.now())
    return Done(said=f"The invitation to {offer.email} is taken back.")


@room.post("/companies/{slug:slug}/requests/{int:pk}", MANAGE, Done)
def decide_request(request: HttpRequest, slug: str, body: DecideIn, pk: int = Path(le=BIG)) -> Any:
    """Let somebody in who asked, or decline."""
    asked = _row(own(request, slug).join_requests.select_related("user"), pk)
    role = fit(RoleForm(posted(role=body.role))).cleaned_data["role"]
    people.decide_join(asked, accept=body.accept, role=role, by=request.user, now=timezone.now())
    return Done(said=f"{asked.user} belongs to the company now." if body.accept else "Declined.")


@room.patch("/companies/{slug:slug}/people/{int:pk}", MANAGE, Done)
def change_role(request: HttpRequest, slug: str, body: RoleIn, pk: int = Path(le=BIG)) -> Any:
    """Give a colleague another role."""
    member = _row(own(request, slug).memberships.select_related("user"), pk)
    role = fit(RoleForm(posted(role=body.role))).cleaned_data["role"]
    people.change_role(member, role, by=request.user, now=timezone.now())
    return Done(said=f"{member.user} has another role now.")


@room.delete("/companies/{slug:slug}/people/{int:pk}", MANAGE)
def end_membership(request: HttpRequest, slug: str, pk: int = Path(le=BIG)) -> Any:
    """Remove a colleague, or leave."""
    member = _row(own(request, slug).memberships.select_related("user"), pk)
    people.end_membership(member, by=request.user, now=timezone.now())
    return Done(said=f"{member.user} no longer belongs to the company.")


def _row(rows: Any, pk: int) -> Any:
    if pk > BIG:
        raise Http404("This does not exist, or it is not visible to you.")
    return get_object_or_404(rows, pk=pk)


@room.post("/companies/{slug:slug}/manager", "reviews:write", CompanyOut)
def name_manager(request: HttpRequest, slug: str, body: ManagerIn) -> Any:
    """Name its Alliances manager. For people of the program."""
    partner = get_object_or_404(visible(request), slug=slug)
    if not permissions.works_for_program(request.user):
        raise NotAllowed("Only the program may name a company's Alliances manager.", "may")
    staff = get_user_model().objects.filter(is_active=True).filter(Q(is_reviewer=True) | Q(is_staff=True))
    manager = staff.filter(email=(body.manager or "").lower()).first()
    if body.manager and manager is None:
        raise Problem("unfit", "There is no such person of the program.", fields=[("manager", "Choose another.")])
    creation.assign_manager(partner, manager, by=request.user, now=timezone.now())
    return company_out(Partner.objects.select_related("alliances_manager").get(pk=partner.pk))
