"""Who is in the company, and who may come? The company's page and what its owners do there."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions, presenters
from integrations.partners.forms.members import InviteForm, RoleForm
from integrations.partners.models import JoinRequest, Membership, Partner
from integrations.partners.services import invitations as inviting
from integrations.partners.services import members
from portal.core.errors import NotAllowed
from portal.ui.pagination import page_of
from portal.ui.refusals import forbidden, refused

HISTORY_PAGE = 20


@contextmanager
def done(request: HttpRequest, sentence: str) -> Iterator[None]:
    """Say on the next page that it was done, or why not."""
    try:
        yield
    except NotAllowed as refusal:
        refused(request, refusal)
    else:
        messages.success(request, sentence)


def own_companies(user: Any) -> Any:
    """The companies that a person belongs to now."""
    return Partner.objects.filter(pk__in=list(permissions.roles_of(user))).order_by("name")


def own_company(request: HttpRequest, slug: str) -> Partner:
    """One of them. Raises Http404 for any other."""
    return get_object_or_404(own_companies(request.user).select_related("alliances_manager"), slug=slug)


def company(request: HttpRequest, slug: str = "") -> HttpResponse:
    """The company's page; without a slug the person's only company, or the list of several."""
    if slug:
        return render(request, "partners/company.html", company_context(request, own_company(request, slug)))
    mine = list(own_companies(request.user))
    if len(mine) == 1:
        return redirect("company", mine[0].slug)
    return render(request, "partners/companies.html", {"companies": mine}) if mine else redirect("company_new")


def company_context(request: HttpRequest, partner: Partner, form: InviteForm | None = None) -> dict[str, Any]:
    """People with their roles, agreements, history; for owners also invitations and requests."""
    now = timezone.now()
    manages = permissions.manages(partner, request.user)
    current = Membership.objects.filter(partner=partner, ended_at=None).select_related("user")
    waiting = partner.join_requests.filter(state=JoinRequest.State.WAITING).select_related("user")
    open_invitations = members.open_invitations(partner, now).select_related("invited_by")
    return {
        "partner": partner,
        "manages": manages,
        "agreements": presenters.agreements_of(partner),
        "may_read": permissions.may_download(partner, request.user, is_agreement=True),
        "page": page_of(request, presenters.history_of(partner, with_people=manages), HISTORY_PAGE),
        "invite_form": form or InviteForm(initial={"role": "editor"}),
        "members": [
            (member, RoleForm(initial={"role": member.role}, auto_id=f"member-{member.pk}-%s"), str(member.pk))
            for member in current.order_by("joined_at", "pk")
        ],
        "invitations": list(open_invitations.order_by("-created_at")) if manages else [],
        "requests": [
            (asked, RoleForm(initial={"role": "viewer"}, auto_id=f"request-{asked.pk}-%s"))
            for asked in (waiting.order_by("created_at") if manages else [])
        ],
    }


def company_invite(request: HttpRequest, slug: str) -> HttpResponse:
    """Invite a colleague."""
    partner = own_company(request, slug)
    form = InviteForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        email, role = form.cleaned_data["email"], form.cleaned_data["role"]
        try:
            offer = inviting.send(partner, email, role, by=request.user, now=timezone.now())
        except NotAllowed as refusal:
            forbidden(refusal)
            form.add_error("email", str(refusal))
        else:
            messages.success(request, _("The invitation to %(email)s is on its way.") % {"email": offer.email})
            return redirect("company", slug)
    if not form.is_bound:
        return redirect("company", slug)
    return render(request, "partners/company.html", company_context(request, partner, form), status=422)


def company_invitation(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Send an invitation again with a new link, or take it back."""
    partner = own_company(request, slug)
    invitation = get_object_or_404(partner.invitations, pk=pk)
    now, wish = timezone.now(), request.POST.get("do")
    if wish == "resend":
        with done(
            request,
            _("A new link is on its way to %(email)s. The one before no longer works.") % {"email": invitation.email},
        ):
            inviting.send(partner, invitation.email, invitation.role, by=request.user, now=now)
    elif wish == "revoke":
        with done(request, _("The invitation to %(email)s is taken back.") % {"email": invitation.email}):
            members.revoke_invitation(invitation, by=request.user, now=now)
    return redirect("company", slug)


def company_request(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Let somebody in who asked, in a role, or decline."""
    asked = get_object_or_404(own_company(request, slug).join_requests.select_related("user"), pk=pk)
    wish = request.POST.get("do")
    if wish in ("accept", "decline"):
        accepts = wish == "accept"
        sentence = (
            _("%(user)s belongs to the company now.") % {"user": asked.user}
            if accepts
            else _("%(user)s is told that you declined.") % {"user": asked.user}
        )
        with done(request, sentence):
            role = request.POST.get("role", "")
            members.decide_join(asked, accept=accepts, role=role, by=request.user, now=timezone.now())
    return redirect("company", slug)


def company_member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Change a colleague's role, remove them, or leave."""
    member = get_object_or_404(own_company(request, slug).memberships.select_related("user"), pk=pk)
    now, wish = timezone.now(), request.POST.get("do")
    if wish == "role":
        with done(request, _("%(user)s has another role now.") % {"user": member.user}):
            members.change_role(member, request.POST.get("role", ""), by=request.user, now=now)
    elif wish == "end":
        with done(request, _("%(user)s no longer belongs to the company.") % {"user": member.user}):
            members.end_membership(member, by=request.user, now=now)
    permissions.forget_roles(request.user)
    still_here = bool(permissions.role_of(member.partner, request.user))
    return redirect("company", slug) if still_here else redirect("home")
