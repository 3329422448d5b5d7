"""Two pages typed into one draft: what did each write, and which stays? Nothing is lost before somebody chose."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone

from integrations.programs.schema import Edition
from integrations.submissions.forms.drafts import LABELS, START_KEYS, typed
from integrations.submissions.services import drafts
from integrations.submissions.views.drafts_shared import load_draft, program_of, version_of
from integrations.submissions.views.mixins import pressed
from portal.core.errors import NotAllowed
from portal.core.form_fields import bounded
from portal.ui.refusals import refused

MINE, THEIRS = "mine", "theirs"
INTO_PAGE = {"HX-Retarget": "#main", "HX-Reselect": "#main", "HX-Reswap": "outerHTML"}


@dataclass(frozen=True, slots=True)
class Side:
    """One field in both versions: as shown, and the values of mine as the page carries them along."""

    key: str
    label: str
    mine: str
    theirs: str
    carried: list[str]

    @property
    def same(self) -> bool:
        return self.mine == self.theirs


def sides(edition: Edition, mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[Side]:
    """Every field of the form, in its order."""
    return [
        Side(key, str(LABELS[key]), shown(edition, key, mine), shown(edition, key, theirs), carried(mine.get(key, "")))
        for key in sorted(START_KEYS, key=list(LABELS).index)
    ]


def shown(edition: Edition, key: str, data: Mapping[str, Any]) -> str:
    value = data.get(key, "")
    if key == "category":
        category = edition.category(str(value))
        return category.name if category else str(value)
    return ", ".join(value) if isinstance(value, list) else str(value)


def carried(value: Any) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else [str(value)]


def conflict_page(request: HttpRequest, conflict: drafts.Conflict) -> HttpResponse:
    """Both versions side by side. Status 409; for htmx 200, so that the page is taken in."""
    draft = conflict.theirs
    _, edition = program_of(draft)
    context = {
        "draft": draft,
        "sides": sides(edition, conflict.mine, draft.data),
        "colleague": None if conflict.is_own else draft.saved_by or "A colleague",
    }
    page = render(request, "submissions/conflict.html", context, status=200 if request.htmx else 409)  # type: ignore[attr-defined]
    if request.htmx:  # type: ignore[attr-defined]
        for name, value in INTO_PAGE.items():
            page.headers[name] = value
    return page


@pressed("draft")
def resolve(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Keep the mixture that was chosen, on top of the other version that was shown."""
    found = load_draft(request, uuid)
    data = chosen(request, found.data)
    try:
        drafts.save(found, data, version=version_of(request.POST), by=request.user, now=timezone.now())
    except drafts.Conflict as conflict:
        return conflict_page(request, conflict)
    except NotAllowed as refusal:
        refused(request, refusal)
    return redirect("draft", uuid=uuid)


def chosen(request: HttpRequest, theirs: Mapping[str, Any]) -> dict[str, Any]:
    """The draft's data with every field taken from the side that the person chose; theirs where nothing was."""
    post, whole = request.POST, request.POST.get("whole", "")
    mixture = post.copy()
    for key in START_KEYS:
        from_mine = (whole or post.get(f"take_{key}", THEIRS)) == MINE
        own = [bounded(each) for each in post.getlist(f"mine_{key}") if each or key != "offerings"]
        mixture.setlist(key, own if from_mine else carried(theirs.get(key, [] if key == "offerings" else "")))
    return typed(mixture, theirs)


urlpatterns = [path("drafts/<uuid:uuid>/resolve/", resolve, name="draft_resolve")]
