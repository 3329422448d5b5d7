"""Pages of a partner: its members, invitations, and join requests, and the change of its name and website."""

from collections.abc import Mapping

from django.contrib import messages
from django.db.models import Case, When
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions, refusals, selectors
from integrations.partners.forms.members import InvitationForm, PartnerProfileForm, RoleForm
from integrations.partners.models import JoinRequest, Membership, Partner
from integrations.partners.selectors import list_own_partners
from integrations.partners.services import contacts, members, profiles
from portal.accounts.requests import AuthenticatedRequest
from portal.core.form_fields import send_initial_values
from portal.core.value_types import TemplateContext
from portal.ui.name_confirmation import NameConfirmationForm
from portal.ui.pagination import paginate, redirect_to_list
from portal.ui.refusals import add_refusals_to_form, report_refusals

PAGE_SIZE = 20


def get_own_partner(request: AuthenticatedRequest, slug: str) -> Partner:
    """Return a partner of the user. Raises Http404 for others."""
    return get_object_or_404(list_own_partners(request.user).select_related("alliances_manager"), slug=slug)


def show_partner(request: AuthenticatedRequest, slug: str = "") -> HttpResponse:
    """Show a partner's page. Without a slug, show the user's only partner or a list."""
    if slug:
        # Links in emails and bookmarks still lead to the company that was merged.
        if target := list_own_partners(request.user).filter(merged_partners__slug=slug).first():
            return redirect("partners:members", target.slug)
        return render(request, "partners/company.html", build_partner_context(request, get_own_partner(request, slug)))
    partners = list(list_own_partners(request.user))
    if len(partners) == 1:
        return redirect("partners:members", partners[0].slug)
    if not partners:
        return redirect("partners:create")
    return render(request, "partners/companies.html", {"companies": partners})


def build_partner_context(
    request: HttpRequest,
    partner: Partner,
    form: InvitationForm | None = None,
    removal_forms: Mapping[int, NameConfirmationForm] | None = None,
) -> TemplateContext:
    """Return members and history, and for owners also invitations and join requests.

    `removal_forms`: refused forms that remove members, by the ID of the membership.
    """
    can_manage = permissions.can_manage_partner(partner, request.user)
    return {
        "partner": partner,
        "can_manage": can_manage,
        "state_reason": selectors.get_state_reason(partner),
        "page": paginate(request, selectors.get_history(partner, with_people=can_manage), PAGE_SIZE),
        "invite_form": form or InvitationForm(),
        **_build_members_context(request, partner, removal_forms or {}),
        **(_build_admission_context(request, partner) if can_manage else {}),
    }


def _build_members_context(
    request: HttpRequest, partner: Partner, removal_forms: Mapping[int, NameConfirmationForm]
) -> TemplateContext:
    """Return a page of the members with their forms. A refused form is on the first page."""
    memberships = Membership.objects.filter(partner=partner, ended_at=None).select_related("user")
    refused_first = [Case(When(pk__in=list(removal_forms), then=0), default=1)] if removal_forms else []
    page = paginate(request, memberships.order_by(*refused_first, "joined_at", "pk"), PAGE_SIZE, parameter="members")
    rows = []
    for membership in page:
        role_form = RoleForm(initial={"role": membership.role}, auto_id=f"member-{membership.pk}-%s")
        removal_form = removal_forms.get(membership.pk) or build_removal_form(membership)
        rows.append((membership, role_form, removal_form))
    return {"members": rows, "member_page": page, "has_owner": selectors.has_active_owner(partner, page)}


def _build_admission_context(request: HttpRequest, partner: Partner) -> TemplateContext:
    """Return a page of the join requests with their forms, and one of the open invitations."""
    waiting = partner.join_requests.filter(state=JoinRequest.State.WAITING).select_related("user")
    page = paginate(request, waiting.order_by("created_at", "pk"), PAGE_SIZE, parameter="requests")
    rows = [(each, RoleForm(initial={"role": "viewer"}, auto_id=f"request-{each.pk}-%s")) for each in page]
    invitations = members.list_open_invitations(timezone.now()).filter(partner=partner).select_related("invited_by")
    return {
        "requests": rows,
        "request_page": page,
        "invitations": paginate(
            request, invitations.order_by("-created_at", "-pk"), PAGE_SIZE, parameter="invitations"
        ),
    }


def edit_partner_profile(request: AuthenticatedRequest, slug: str) -> HttpResponse:
    """Change name and website. Members who aren't owners see who can."""
    partner = get_own_partner(request, slug)
    if not permissions.can_manage_partner(partner, request.user):
        messages.error(request, refusals.get_refusal("can_manage"))
        return redirect("partners:members", slug)
    form_data = request.POST if request.method == "POST" else request.unsent()
    form = PartnerProfileForm(form_data, initial={"name": partner.name, "website": partner.website})
    send_initial_values(form)
    if request.method == "POST" and form.is_valid():
        # Only what the user edited: a page that was opened earlier must not revert a colleague's change.
        changes = {name: form.cleaned_data[name] for name in form.changed_data}
        with add_refusals_to_form(form, "name"):
            profiles.change_profile(partner, **changes, actor=request.user, now=timezone.now())
            messages.success(request, _("Company profile saved."))
            return redirect("partners:members", slug)
    status = 422 if request.method == "POST" else 200
    return render(request, "partners/company_change.html", {"form": form, "partner": partner}, status=status)


def invite_member(request: AuthenticatedRequest, slug: str) -> HttpResponse:
    """Invite someone by email."""
    partner = get_own_partner(request, slug)
    form = InvitationForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        email = form.cleaned_data["email"]
        role = form.cleaned_data["role"]
        with add_refusals_to_form(form, "email"):
            sent_invitation = members.send_invitation(partner, email, role, actor=request.user, now=timezone.now())
            messages.success(request, _("Invitation sent to %(email)s.") % {"email": sent_invitation.email})
            return redirect_to_list(request, "partners:members", slug)
    if not form.is_bound:  # a link to another page beside a refused form, which keeps the URL of the form
        return redirect_to_list(request, "partners:members", slug)
    return render(request, "partners/company.html", build_partner_context(request, partner, form), status=422)


def change_invitation(request: AuthenticatedRequest, slug: str, pk: int) -> HttpResponse:
    """Resend an invitation with a new link, or revoke it."""
    partner = get_own_partner(request, slug)
    invitation = get_object_or_404(partner.invitations, pk=pk)
    now = timezone.now()
    requested_action = request.POST.get("action")
    if requested_action == "resend":
        with report_refusals(
            request,
            _("New invitation sent to %(email)s. The earlier link no longer works.") % {"email": invitation.email},
        ):
            members.resend_invitation(invitation, actor=request.user, now=now)
    elif requested_action == "revoke":
        with report_refusals(request, _("Invitation to %(email)s revoked.") % {"email": invitation.email}):
            members.revoke_invitation(invitation, actor=request.user, now=now)
    return redirect_to_list(request, "partners:members", slug)


def confirm_contacts(request: AuthenticatedRequest, slug: str) -> HttpResponse:
    """Confirm the contacts of the company."""
    partner = get_own_partner(request, slug)
    if request.method == "POST":
        with report_refusals(request, _("You confirmed the contacts of %(name)s.") % {"name": partner.name}):
            contacts.confirm_contacts(partner, actor=request.user, now=timezone.now())
    return redirect_to_list(request, "partners:members", slug)


def decide_join_request(request: AuthenticatedRequest, slug: str, pk: int) -> HttpResponse:
    """Accept a join request with a role, or decline it."""
    join_request = get_object_or_404(get_own_partner(request, slug).join_requests.select_related("user"), pk=pk)
    requested_action = request.POST.get("action")
    if requested_action in ("accept", "decline"):
        accept = requested_action == "accept"
        role = request.POST.get("role", "")
        message = _("%(user)s joined the company.") if accept else _("Request declined. We notify %(user)s by email.")
        with report_refusals(request, message % {"user": join_request.user}):
            members.decide_join_request(join_request, accept=accept, role=role, actor=request.user, now=timezone.now())
    return redirect_to_list(request, "partners:members", slug)


def build_removal_form(membership: Membership, data: QueryDict | None = None) -> NameConfirmationForm:
    """Return the form that removes a member, who is named as in the list."""
    return NameConfirmationForm(str(membership.user), data=data, auto_id=f"end-{membership.pk}-%s")


def change_member(request: AuthenticatedRequest, slug: str, pk: int) -> HttpResponse:
    """Change a member's role, transfer the ownership, remove a member, or leave."""
    membership = get_object_or_404(get_own_partner(request, slug).memberships.select_related("user"), pk=pk)
    now = timezone.now()
    requested_action = request.POST.get("action")
    if requested_action == "role":
        role = request.POST.get("role", "")
        message = _("%(user)s already has this role.") if role == membership.role else _("Role of %(user)s changed.")
        with report_refusals(request, message % {"user": membership.user}):
            members.change_role(membership, role, actor=request.user, now=now)
    elif requested_action == "transfer":
        with report_refusals(request, _("%(user)s is now an owner. You are an editor.") % {"user": membership.user}):
            members.transfer_ownership(membership, actor=request.user, now=now)
    elif requested_action == "end":
        form = build_removal_form(membership, data=request.POST)
        # A wrong click could end a colleague's access, so removing someone asks for the name. The service refuses
        # everything else.
        can_remove = permissions.can_manage_partner(membership.partner, request.user) and not membership.ended_at
        if can_remove and membership.user != request.user and not form.is_valid():
            context = build_partner_context(request, membership.partner, removal_forms={membership.pk: form})
            return render(request, "partners/company.html", context, status=422)
        with report_refusals(request, _("%(user)s is no longer a member of the company.") % {"user": membership.user}):
            members.end_membership(membership, actor=request.user, now=now)
    # The user may have left the company or handed over the ownership.
    permissions.clear_cached_roles(request.user)
    is_still_member = bool(permissions.get_role(membership.partner, request.user))
    return redirect_to_list(request, "partners:members", slug) if is_still_member else redirect("dashboard:home")
