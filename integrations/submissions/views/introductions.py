"""Pages for similar integrations and introductions."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.models import Partner, Role
from integrations.submissions.access import load_visible_integration, require_permission
from integrations.submissions.forms.findings import IntroductionRequestForm
from integrations.submissions.models import Integration, Introduction
from integrations.submissions.selectors.similar import find_integration_overlaps
from integrations.submissions.services import introductions
from integrations.submissions.views.draft_confirmation import request_introductions
from portal.accounts.models import User
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.ui.refusals import report_refusals

DECISIONS = {"agree": introductions.accept_introduction, "decline": introductions.decline_introduction}


def show_similar(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show similar work; editors can request introductions."""
    integration = load_visible_integration(request, uuid)
    form = IntroductionRequestForm(request.POST if request.method == "POST" else None, initial=request.unsent())
    if request.method == "POST":
        require_permission(permissions.can_edit, integration, request.user)
        if not request.POST.getlist("introduce"):
            form.add_error(None, _("Select at least one integration."))
        elif form.is_valid():
            request_introductions(request, integration, form.cleaned_data["message"])
            return redirect("submissions:similar", uuid=uuid)
    context = {
        "integration": integration,
        "overlaps": find_integration_overlaps(integration),
        "form": form,
        "can_edit": integration.is_open and permissions.can_edit(integration, request.user),
    }
    return render(request, "submissions/similar_integrations.html", context, status=422 if form.is_bound else 200)


def show_introduction(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Show an introduction. Before both sides agree, neither sees the other's name."""
    introduction = load_introduction(request, pk)
    if request.method == "POST":
        return decide_introduction(request, introduction)
    user = request.user
    state = introduction.state
    is_requester = bool(permissions.get_role(introduction.requester.partner, user))
    is_recipient = bool(permissions.get_role(introduction.recipient.partner, user))
    context = {
        "introduction": introduction,
        "mine": introduction.requester if is_requester else introduction.recipient,
        "is_requester": is_requester,
        "can_answer": permissions.can_edit(introduction.recipient, user) and state == Introduction.State.ASKED,
        # Before both sides agree, no name, company, or address of the other side may reach the page.
        "contacts": list_contacts(introduction) if state == Introduction.State.AGREED else [],
        "for_program": not (is_requester or is_recipient),
    }
    return render(request, "submissions/introduction.html", context)


def load_introduction(request: HttpRequest, pk: int) -> Introduction:
    """Return an introduction that the user can see. Raises Http404."""
    rows = Introduction.objects.visible_to(request.user).filter(pk=pk)
    introduction = rows.select_related("requester__partner", "recipient__partner", "asked_by", "decided_by").first()
    if introduction is None:
        raise Http404(_("Introduction not found. It doesn't exist, or you don't have access."))
    return introduction


def decide_introduction(request: AuthenticatedRequest, introduction: Introduction) -> HttpResponse:
    """Accept or decline an introduction."""
    with report_refusals(request):
        if request.POST.get("answer") not in DECISIONS:
            raise ActionRefused(_("Select Accept or Decline."), "validation-error")
        DECISIONS[request.POST["answer"]](introduction, actor=request.user, now=timezone.now())
    return redirect("submissions:introduction", introduction.pk)


def list_contacts(introduction: Introduction) -> list[tuple[Integration, list[User]]]:
    """Return both integrations with their contacts: the two people involved, or the owners if they left."""
    sides = ((introduction.requester, introduction.asked_by), (introduction.recipient, introduction.decided_by))
    return [(integration, list_contact_users(integration.partner, user)) for integration, user in sides]


def list_contact_users(partner: Partner, preferred_user: User | None) -> list[User]:
    # The person who agreed may have left the company since.
    preferred_users = [user for user in partner.list_members() if user == preferred_user]
    return preferred_users or partner.list_members(Role.OWNER)
