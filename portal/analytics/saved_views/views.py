"""How are saved views kept? Save, rename, delete, open a list with one; and the page of all of them."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from portal.analytics.models import SavedView
from portal.analytics.saved_views import services
from portal.analytics.saved_views.forms import RenameSavedViewForm, SavedViewForm
from portal.core.errors import ActionRefused
from portal.ui.refusals import report_refusal


@dataclass(frozen=True, slots=True)
class SavedViewRow:
    """A view as its page lists it. `gone`: what it asks for that there no longer is."""

    view: SavedView
    page: str
    href: str
    gone: str
    is_own: bool


def list_saved_views(request: HttpRequest) -> HttpResponse:
    """Every view that the person has."""
    return _render_views(request, None)


def _render_views(
    request: HttpRequest, submitted_form: tuple[int, RenameSavedViewForm] | None, status: int = 200
) -> HttpResponse:
    user: Any = request.user
    visible_views = [
        view for view in services.list_visible_views(user).order_by("page", "name", "pk") if view.page in services.PAGES
    ]
    rows = [(_build_row(view, user), _build_form(view, submitted_form)) for view in visible_views]
    return render(request, "analytics/views.html", {"rows": rows}, status=status)


def _build_row(view: SavedView, user: Any) -> SavedViewRow:
    page = services.PAGES[view.page]
    obsolete_filters = ", ".join(services.find_obsolete_filters(page, view.query))
    return SavedViewRow(view, _(page.title), build_url(view), obsolete_filters, view.owner_id == user.pk)


def _build_form(view: SavedView, submitted_form: tuple[int, RenameSavedViewForm] | None) -> RenameSavedViewForm:
    if submitted_form and submitted_form[0] == view.pk:
        return submitted_form[1]
    return RenameSavedViewForm(initial={"name": view.name}, prefix=f"view-{view.pk}")


def build_url(view: SavedView) -> str:
    """Where a view leads: its list, with the words of its address that the list still reads."""
    page = services.PAGES[view.page]
    query = services.normalize_query(page, view.query) or "view=all"
    return f"{reverse(page.name)}?{query}"


def save_view(request: HttpRequest, page: str) -> HttpResponse:
    """Keep the list as the address of `query` shows it; what cannot be is said beside the field."""
    try:
        savable_page = services.get_page(page, request.user)
    except ActionRefused as refusal:
        report_refusal(request, refusal)
        return redirect("views")
    unsent = request.unsent()  # type: ignore[attr-defined]
    raw_query = (unsent or request.POST).get("query", "")
    query = services.normalize_query(savable_page, raw_query or request.GET.urlencode())
    form_data = request.POST if request.method == "POST" else unsent
    form = SavedViewForm(form_data, can_share=permissions.is_program_staff(request.user))
    if request.method == "POST" and form.is_valid():
        shared = bool(form.cleaned_data.get("shared"))
        try:
            services.save_view(request.user, page, form.cleaned_data["name"], query, shared=shared, now=timezone.now())
            messages.success(request, _("Saved as “%(name)s”.") % {"name": form.cleaned_data["name"]})
            return redirect(f"{reverse(page)}?{query or 'view=all'}")
        except ActionRefused as refusal:
            form.add_error("name", str(refusal))
    context = {"form": form, "page": savable_page, "query": query, "back": f"{reverse(page)}?{query}"}
    return render(request, "analytics/view_save.html", context, status=422 if form.is_bound else 200)


def change_view(request: HttpRequest, pk: int) -> HttpResponse:
    """Rename, delete, or open the list with it from now on."""
    if request.method != "POST":
        return redirect("views")
    view, action = get_object_or_404(services.list_visible_views(request.user), pk=pk), request.POST.get("act", "")
    try:
        if action == "rename":
            return _rename(request, view)
        if action == "delete":
            view.delete()
            messages.success(request, _("“%(name)s” is deleted.") % {"name": view.name})
        elif action in ("default", "usual"):
            services.set_default(view, request.user, on=action == "default")
            title = _(services.PAGES[view.page].title)
            default_message = _("The list “%(title)s” opens with “%(name)s” from now on.")
            message = default_message if action == "default" else _("The list “%(title)s” opens as usual from now on.")
            messages.success(request, message % {"title": title, "name": view.name})
    except ActionRefused as refusal:
        report_refusal(request, refusal)
    return redirect("views")


def _rename(request: HttpRequest, view: SavedView) -> HttpResponse:
    form = RenameSavedViewForm(request.POST, prefix=f"view-{view.pk}")
    if form.is_valid():
        try:
            services.rename_view(view, form.cleaned_data["name"])
            messages.success(request, _("It is called “%(name)s” now.") % {"name": view.name})
            return redirect("views")
        except ActionRefused as refusal:
            form.add_error("name", str(refusal))
    return _render_views(request, (view.pk, form), status=422)


urlpatterns = [
    path("saved-views/", list_saved_views, name="views"),
    path("saved-views/save/<slug:page>/", save_view, name="view_save"),
    path("saved-views/<int:pk>/", change_view, name="view_change"),
]
