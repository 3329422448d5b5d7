"""Pages that start an integration from an address."""

from dataclasses import dataclass
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.forms.members import PartnerProfileForm
from integrations.partners.models import Membership, Partner
from integrations.partners.views.onboarding import create_partner, list_matching_partners
from integrations.programs.registry import PROGRAMS
from integrations.programs.selectors import get_edition_in_force
from integrations.submissions.forms.drafts import IntegrationForm
from integrations.submissions.selectors.similar import WorkDescription, find_overlaps
from integrations.submissions.views.drafts_shared import list_editable_partners
from integrations.submissions.views.mixins import require_button
from portal.accounts.requests import AuthenticatedRequest, is_authenticated
from portal.core.errors import ActionRefused
from portal.core.repository_urls import parse_repository
from portal.core.value_types import TemplateContext
from portal.jobs.models import Job
from portal.ui.refusals import refusals_in_form, report_refusal
from verification.discovery import presenters, services
from verification.discovery.forms import AddressForm
from verification.discovery.models import Discovery

STOP_POLLING_STATUS = 286  # htmx's own status: swap this response in and stop polling
TEMPLATE = "discovery/discovery.html"


@login_not_required
def enter_address(request: HttpRequest) -> HttpResponse:
    """Ask for an address and have it read. Visitors sign in first; the URL keeps what they entered."""
    form = AddressForm(request.POST or None, initial={"address": request.GET.get("address", "")})
    program = next((key for key in (request.POST.get("program"), request.GET.get("program")) if key in PROGRAMS), "")
    if form.is_valid():
        address = form.cleaned_data["address"]
        if not is_authenticated(request):
            query = urlencode({"address": address} | ({"program": program} if program else {}))
            return redirect_to_login(f"{request.path}?{query}", reverse("account_signup"))
        with refusals_in_form(form):
            discovery = services.start_discovery(address, actor=request.user, now=timezone.now(), program=program)
            return redirect("discovery:discovery", discovery.uuid)
    context = {"form": form, "program": PROGRAMS.get(program), "programs": PROGRAMS.values()}
    return render(request, "discovery/address.html", context, status=422 if form.is_bound else 200)


def load_discovery(request: AuthenticatedRequest, uuid: UUID) -> Discovery:
    """Return the user's discovery. Raises Http404."""
    rows = Discovery.objects.filter(uuid=uuid, requested_by=request.user)
    discovery = rows.select_related("integration").first()
    if discovery is None:
        raise Http404(_("Page not found. Only the person who entered the address can open it."))
    return discovery


@dataclass
class StartForms:
    """Forms of the page: the description, and the company if the user has none."""

    description: IntegrationForm | None
    company: PartnerProfileForm | None

    def are_valid(self) -> bool:
        return all(form.is_valid() for form in (self.description, self.company) if form is not None)


def build_forms(request: AuthenticatedRequest, discovery: Discovery, partners: list[Partner]) -> StartForms:
    """Return the forms with what was read, bound to the input of a POST."""
    data = request.POST if request.method == "POST" else None
    description = company = None
    if discovery.program is not None:
        edition = get_edition_in_force(discovery.program_key)
        description = IntegrationForm(discovery.program, edition, data=data, initial=discovery.values)
        description.mark_prefilled(discovery.values)
    if not partners:
        company = PartnerProfileForm(data, prefix="company", initial={"website": discovery.values.get("homepage", "")})
    return StartForms(description, company)


def show_discovery(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show what was read so far; a POST starts the integration. While it is read, htmx asks for the body only."""
    discovery = load_discovery(request, uuid)
    if discovery.integration is not None:
        return redirect("submissions:detail", discovery.integration.uuid)
    partners = list_editable_partners(request.user)
    forms = build_forms(request, discovery, partners)
    if request.method == "POST" and forms.description is not None and forms.are_valid():
        response = start_integration(request, discovery, partners, forms)
        if response is not None:
            return response
    context = build_page_context(request, discovery, partners, forms)
    if request.htmx:  # type: ignore[attr-defined]
        status = 200 if context["running"] else STOP_POLLING_STATUS
        return render(request, f"{TEMPLATE}#body", context, status=status)
    return render(request, TEMPLATE, context, status=422 if request.method == "POST" else 200)


def start_integration(
    request: AuthenticatedRequest, discovery: Discovery, partners: list[Partner], forms: StartForms
) -> HttpResponse | None:
    """Create the integration, after the company if there is none. Return None if the forms have errors."""
    assert forms.description is not None
    if forms.company is not None:
        try:
            partner = create_partner(request.user, forms.company.cleaned_data)
        except ActionRefused as refusal:
            forms.company.add_error("name", str(refusal))
            return None
    else:
        slug = request.POST.get("company", "")
        partner = next((each for each in partners if each.slug == slug), partners[0])
    values = forms.description.get_values(discovery.values)
    try:
        integration = services.start_integration(discovery, partner, values, actor=request.user, now=timezone.now())
    except ActionRefused as refusal:
        report_refusal(request, refusal)
        return None
    messages.success(request, _("%(name)s started.") % {"name": integration.name})
    return redirect("submissions:detail", integration.uuid)


def build_page_context(
    request: AuthenticatedRequest, discovery: Discovery, partners: list[Partner], forms: StartForms
) -> TemplateContext:
    """Return the context of the page and its body."""
    job = Job.objects.find_unfinished(services.READ_JOB, str(discovery.pk))
    is_member = Membership.objects.filter(user=request.user, ended_at=None).exists()
    context: TemplateContext = {
        "discovery": discovery,
        "running": job is not None and discovery.finished_at is None,
        "progress": job.progress if job is not None else {},
        "facts": presenters.list_facts(discovery),
        "choices": presenters.list_program_choices(discovery),
        "program": discovery.program,
        "form": forms.description,
        "company_form": forms.company,
        "companies": partners,
        "may_start": bool(partners) or not (is_member or permissions.is_program_staff(request.user)),
        "offers": list_matching_partners(request.user, "") if forms.company is not None else [],
    }
    if discovery.program is not None:
        edition = get_edition_in_force(discovery.program_key)
        preview = presenters.build_requirements_preview(discovery, partners)
        context |= {"edition": edition, "preview": preview, "overlaps": list_overlaps(discovery, partners)}
    return context


def list_overlaps(discovery: Discovery, partners: list[Partner]) -> tuple[object, ...]:
    """Return similar work of other partners and of the user's own companies."""
    values = discovery.values
    if not values.get("repository") or not partners:
        return ()
    work = WorkDescription(
        partners[0], str(values["name"])[:80], parse_repository(str(values["repository"])), values.get("repository_id")
    )
    return find_overlaps(work)


@require_button("discovery:discovery")
def select_program(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Check the requirements of the selected program."""
    discovery, program = load_discovery(request, uuid), request.POST.get("program", "")
    if program in PROGRAMS:
        services.select_program(discovery, program)
    return redirect("discovery:discovery", uuid)


urlpatterns = [
    path("new/", enter_address, name="address"),
    path("new/<uuid:uuid>/", show_discovery, name="discovery"),
    path("new/<uuid:uuid>/program/", select_program, name="select_program"),
]
