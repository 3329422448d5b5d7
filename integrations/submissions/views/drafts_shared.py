"""Helpers that the draft pages share, including the comparison of both versions after a conflict."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.models import Partner
from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Edition, Program
from integrations.programs.selectors import get_edition_in_force
from integrations.submissions.forms.drafts import FORM_FIELDS, IntegrationForm
from integrations.submissions.models import IntegrationDraft
from integrations.submissions.selectors.similar import Overlap, WorkDescription, find_overlaps
from integrations.submissions.services import drafts
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.core.repository_urls import InvalidRepositoryUrlError, parse_repository
from portal.core.value_types import JsonObject
from portal.ui.htmx import replace_main
from portal.ui.refusals import show_refusal


def load_draft(request: AuthenticatedRequest, uuid: UUID) -> IntegrationDraft:
    """Return a draft of one of the user's partners. Raises Http404."""
    user = request.user
    rows = IntegrationDraft.objects.filter(uuid=uuid, partner_id__in=list(permissions.get_roles(user)))
    draft = rows.select_related("partner", "integration", "saved_by").first()
    if draft is None:
        raise Http404(_("Draft not found. It doesn't exist, or you don't have access."))
    return draft


def get_program(draft: IntegrationDraft) -> tuple[Program, Edition]:
    """Return the program of a draft and the edition for new integrations."""
    return PROGRAMS[draft.program_key], get_edition_in_force(draft.program_key)


def parse_version(form_data: JsonObject, name: str = "version") -> int:
    """Return a version that the page was rendered with; -1 for an invalid value, which is always outdated."""
    value = str(form_data.get(name, ""))
    # Other digits of Unicode and long numbers would raise errors here or in the database.
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 9 else -1


def save_input(request: AuthenticatedRequest, draft: IntegrationDraft, data: JsonObject) -> IntegrationDraft:
    """Save data on top of the version that the page was rendered with. Raises DraftConflictError and ActionRefused."""
    version = parse_version(request.POST)
    return drafts.save_draft(draft, data, version=version, actor=request.user, now=timezone.now())


def answer_autosave(save: Callable[[], IntegrationDraft]) -> HttpResponse:
    """Return 204 with the new version, 409 for a newer one, 403 without permission, or 410 for a submitted draft."""
    try:
        return HttpResponse(status=204, headers={"X-Draft-Version": str(save().version)})
    except drafts.DraftConflictError as conflict:
        message = str(conflict)
        status = 409
    except ActionRefused as refusal:
        message = str(refusal)
        status = {"invalid-transition": 410, "forbidden": 403}.get(refusal.kind, 409)
    return HttpResponse(message, status=status, content_type="text/plain; charset=utf-8")


def has_text(data: JsonObject) -> bool:
    return any(data.get(key) for key in FORM_FIELDS)


def find_draft_overlaps(partner: Partner, data: JsonObject) -> tuple[Overlap, ...] | None:
    """Return work that is similar to a draft, or None without a name and a repository."""
    try:
        repository = parse_repository(str(data.get("repository_address", "")))
    except InvalidRepositoryUrlError:
        repository = ""
    is_known_repository = bool(repository) and repository.lower() == str(data.get("repository", "")).lower()
    repository_id = data.get("repository_id") if is_known_repository else None
    work = WorkDescription(partner, str(data.get("name", ""))[:80], repository, repository_id)
    return find_overlaps(work) if work.name.strip() or work.repository else None


@dataclass(frozen=True, slots=True)
class DraftFieldComparison:
    """Field in both versions. `own_values` are the values that the page sends back."""

    key: str
    label: str
    own: str
    other: str
    own_values: list[str]


def compare_fields(edition: Edition, own_data: JsonObject, other_data: JsonObject) -> list[DraftFieldComparison]:
    """Return all fields of the form in order."""
    return [
        DraftFieldComparison(
            key,
            str(IntegrationForm.base_fields[key].label),
            format_value(edition, key, own_data),
            format_value(edition, key, other_data),
            list_form_values(own_data.get(key, "")),
        )
        for key in FORM_FIELDS
    ]


def format_value(edition: Edition, key: str, data: JsonObject) -> str:
    value = data.get(key, "")
    if key == "category":
        category = edition.get_category(str(value))
        return category.name if category else str(value)
    return ", ".join(value) if isinstance(value, list) else str(value)


def list_form_values(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def render_conflict(request: AuthenticatedRequest, conflict: drafts.DraftConflictError) -> HttpResponse:
    """Render both versions with status 409, or 200 for htmx, which ignores error pages."""
    draft = conflict.stored_draft
    edition = get_program(draft)[1]
    context = {
        "draft": draft,
        "comparisons": compare_fields(edition, conflict.rejected_data, draft.data),
        "colleague": None if conflict.is_own else draft.saved_by or _("A colleague"),
    }
    page = render(request, "submissions/draft_conflict.html", context, status=200 if request.htmx else 409)
    return replace_main(request, page)


def handle_draft_refusals(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Render both versions after a conflict, or the draft with the message of a refusal."""

    @wraps(view)
    def handle(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
        try:
            return view(request, uuid)
        except drafts.DraftConflictError as conflict:
            return render_conflict(request, conflict)
        except ActionRefused as refusal:
            show_refusal(request, refusal)
            return redirect("submissions:draft", uuid=uuid)

    return handle
