"""How does a person come to a company? They create it, ask to join it, or accept an invitation."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render, resolve_url
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from integrations.partners import name_validation
from integrations.partners.forms.members import CompanyForm, JoinForm
from integrations.partners.models import Invitation, JoinRequest, Partner
from integrations.partners.services import members
from integrations.partners.views.members import done, own_companies
from portal.accounts.adapters import verified_addresses
from portal.core import crypto
from portal.core.errors import NotAllowed


def company_new(request: HttpRequest) -> HttpResponse:
    """Create the company, unless it seems to be here: then asking to join comes first."""
    form = CompanyForm(request.POST or None, initial=request.unsent())  # type: ignore[attr-defined]
    name = form.cleaned_data["name"] if form.is_valid() else ""
    offers, is_taken = offers_to(request.user, name), bool(name and name_validation.twin(name, timezone.now()))
    if name and (not offers or "anyway" in request.POST or is_taken):
        try:
            partner = create(request.user, form.cleaned_data)
        except NotAllowed as refusal:
            form.add_error("name", str(refusal))
        else:
            messages.success(request, _("%(name)s is here now, and you are its owner.") % {"name": partner.name})
            return redirect(way_on(request) or resolve_url("company", partner.slug))
    context = {"form": form, "offers": offers, "name": name, "anyway": bool(offers and name) and not is_taken}
    status = 422 if form.is_bound else 200
    return render(request, "partners/company_new.html", context | waiting_for(request.user), status=status)


def way_on(request: HttpRequest) -> str:
    """Where the person was going before a company was asked of them; blank for nowhere of ours."""
    target = request.GET.get("next", "")
    return target if url_has_allowed_host_and_scheme(target, {request.get_host()}, request.is_secure()) else ""


def create(user: Any, wanted: dict[str, str]) -> Partner:
    """The company with the mail domain of its first person."""
    domain = next((d for d in map(name_validation.domain_of, verified_addresses(user)) if d), "")
    return members.create_partner(wanted["name"], website=wanted["website"], domain=domain, by=user, now=timezone.now())


def offers_to(user: Any, name: str) -> list[Partner]:
    """Companies that a person may mean and does not belong to: never more is shown of them than the name."""
    mine = set(own_companies(user).values_list("pk", flat=True))
    return [
        partner for partner in name_validation.already_here(name, verified_addresses(user)) if partner.pk not in mine
    ]


def waiting_for(user: Any) -> dict[str, Any]:
    """What is under way for a person: invitations to their addresses, and what they asked for."""
    offered = Invitation.objects.filter(
        email__in=verified_addresses(user), accepted_at=None, revoked_at=None, expires_at__gt=timezone.now()
    )
    asked = JoinRequest.objects.filter(user=user).select_related("partner").order_by("-created_at")
    return {"invitations": list(offered.select_related("partner", "invited_by")), "asked": list(asked[:10])}


def company_join(request: HttpRequest) -> HttpResponse:
    """Ask to join a company that was offered; without one, see what became of earlier requests."""
    slug, name = request.GET.get("company", ""), request.GET.get("name", "")[: name_validation.NAME_MAX]
    if not slug:
        context = {"offers": offers_to(request.user, "")} | waiting_for(request.user)
        return render(request, "partners/company_joining.html", context)
    partner = next((offer for offer in offers_to(request.user, name) if offer.slug == slug), None)
    if partner is None:
        raise Http404(_("No company of that name can be joined from here."))
    form = JoinForm(request.POST if request.method == "POST" else None, initial=request.unsent())  # type: ignore[attr-defined]
    if form.is_valid():
        with done(
            request, _("The owners of %(name)s were told. You get a mail when they decide.") % {"name": partner.name}
        ):
            members.ask_to_join(partner, message=form.cleaned_data["message"], by=request.user, now=timezone.now())
        return redirect("company_join")
    return render(request, "partners/company_join.html", {"form": form, "partner": partner})


def company_invited(request: HttpRequest, pk: int) -> HttpResponse:
    """Accept an invitation to one of the person's own addresses, found here rather than in the mail."""
    addresses = verified_addresses(request.user)
    invitation = get_object_or_404(Invitation.objects.select_related("partner"), pk=pk, email__in=addresses)
    if request.method != "POST":
        return redirect("company_new")
    return accept(request, invitation)


def accept(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    """Take the place, then to the company; refused: to the home page with the reason."""
    with done(request, _("You belong to %(name)s now.") % {"name": invitation.partner.name}):
        members.accept_invitation(
            invitation, addresses=verified_addresses(request.user), by=request.user, now=timezone.now()
        )
        return redirect("company", invitation.partner.slug)
    return redirect("home")


@login_not_required
@never_cache
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """What the link of an invitation leads to: who invites whom to what, and the button, or why not."""
    found = Invitation.objects.select_related("partner", "invited_by").filter(token_hash=crypto.token_hash(token))
    offer = found.first()
    if offer is None:
        raise Http404(_("This invitation does not exist, or a newer link took its place."))
    is_known = request.user.is_authenticated
    if request.method == "POST":
        return accept(request, offer) if is_known else redirect_to_login(request.path)
    addresses = verified_addresses(request.user) if is_known else [offer.email]
    refusal = members.invitation_refusal(offer, addresses, timezone.now())
    is_member = is_known and own_companies(request.user).filter(pk=offer.partner_id).exists()
    context = {"invitation": offer, "refusal": refusal, "is_member": is_member, "addresses": addresses}
    return render(request, "partners/invitation.html", context)
