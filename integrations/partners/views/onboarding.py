"""Pages to create a company, ask to join one, or accept an invitation."""

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from integrations.partners import name_validation
from integrations.partners.forms.members import JoinRequestForm, PartnerProfileForm
from integrations.partners.models import Invitation, JoinRequest, Partner
from integrations.partners.selectors import find_company_domain, list_matching_partners, list_own_partners
from integrations.partners.services import invitation_responses, members, profiles
from portal.accounts.adapters import list_verified_addresses
from portal.accounts.invitations import explain_invitation_refusal
from portal.accounts.models import User
from portal.accounts.requests import AuthenticatedRequest, is_authenticated
from portal.core import crypto
from portal.ui.refusals import add_refusals_to_form, report_refusals


def create_partner_page(request: AuthenticatedRequest) -> HttpResponse:
    """Create a company, or suggest joining a matching one first."""
    form = PartnerProfileForm(request.POST or None, initial=request.unsent())
    name = form.cleaned_data["name"] if form.is_valid() else ""
    matches = list_matching_partners(request.user, name)
    is_taken = bool(name and name_validation.find_similar_partner(name, timezone.now()))
    # A name that is taken goes to the service, whose refusal says what to do.
    if name and (not matches or "anyway" in request.POST or is_taken):
        with add_refusals_to_form(form, "name"):
            partner = profiles.create_partner(
                **form.cleaned_data, domain=find_company_domain(request.user), actor=request.user, now=timezone.now()
            )
            messages.success(request, _("%(name)s created. You are its owner.") % {"name": partner.name})
            return HttpResponseRedirect(get_next_url(request) or resolve_url("partners:members", partner.slug))
    context = build_suggestion_context(request.user, matches) | {
        "form": form,
        "name": name,
        "anyway": bool(matches and name) and not is_taken,
    }
    status = 422 if form.is_bound else 200
    return render(request, "partners/company_new.html", context | build_waiting_context(request.user), status=status)


def get_next_url(request: HttpRequest) -> str:
    """Return the page that the user came from, or an empty string if it is not on this site."""
    target = request.GET.get("next", "")
    return target if url_has_allowed_host_and_scheme(target, {request.get_host()}, request.is_secure()) else ""


def build_suggestion_context(user: User, matches: list[Partner]) -> dict[str, object]:
    """Return the matching companies, and which of them the user can join without a decision."""
    addresses = list_verified_addresses(user)
    joinable_ids = {match.pk for match in matches if members.can_join_by_domain(match, user, addresses)}
    return {"suggestions": matches, "joinable_ids": joinable_ids}


def build_waiting_context(user: User) -> dict[str, object]:
    """Return the user's open invitations and recent join requests."""
    invitations = members.list_open_invitations(timezone.now()).filter(
        email__in=list_verified_addresses(user), invited_by__is_active=True
    )
    join_requests = JoinRequest.objects.filter(user=user).select_related("partner").order_by("-created_at")
    return {
        "invitations": list(invitations.select_related("partner", "invited_by")),
        "join_requests": list(join_requests[:10]),
    }


def join_partner(request: AuthenticatedRequest) -> HttpResponse:
    """Ask to join a suggested company. Without one, show earlier requests and suggestions."""
    slug = request.GET.get("partner", "")
    name = request.GET.get("name", "")[: name_validation.MAX_NAME_LENGTH]
    if not slug:
        matches = list_matching_partners(request.user, "")
        context = build_suggestion_context(request.user, matches) | build_waiting_context(request.user)
        return render(request, "partners/company_joining.html", context)
    partner = next((match for match in list_matching_partners(request.user, name) if match.slug == slug), None)
    if partner is None:
        raise Http404(_("Company not found. Return to the previous page and select a listed company."))
    form = JoinRequestForm(request.POST if request.method == "POST" else None, initial=request.unsent())
    if form.is_valid():
        with report_refusals(
            request,
            _("Request sent to the owners of %(name)s. We email you when they decide.") % {"name": partner.name},
        ):
            members.request_to_join(
                partner, message=form.cleaned_data["message"], actor=request.user, now=timezone.now()
            )
        return redirect("partners:join")
    context = {"form": form, "partner": partner}
    return render(request, "partners/company_join.html", context, status=422 if form.errors else 200)


def join_by_domain(request: AuthenticatedRequest, slug: str) -> HttpResponse:
    """Join a company whose verified domain is that of one of the user's verified addresses."""
    addresses = list_verified_addresses(request.user)
    matches = {match.slug: match for match in list_matching_partners(request.user, "")}
    if request.method != "POST" or slug not in matches:
        return redirect("partners:join")
    with report_refusals(request, _("You joined %(name)s as a viewer.") % {"name": matches[slug].name}):
        members.join_by_domain(matches[slug], addresses=addresses, actor=request.user, now=timezone.now())
        return redirect("partners:members", slug)
    return redirect("partners:join")


def accept_own_invitation(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Accept or decline an invitation to one of the user's addresses without the email link."""
    addresses = list_verified_addresses(request.user)
    invitation = get_object_or_404(Invitation.objects.select_related("partner"), pk=pk, email__in=addresses)
    if request.method != "POST":
        return redirect("partners:create")
    return respond_to_invitation(request, invitation)


def respond_to_invitation(request: AuthenticatedRequest, invitation: Invitation) -> HttpResponse:
    """Decline the invitation if that button was pressed, or accept it."""
    if request.POST.get("action") != "decline":
        return accept_invitation(request, invitation)
    with report_refusals(request, _("You declined the invitation to %(name)s.") % {"name": invitation.partner.name}):
        invitation_responses.decline_invitation(
            invitation, addresses=list_verified_addresses(request.user), actor=request.user, now=timezone.now()
        )
    return redirect("dashboard:home")


def accept_invitation(request: AuthenticatedRequest, invitation: Invitation) -> HttpResponse:
    """Accept the invitation and redirect to the company, or show the refusal on the home page."""
    with report_refusals(request, _("You joined %(name)s.") % {"name": invitation.partner.name}):
        members.accept_invitation(
            invitation, addresses=list_verified_addresses(request.user), actor=request.user, now=timezone.now()
        )
        return redirect("partners:members", invitation.partner.slug)
    return redirect("dashboard:home")


@login_not_required
@never_cache
def show_invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Show an invitation with buttons to accept or decline it, or the reason why the user can't accept it."""
    invitations = Invitation.objects.select_related("partner", "invited_by").filter(token_hash=crypto.hash_token(token))
    invitation = invitations.first()
    if invitation is None:
        return render(request, "partners/invitation_not_found.html", status=404)
    if request.method == "POST":
        if not is_authenticated(request):
            return redirect_to_login(request.path)
        return respond_to_invitation(request, invitation)
    # A visitor's addresses are known after the sign-in, and checked then.
    addresses = list_verified_addresses(request.user) if is_authenticated(request) else [invitation.email]
    refusal = explain_invitation_refusal(invitation, addresses, timezone.now())
    is_member = is_authenticated(request) and list_own_partners(request.user).filter(pk=invitation.partner_id).exists()
    context = {"invitation": invitation, "refusal": refusal, "is_member": is_member}
    return render(request, "partners/invitation.html", context)
