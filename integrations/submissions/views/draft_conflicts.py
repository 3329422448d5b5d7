"""Resolution of draft conflicts: both versions side by side, without loss."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.translation import gettext as _

from integrations.programs.schema import Edition
from integrations.submissions.forms.drafts import FORM_FIELDS, IntegrationForm, merge_form_data
from integrations.submissions.services import drafts
from integrations.submissions.views.access import redirect_get_to
from integrations.submissions.views.drafts_shared import get_program, load_draft, save_input
from portal.accounts.requests import AuthenticatedRequest
from portal.core.errors import ActionRefused
from portal.core.form_fields import truncate_draft_text
from portal.core.value_types import JsonObject
from portal.ui.refusals import show_refusal

OWN_SIDE, OTHER_SIDE = "mine", "theirs"
HTMX_HEADERS = {"HX-Retarget": "#main", "HX-Reselect": "#main", "HX-Reswap": "outerHTML"}


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


def render_conflict(request: HttpRequest, conflict: drafts.DraftConflictError) -> HttpResponse:
    """Render both versions with status 409, or 200 for htmx, which ignores error pages."""
    draft = conflict.stored_draft
    edition = get_program(draft)[1]
    context = {
        "draft": draft,
        "comparisons": compare_fields(edition, conflict.rejected_data, draft.data),
        "colleague": None if conflict.is_own else draft.saved_by or _("A colleague"),
    }
    page = render(request, "submissions/draft_conflict.html", context, status=200 if request.htmx else 409)  # type: ignore[attr-defined]
    if request.htmx:  # type: ignore[attr-defined]
        for name, value in HTMX_HEADERS.items():
            page.headers[name] = value
    return page


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


@redirect_get_to("submissions:draft")
@handle_draft_refusals
def resolve_conflict(request: AuthenticatedRequest, uuid: UUID) -> HttpResponse:
    """Save the chosen values on top of the other version."""
    draft = load_draft(request, uuid)
    save_input(request, draft, merge_chosen_values(request, draft.data))
    return redirect("submissions:draft", uuid=uuid)


def merge_chosen_values(request: HttpRequest, other_data: JsonObject) -> dict[str, object]:
    """Return the data with each field from the chosen side, or from the other version by default."""
    form_data, chosen_side = request.POST, request.POST.get("whole", "")
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


urlpatterns = [path("drafts/<uuid:uuid>/resolve/", resolve_conflict, name="resolve_draft_conflict")]
