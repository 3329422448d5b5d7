"""Draft pages: a form with autosave, prefill from GitHub, and conflict detection."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.models import Membership, Partner
from integrations.partners.selectors import list_editable_partners
from integrations.programs.schema import Program
from integrations.programs.selectors import get_edition_in_force
from integrations.submissions.access import redirect_get_to
from integrations.submissions.forms import requirements
from integrations.submissions.forms.drafts import (
    FORM_FIELDS,
    IntegrationForm,
    bind_form,
    get_naming_hint,
    merge_form_data,
    merge_repository_data,
)
from integrations.submissions.models import IntegrationDraft
from integrations.submissions.services import drafts
from integrations.submissions.views.drafts_shared import (
    answer_autosave,
    find_draft_overlaps,
    get_program,
    handle_draft_refusals,
    has_text,
    list_form_values,
    load_draft,
    parse_version,
    save_input,
)
from integrations.submissions.views.program_catalog import get_program_or_404
from portal.accounts.requests import AuthenticatedRequest, is_authenticated
from portal.core import repository_urls
from portal.core.form_fields import truncate_draft_text
from portal.core.value_types import JsonObject, NamedValues, TemplateContext
from portal.ui.name_confirmation import NameConfirmationForm
from portal.ui.refusals import report_refusals

OWN_SIDE = "mine"
OTHER_SIDE = "theirs"


@login_not_required
def start_integration(request: HttpRequest, program: str) -> HttpResponse:
    """Show the empty form, or create its draft. Visitors can fill it in before they sign in."""
    selected_program = get_program_or_404(program)
    if not is_authenticated(request):
        return show_visitor_form(request, selected_program)
    partners = list_editable_partners(request.user)
    if not partners:
        return redirect_without_partner(request, selected_program)
    if request.method == "POST":
        return create_draft(request, selected_program, partners)
    unsent = request.unsent()
    data = merge_form_data(unsent, {}) if unsent else get_initial_data(request)
    context = build_form_context(selected_program, data) | {"companies": partners}
    context["drafts"] = list_open_drafts(partners, selected_program)
    return render(request, "submissions/draft_new.html", context)


def get_initial_data(request: HttpRequest) -> NamedValues:
    """Return the repository URL that the person entered before, on a page that couldn't read it."""
    return {"repository_address": truncate_draft_text(request.GET.get("repository", ""))}


def build_form_context(program: Program, data: NamedValues) -> TemplateContext:
    edition = get_edition_in_force(program.key)
    return {"program": program, "edition": edition, "form": IntegrationForm(program, edition, initial=data)}


def show_visitor_form(request: HttpRequest, program: Program) -> HttpResponse:
    """Show the form to a visitor. The session stores the input during sign-up or sign-in."""
    if request.method == "POST":
        target = "account_login" if request.POST.get("known") else "account_signup"
        return redirect_to_login(request.path, resolve_url(target))
    context = build_form_context(program, get_initial_data(request)) | {"visitor": True}
    return render(request, "submissions/draft_new.html", context)


def redirect_without_partner(request: HttpRequest, program: Program) -> HttpResponse:
    """Redirect a user without a partner to create one; the session retains the input."""
    is_member = Membership.objects.filter(user=request.user, ended_at=None).exists()  # type: ignore[misc]
    if is_member or permissions.is_program_staff(request.user):
        messages.info(request, _("Only owners and editors of a company can start integrations."))
        return redirect("submissions:program", program.key)
    return redirect(f"{reverse('partners:create')}?next={request.path}")


def list_open_drafts(partners: list[Partner], program: Program) -> list[IntegrationDraft]:
    """Return open drafts of the partners in this program."""
    rows = IntegrationDraft.objects.filter(
        partner__in=partners, program_key=program.key, integration=None, sent_at=None
    ).exclude(version=drafts.EMPTY_DRAFT_VERSION)
    return [draft for draft in rows.select_related("saved_by", "partner")[:10] if has_text(draft.data)]


def create_draft(request: AuthenticatedRequest, program: Program, partners: list[Partner]) -> HttpResponse:
    """Create a draft, or reuse the user's empty one, and save the input."""
    chosen_slug = request.POST.get("partner", "")
    chosen_partner = next((partner for partner in partners if partner.slug == chosen_slug), None)
    data = merge_form_data(request.POST, {})
    now = timezone.now()
    # If the user can no longer edit for the chosen company, colleagues of another one must not see the draft.
    if chosen_partner is None and (chosen_slug or len(partners) > 1):
        context = build_form_context(program, data) | {"companies": partners, "needs_company": True}
        return render(request, "submissions/draft_new.html", context, status=422)
    partner = chosen_partner or partners[0]
    own_drafts = partner.drafts.filter(program_key=program.key, saved_by=request.user, sent_at=None)
    # Each press of the button would otherwise leave an empty draft.
    empty_draft = own_drafts.filter(integration=None, version=drafts.EMPTY_DRAFT_VERSION).first()
    draft = empty_draft or drafts.create_draft(partner, program.key, actor=request.user, now=now)
    if has_text(data):
        draft = drafts.save_draft(draft, data, version=draft.version, actor=request.user, now=now)
    if request.POST.get("then") == "prefill":
        return fill_from_repository(request, draft.uuid)
    return redirect("submissions:confirm_draft" if has_text(data) else "submissions:draft", uuid=draft.uuid)


@handle_draft_refusals
def show_draft(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Show the form of a draft to any member of the partner.

    A POST saves the input, and fills the form from GitHub or shows the confirmation page.
    """
    draft = load_draft(request, uuid)
    if draft.integration is not None and draft.requirement_id:
        return redirect("submissions:requirement", draft.integration.uuid, draft.requirement_id)
    if draft.sent_at is not None:
        return redirect_sent_draft(request, draft)
    if request.method == "POST":
        save_input(request, draft, merge_form_data(request.POST, draft.data))
        # By this address, so that the input of a session that has ended is shown again.
        if request.POST.get("then") == "prefill":
            return fill_from_repository(request, uuid)
        return redirect("submissions:confirm_draft", uuid=uuid)
    unsent = request.unsent()
    data = merge_form_data(unsent, draft.data) if unsent else draft.data
    return render_draft(request, draft, data, unsent)


def render_draft(
    request: HttpRequest, draft: IntegrationDraft, data: NamedValues, unsent: QueryDict | None
) -> HttpResponse:
    """Render the form with data. `unsent`: the form from before a sign-in that the data contains."""
    version = parse_version(unsent) if unsent else draft.version
    return render(request, "submissions/draft.html", build_draft_context(request, draft, data, version))


def build_draft_context(
    request: HttpRequest, draft: IntegrationDraft, data: NamedValues, version: int
) -> dict[str, object]:
    program, edition = get_program(draft)
    form = IntegrationForm(program, edition, initial=data).mark_prefilled(data)
    if "check" in request.GET:
        form = bind_form(program, edition, data)
    can_edit = permissions.can_edit_partner(draft.partner, request.user)
    for field in form.fields.values():
        field.disabled = not can_edit
    return {
        "draft": draft,
        "data": data,
        "version": version,
        "can_edit": can_edit,
        "deletion_form": NameConfirmationForm(draft.title) if has_text(draft.data) else None,
        "form": form,
        "program": program,
        "edition": edition,
        "overlaps": find_draft_overlaps(draft.partner, data),
        "hint": get_naming_hint(program, str(data.get("repository_address", ""))),
        "saved_at": draft.saved_at if draft.version else None,
        "by_other": draft.saved_by if draft.saved_by_id != request.user.pk and draft.version else None,
    }


def redirect_sent_draft(request: HttpRequest, draft: IntegrationDraft) -> HttpResponse:
    if draft.integration is not None:
        return redirect("submissions:detail", draft.integration.uuid)
    messages.info(request, _("This draft was deleted."))
    return redirect("dashboard:home")


@redirect_get_to("submissions:draft")
def autosave_draft(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Save the input of a draft of either kind."""
    draft = load_draft(request, uuid)
    return answer_autosave(lambda: save_input(request, draft, collect_form_data(draft, request)))


def collect_form_data(draft: IntegrationDraft, request: HttpRequest) -> dict[str, object]:
    """Return the data of a draft of either kind."""
    if draft.integration is None:
        return merge_form_data(request.POST, draft.data)
    requirement = draft.integration.edition.get_requirement(draft.requirement_id)
    return requirements.collect_draft_data(requirement, request.POST) if requirement else {}


@handle_draft_refusals
def fill_from_repository(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Fill blank fields from the repository; an error is saved with the draft."""
    draft = load_draft(request, uuid)
    repository_data = repository_urls.fetch_repository(str(draft.data.get("repository_address", "")))
    data = merge_repository_data(draft.data, repository_data)
    drafts.save_draft(draft, data, version=draft.version, actor=request.user, now=timezone.now())
    return redirect("submissions:draft", uuid=uuid)


@handle_draft_refusals
def resolve_conflict(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Save the chosen values on top of the other version. After a sign-in, show them in the form instead."""
    draft = load_draft(request, uuid)
    if request.method == "POST":
        save_input(request, draft, merge_chosen_values(request.POST, draft.data))
    elif draft.sent_at is None and (unsent := request.unsent()):
        return render_draft(request, draft, merge_chosen_values(unsent, draft.data), unsent)
    return redirect("submissions:draft", uuid=uuid)


def merge_chosen_values(form_data: QueryDict, other_data: JsonObject) -> dict[str, object]:
    """Return the data with each field from the chosen side, or from the other version by default."""
    chosen_side = form_data.get("whole", "")
    merged_data = form_data.copy()
    for key in FORM_FIELDS:
        # Without a choice, what is stored already stays.
        is_own_side = (chosen_side or form_data.get(f"take_{key}", OTHER_SIDE)) == OWN_SIDE
        own_values = [
            truncate_draft_text(item) for item in form_data.getlist(f"mine_{key}") if item or key != "offerings"
        ]
        merged_data.setlist(
            key, own_values if is_own_side else list_form_values(other_data.get(key, [] if key == "offerings" else ""))
        )
    return merge_form_data(merged_data, other_data)


def show_overlaps(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Render work similar to the current input as a fragment."""
    draft = load_draft(request, uuid)
    data = merge_form_data(request.GET, draft.data)
    return render(request, "submissions/draft_overlaps.html", {"overlaps": find_draft_overlaps(draft.partner, data)})


@redirect_get_to("submissions:draft")
def discard_draft(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Delete a draft. Unless it is empty, its name must be typed."""
    draft = load_draft(request, uuid)
    form = NameConfirmationForm(draft.title, data=request.POST)
    # An empty draft is deleted without its name, because nothing is lost.
    needs_name = draft.sent_at is None and has_text(draft.data)
    if needs_name and permissions.can_edit_partner(draft.partner, request.user) and not form.is_valid():
        context = build_draft_context(request, draft, draft.data, draft.version)
        return render(request, "submissions/draft.html", context | {"deletion_form": form}, status=422)
    with report_refusals(request, _("Draft deleted.")):
        drafts.discard_draft(draft, actor=request.user, now=timezone.now())
    return redirect("dashboard:home")


@redirect_get_to("submissions:draft")
def restore_draft(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Undo the deletion of a draft."""
    draft = load_draft(request, uuid)
    with report_refusals(request, _("Draft restored.")):
        drafts.restore_draft(draft, actor=request.user, now=timezone.now())
    return redirect("submissions:draft", uuid=uuid)
