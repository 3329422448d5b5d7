"""Pages that start an integration from an address."""

from uuid import UUID

from allauth.core.internal import ratelimit
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _, ngettext

from integrations.partners.models import Partner
from integrations.partners.selectors import has_single_partner
from integrations.programs.registry import PROGRAMS
from integrations.programs.selectors import get_edition_in_force
from integrations.submissions.access import redirect_get_to
from integrations.submissions.selectors.similar import WorkDescription, find_overlaps
from portal.accounts.requests import AuthenticatedRequest, is_authenticated
from portal.core.errors import ActionRefused
from portal.core.value_types import TemplateContext
from portal.github_access import services as github_access
from portal.jobs.models import Job
from portal.ui.htmx import STOP_POLLING_STATUS
from portal.ui.refusals import add_refusals_to_form
from verification.discovery import presenters, provider_rows, services
from verification.discovery.addresses import AddressKind
from verification.discovery.company_choice import CompanyChoice, build_company_choice
from verification.discovery.forms import AddressForm, NamespaceForm, StartForm
from verification.discovery.imports import ImportOutcome, import_providers, load_rows
from verification.discovery.models import Discovery

TEMPLATE = "discovery/discovery.html"
# Reading again costs as many requests as a new address, so it has the same limit.
RATE_LIMIT = {"read_again": f"{services.MAX_PER_HOUR}/h/user"}


@login_not_required
def enter_address(request: HttpRequest) -> HttpResponse:
    """Ask for an address, then start to read it. Visitors sign in first; the URL keeps what they entered."""
    data = request.POST if request.method == "POST" else None
    form = AddressForm(data, initial={"address": request.GET.get("address", "")})
    requested_program = request.POST.get("program") or request.GET.get("program", "")
    program = requested_program if requested_program in PROGRAMS else ""
    if form.is_valid():
        address = form.cleaned_data["address"]
        if not is_authenticated(request):
            query = urlencode({"address": address} | ({"program": program} if program else {}))
            return redirect_to_login(f"{request.path}?{query}", reverse("account_signup"))
        with add_refusals_to_form(form):
            discovery = services.start_discovery(address, actor=request.user, now=timezone.now(), program=program)
            return redirect("discovery:discovery", discovery.uuid)
    context = {
        "form": form,
        "program": PROGRAMS.get(program),
        "programs": PROGRAMS.values(),
        "has_single_partner": has_single_partner(request.user),
        "has_github": github_access.is_available(),
    }
    return render(request, "discovery/address.html", context, status=422 if form.is_bound else 200)


def load_discovery(request: AuthenticatedRequest, uuid: UUID) -> Discovery:
    """Return the user's discovery. Raises Http404."""
    # The reading can contain facts of a private repository that only this person can see.
    rows = Discovery.objects.filter(uuid=uuid, requested_by=request.user)
    discovery = rows.select_related("integration").first()
    if discovery is None:
        raise Http404(_("Page not found. Only the person who entered the address can open it."))
    return discovery


def show_discovery(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show what was read so far; a POST starts the integration. While it is read, htmx asks for the body only."""
    discovery = load_discovery(request, uuid)
    if discovery.integration is not None:
        return redirect("submissions:detail", discovery.integration.uuid)
    company = build_company_choice(request, discovery.values.get("homepage", ""))
    form = build_form(request, discovery)
    if request.method == "POST" and company.can_start:
        response = handle_input(request, discovery, form, company)
        if response is not None:
            return response
    context = build_page_context(discovery, company, form)
    if request.htmx:
        status = 200 if context["running"] else STOP_POLLING_STATUS
        return render(request, f"{TEMPLATE}#body", context, status=status)
    return render(request, TEMPLATE, context, status=422 if request.method == "POST" else 200)


def build_form(request: HttpRequest, discovery: Discovery) -> StartForm | NamespaceForm | None:
    """Return the form with what was read, bound to the input of a POST; None without a program."""
    if discovery.program is None:
        return None
    data = request.POST if request.method == "POST" else None
    edition = get_edition_in_force(discovery.program_key)
    if discovery.is_namespace:
        initial = {"offerings": discovery.values.get("offerings", [])}
        return NamespaceForm(edition, load_rows(discovery), data=data, initial=initial)
    form = StartForm(discovery.program, edition, data=data, initial=discovery.values)
    form.mark_prefilled(discovery.values)
    return form


def handle_input(
    request: AuthenticatedRequest, discovery: Discovery, form: StartForm | NamespaceForm | None, company: CompanyChoice
) -> HttpResponse | None:
    """Start the requested integrations. Return None for invalid input."""
    if form is None:
        return None
    is_form_valid = form.is_valid()
    # Validated even if the first form is invalid, so that both show their errors.
    is_company_valid = company.is_valid()
    if not is_form_valid or not is_company_valid:
        return None
    try:
        if isinstance(form, NamespaceForm):
            return import_selected(request, discovery, form, company)
        return start_integration(request, discovery, form, company)
    except ActionRefused as refusal:
        company.show_refusal(refusal)
        return None


def import_selected(
    request: AuthenticatedRequest, discovery: Discovery, form: NamespaceForm, company: CompanyChoice
) -> HttpResponse:
    """Import the selected providers and return to the page, which has the summary. Raises ActionRefused."""
    categories = form.get_categories()
    offerings = form.cleaned_data["offerings"]
    rows = import_providers(
        discovery, company.get_partner, categories, offerings, actor=request.user, now=timezone.now()
    )
    count = sum(row.outcome == ImportOutcome.CREATED for row in rows)
    text = ngettext("%(count)s integration started.", "%(count)s integrations started.", count) % {"count": count}
    # A repeated request creates nothing, so there is no success to report.
    messages.add_message(request, messages.SUCCESS if count else messages.INFO, text)
    return redirect("discovery:discovery", discovery.uuid)


def start_integration(
    request: AuthenticatedRequest, discovery: Discovery, form: StartForm, company: CompanyChoice
) -> HttpResponse:
    """Create the integration, after the company if there is none. Raises ActionRefused."""
    integration = services.start_integration(
        discovery, company.get_partner, form.get_values(discovery.values), actor=request.user, now=timezone.now()
    )
    messages.success(request, _("%(name)s started.") % {"name": integration.name})
    return redirect("submissions:detail", integration.uuid)


def build_page_context(
    discovery: Discovery, company: CompanyChoice, form: StartForm | NamespaceForm | None
) -> TemplateContext:
    """Return the context of the page and its body."""
    job = Job.objects.find_unfinished(services.READ_JOB, str(discovery.pk))
    # A job that ended after the row was read has finished, and the row doesn't say so yet.
    is_running = job is not None or discovery.finished_at is None
    context: TemplateContext = {
        "discovery": discovery,
        "repository": discovery.address if discovery.kind == AddressKind.REPOSITORY else "",
        "running": is_running,
        "poll_url": reverse("discovery:discovery", args=[discovery.uuid]) if is_running else "",
        "progress": job.progress if job is not None else {},
        "facts": presenters.list_facts(discovery),
        "choices": presenters.list_program_choices(discovery),
        "program": discovery.program,
        "form": form,
        "company": company,
        "can_connect": discovery.kind == AddressKind.REPOSITORY and github_access.is_available(),
        "grant": github_access.find_grant(discovery.requested_by),
    }
    if isinstance(form, NamespaceForm):
        context["providers"] = provider_rows.list_providers(form, company.partners)
        context["imported"] = provider_rows.list_imported_rows(discovery)
    elif discovery.program is not None:
        preview = presenters.build_requirements_preview(discovery, company.partners)
        context |= {"preview": preview, "overlaps": list_overlaps(discovery, company.partners)}
    return context


def list_overlaps(discovery: Discovery, partners: list[Partner]) -> tuple[object, ...]:
    """Return similar work of other partners and of the user's own companies."""
    values = discovery.values
    if not values.get("repository") or not partners:
        return ()
    repository = str(values["repository"])  # as GitHub names it
    name = str(values["name"])[:80]
    return find_overlaps(WorkDescription(partners[0], name, repository, values.get("repository_id")))


@redirect_get_to("discovery:discovery")
def select_program(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Read the address again for the selected program, or for the one that is recognized."""
    discovery = load_discovery(request, uuid)
    program = request.POST.get("program", "")
    if not ratelimit.consume(request, app="discovery", action="read_again", config=RATE_LIMIT):
        messages.error(request, _("Too many attempts in the last hour. Try again later."))
    elif program in PROGRAMS or not program:
        services.select_program(discovery, program)
    return redirect("discovery:discovery", uuid)
