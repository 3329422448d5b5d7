"""How does an integration begin? A form that saves itself, GitHub's answers, two versions side by side, one sending."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.models import Membership, Partner
from integrations.programs.schema import Program
from integrations.submissions.forms import requirements
from integrations.submissions.forms.drafts import StartForm, bind, filled, naming_hint, typed
from integrations.submissions.models import Draft
from integrations.submissions.services import drafts
from integrations.submissions.services.creation import entering_edition
from integrations.submissions.views.draft_conflicts import conflict_page
from integrations.submissions.views.drafts_shared import (
    companies_of,
    has_text,
    load_draft,
    neighbours,
    program_of,
    version_of,
)
from integrations.submissions.views.mixins import pressed
from integrations.submissions.views.program_catalog import program_or_404
from portal.core import repository_urls
from portal.core.errors import NotAllowed
from portal.ui.refusals import refused


@login_not_required
def start_program(request: HttpRequest, program: str) -> HttpResponse:
    """The empty form; sent, it becomes a draft. A visitor may fill it in and signs in then: nothing is lost."""
    found = program_or_404(program)
    if not request.user.is_authenticated:
        return visitor(request, found)
    companies = companies_of(request.user)
    if not companies:
        return without_company(request, found)
    if request.method == "POST":
        return begin(request, found, companies)
    unsent = request.unsent()  # type: ignore[attr-defined]
    data = typed(unsent, {}) if unsent else {}
    context = start_context(found, data) | {"companies": companies, "unsent": bool(unsent)}
    context["drafts"] = open_drafts(companies, found)
    return render(request, "submissions/start.html", context)


def start_context(found: Program, data: Mapping[str, Any]) -> dict[str, Any]:
    edition = entering_edition(found.key)
    return {"program": found, "edition": edition, "form": StartForm(found, edition, initial=data)}


def visitor(request: HttpRequest, found: Program) -> HttpResponse:
    """Shown without an account; what was sent waits in the session while the person signs up or in."""
    if request.method == "POST":
        target = "account_login" if request.POST.get("known") else "account_signup"
        return redirect_to_login(request.path, resolve_url(target))
    return render(request, "submissions/start.html", start_context(found, {}) | {"visitor": True})


def without_company(request: HttpRequest, found: Program) -> HttpResponse:
    """A company comes first; what waits in the session goes on waiting."""
    belongs = Membership.objects.filter(user=request.user, ended_at=None).exists()  # type: ignore[misc]
    if belongs or permissions.works_for_program(request.user):
        messages.info(request, _("Integrations are begun by owners and editors of the company that builds them."))
        return redirect("program", found.key)
    return redirect(f"{reverse('company_new')}?next={request.path}")


def open_drafts(companies: list[Partner], found: Program) -> list[Draft]:
    """What was begun in this program and not sent, by whoever of the companies."""
    rows = Draft.objects.filter(partner__in=companies, program_key=found.key, integration=None, sent_at=None)
    return [draft for draft in rows.select_related("saved_by", "partner")[:10] if has_text(draft.data)]


def begin(request: HttpRequest, found: Program, companies: list[Partner]) -> HttpResponse:
    """Make the draft, or take up one's own that is still empty, and go on with what was typed."""
    chosen = next((c for c in companies if c.slug == request.POST.get("company")), None)
    if chosen is None and len(companies) > 1:
        context = start_context(found, typed(request.POST, {})) | {"companies": companies, "choose": True}
        return render(request, "submissions/start.html", context, status=422)
    now, partner = timezone.now(), chosen or companies[0]
    own = Draft.objects.filter(partner=partner, program_key=found.key, saved_by=request.user, sent_at=None)  # type: ignore[misc]
    empty = own.filter(integration=None, version=0).first()
    draft = empty or drafts.open_start(partner, found.key, by=request.user, now=now)
    data = typed(request.POST, {})
    if has_text(data):
        draft = drafts.save(draft, data, version=draft.version, by=request.user, now=now)
    if request.POST.get("then") == "prefill":
        return fill(request, draft)
    return redirect("confirm_start", uuid=draft.uuid) if has_text(data) else redirect("draft", uuid=draft.uuid)


def draft(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The form of a draft: whoever of the company opens it goes on where it was left."""
    found = load_draft(request, uuid)
    if found.integration is not None and found.requirement_id:
        return redirect("requirement", found.integration.uuid, found.requirement_id)
    if found.sent_at is not None:
        return sent_already(request, found)
    if request.method == "POST":
        return keep_and_go(request, found)
    unsent = request.unsent()  # type: ignore[attr-defined]
    data = typed(unsent, found.data) if unsent else found.data
    version = version_of(unsent) if unsent else found.version
    return render(request, "submissions/draft.html", draft_context(request, found, data, version, bool(unsent)))


def draft_context(
    request: HttpRequest, found: Draft, data: Mapping[str, Any], version: int, unsent: bool
) -> dict[str, Any]:
    program, edition = program_of(found)
    checked = "check" in request.GET
    form = bind(program, edition, data) if checked else StartForm(program, edition, initial=data).mark(data)
    can_edit = permissions.edits(found.partner, request.user)
    for field in form.fields.values():
        field.disabled = not can_edit
    return {
        "draft": found, "data": data, "version": version, "unsent": unsent, "can_edit": can_edit, "form": form,
        "program": program, "edition": edition, "overlaps": neighbours(found.partner, data),
        "hint": naming_hint(program, str(data.get("repository_address", ""))),
        "saved_at": found.saved_at if found.version else None,
        "by_other": found.saved_by if found.saved_by_id != request.user.pk and found.version else None,
    }  # fmt: skip


def sent_already(request: HttpRequest, found: Draft) -> HttpResponse:
    if found.integration is not None:
        return redirect("integration", found.integration.uuid)
    messages.info(request, _("This draft was thrown away."))
    return redirect("home")


def keep_and_go(request: HttpRequest, found: Draft) -> HttpResponse:
    """Keep what was typed, then to the page that shows all of it before it is sent."""
    kept = keep(request, found)
    return redirect("confirm_start", uuid=kept.uuid) if isinstance(kept, Draft) else kept


def keep(request: HttpRequest, found: Draft) -> Draft | HttpResponse:
    """The draft with what was typed, or the page that says why it could not be kept and shows both versions."""
    data = typed(request.POST, found.data)
    try:
        return drafts.save(found, data, version=version_of(request.POST), by=request.user, now=timezone.now())
    except drafts.Conflict as conflict:
        return conflict_page(request, conflict)
    except NotAllowed as refusal:
        refused(request, refusal)
        return redirect("draft", uuid=found.uuid)


@pressed("draft")
def draft_save(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Keep what is being typed. 204 with the new version; 409 where a colleague's is newer, 410 where it was sent."""
    found = load_draft(request, uuid)
    try:
        kept = drafts.save(
            found, typed_of(found, request), version=version_of(request.POST), by=request.user, now=timezone.now()
        )
    except drafts.Conflict as conflict:
        return HttpResponse(str(conflict), status=409, content_type="text/plain; charset=utf-8")
    except NotAllowed as refusal:
        status = {"gone": 410, "may": 403}.get(refusal.kind, 409)
        return HttpResponse(str(refusal), status=status, content_type="text/plain; charset=utf-8")
    return HttpResponse(status=204, headers={"X-Draft-Version": str(kept.version)})


def typed_of(found: Draft, request: HttpRequest) -> dict[str, Any]:
    """The data of either kind of draft."""
    if found.integration is None:
        return typed(request.POST, found.data)
    requirement = found.integration.edition.requirement(found.requirement_id)
    return requirements.typed(requirement, request.POST) if requirement else {}


@pressed("draft")
def prefill(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Keep what was typed, ask GitHub about the repository, and show the form again."""
    kept = keep(request, load_draft(request, uuid))
    return fill(request, kept) if isinstance(kept, Draft) else kept


def fill(request: HttpRequest, found: Draft) -> HttpResponse:
    """Fill what is still blank with what the repository answers; why it gave nothing is kept for the page."""
    answers = repository_urls.look_up(str(found.data.get("repository_address", "")))
    try:
        drafts.save(found, filled(found.data, answers), version=found.version, by=request.user, now=timezone.now())
    except drafts.Conflict as conflict:
        return conflict_page(request, conflict)
    except NotAllowed as refusal:
        refused(request, refusal)
    return redirect("draft", uuid=found.uuid)


def draft_overlaps(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Who else works on what is typed right now: a fragment, asked for again as name and address change."""
    found = load_draft(request, uuid)
    data = typed(request.GET, found.data)
    return render(request, "submissions/draft_overlaps.html", {"overlaps": neighbours(found.partner, data)})


@pressed("draft")
def draft_discard(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Throw the draft away."""
    found = load_draft(request, uuid)
    try:
        drafts.discard(found, by=request.user, now=timezone.now())
        messages.success(request, _("The draft was thrown away."))
    except NotAllowed as refusal:
        refused(request, refusal)
    return redirect("home")


urlpatterns = [
    path("start/<slug:program>/", start_program, name="start_program"),
    path("drafts/<uuid:uuid>/", draft, name="draft"),
    path("drafts/<uuid:uuid>/save/", draft_save, name="draft_save"),
    path("drafts/<uuid:uuid>/prefill/", prefill, name="prefill"),
    path("drafts/<uuid:uuid>/overlaps/", draft_overlaps, name="draft_overlaps"),
    path("drafts/<uuid:uuid>/discard/", draft_discard, name="draft_discard"),
]
