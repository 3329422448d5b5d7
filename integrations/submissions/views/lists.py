"""Where is it? The list of integrations with its filters in the address, and the search over everything visible."""

from collections.abc import Callable
from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.vary import vary_on_headers

from integrations.partners import permissions
from integrations.partners.models import Partner
from integrations.programs.models import PublishedProvider
from integrations.programs.registry import PROGRAMS
from integrations.submissions.forms.filters import SORTS, ListFilter
from integrations.submissions.models import Integration
from portal.core.name_matching import name_key
from portal.core.text_fields import searched
from portal.ui.pagination import page_of

FOUND = 20  # shown of each kind of thing on the first page of a search
# The list shows a part of the row: what it does not show is not read.
SHOWN = (
    "uuid", "name", "program_key", "edition_date", "stage", "step", "standing", "tier", "repository",
    "turn_holder", "turn_action", "turn_due_at", "turn_since", "created_at", "partner__name", "partner__slug",
)  # fmt: skip
FILTERS: dict[str, Callable[[str], Q]] = {
    "program": lambda key: Q(program_key=key),
    "stage": lambda stage: Q(stage=stage),
    "category": lambda key: Q(category=key),
    "holder": lambda holder: Q(turn_holder=holder),
    "standing": lambda standing: Q(standing=standing),
    "q": lambda words: worded(words),
}


def worded(words: str) -> Q:
    """Integrations by name, repository or company."""
    found = Q(name__icontains=words) | Q(repository__icontains=words) | Q(partner__name__icontains=words)
    key = name_key(words)
    return found | Q(name_key__contains=key) if key else found


def fitting(rows: QuerySet[Integration], wanted: dict[str, Any]) -> QuerySet[Integration]:
    """The rows that fit every filter, in the order that was asked for."""
    for name, condition in FILTERS.items():
        if wanted.get(name):
            rows = rows.filter(condition(wanted[name]))
    _, order = SORTS.get(wanted.get("sort", ""), SORTS["newest"])
    return rows.order_by(*order)


@vary_on_headers("HX-Request")
def integrations(request: HttpRequest) -> HttpResponse:
    """A partner's own integrations; for people of the program all of them."""
    form = ListFilter(request.GET)
    form.is_valid()
    visible = Integration.objects.visible_to(request.user).select_related("partner").only(*SHOWN)
    page = page_of(request, fitting(visible, form.cleaned_data))
    context = {
        "form": form,
        "page": page,
        "rows": list(page.object_list),
        "is_filtered": any(value for name, value in form.cleaned_data.items() if name != "sort"),
        "for_program": permissions.works_for_program(request.user),
    }
    fragment = request.htmx and not request.htmx.history_restore_request  # type: ignore[attr-defined]
    return render(request, f"submissions/list.html{'#results' if fragment else ''}", context)


def search(request: HttpRequest) -> HttpResponse:
    """One word over integrations, programs and published providers; companies for people of the program."""
    words = searched(request.GET.get("q", ""))
    context: dict[str, Any] = {"q": words, "for_program": permissions.works_for_program(request.user)}
    if words:
        context |= {
            "integrations": page_of(request, found_integrations(request.user, words), FOUND),
            "companies": list(found_companies(words)[:FOUND]) if context["for_program"] else [],
            "programs": [p for p in PROGRAMS.values() if words.lower() in f"{p.name} {p.product} {p.summary}".lower()],
            "published": list(found_published(words)[: FOUND + 1]),
            "most": FOUND,
        }
    return render(request, "submissions/search.html", context)


def found_integrations(user: Any, words: str) -> QuerySet[Integration]:
    visible = Integration.objects.visible_to(user).select_related("partner").only(*SHOWN)
    return visible.filter(worded(words)).order_by("name_key", "pk")


def found_companies(words: str) -> QuerySet[Partner]:
    return Partner.objects.filter(Q(name__icontains=words) | Q(domain__icontains=words)).order_by("name")


def found_published(words: str) -> QuerySet[PublishedProvider]:
    """Published providers, the most used first."""
    found = Q(full_name__icontains=words)
    key = name_key(words)
    rows = PublishedProvider.objects.filter(found | Q(name_key__startswith=key) if key else found)
    return rows.order_by("-downloads", "full_name")


urlpatterns = [
    path("integrations/", integrations, name="integrations"),
    path("search/", search, name="search"),
]
