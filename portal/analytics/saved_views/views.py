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
from portal.analytics.saved_views.forms import RenameForm, ViewForm
from portal.core.errors import NotAllowed
from portal.ui.refusals import refused


@dataclass(frozen=True, slots=True)
class Row:
    """A view as its page lists it. `gone`: what it asks for that there no longer is."""

    view: SavedView
    page: str
    href: str
    gone: str
    is_own: bool


def views(request: HttpRequest) -> HttpResponse:
    """Every view that the person has."""
    return _listed(request, None)


def _listed(request: HttpRequest, bound: tuple[int, RenameForm] | None, status: int = 200) -> HttpResponse:
    user: Any = request.user
    found = [view for view in services.visible(user).order_by("page", "name", "pk") if view.page in services.PAGES]
    rows = [(_row(view, user), _form(view, bound)) for view in found]
    return render(request, "analytics/views.html", {"rows": rows}, status=status)


def _row(view: SavedView, user: Any) -> Row:
    page = services.PAGES[view.page]
    lost = ", ".join(services.gone(page, view.query))
    return Row(view, _(page.title), address(view), lost, view.owner_id == user.pk)


def _form(view: SavedView, bound: tuple[int, RenameForm] | None) -> RenameForm:
    if bound and bound[0] == view.pk:
        return bound[1]
    return RenameForm(initial={"name": view.name}, prefix=f"view-{view.pk}")


def address(view: SavedView) -> str:
    """Where a view leads: its list, with the words of its address that the list still reads."""
    page = services.PAGES[view.page]
    query = services.normalised(page, view.query) or "view=all"
    return f"{reverse(page.name)}?{query}"


def save_view(request: HttpRequest, page: str) -> HttpResponse:
    """Keep the list as the address of `query` shows it; what cannot be is said beside the field."""
    try:
        found = services.page_of(page, request.user)
    except NotAllowed as refusal:
        refused(request, refusal)
        return redirect("views")
    unsent = request.unsent()  # type: ignore[attr-defined]
    typed = (unsent or request.POST).get("query", "")
    query = services.normalised(found, typed or request.GET.urlencode())
    sent = request.POST if request.method == "POST" else unsent
    form = ViewForm(sent, may_share=permissions.works_for_program(request.user))
    if request.method == "POST" and form.is_valid():
        shared = bool(form.cleaned_data.get("shared"))
        try:
            services.save(request.user, page, form.cleaned_data["name"], query, shared=shared, now=timezone.now())
            messages.success(request, _("Saved as “%(name)s”.") % {"name": form.cleaned_data["name"]})
            return redirect(f"{reverse(page)}?{query or 'view=all'}")
        except NotAllowed as refusal:
            form.add_error("name", str(refusal))
    context = {"form": form, "page": found, "query": query, "back": f"{reverse(page)}?{query}"}
    return render(request, "analytics/view_save.html", context, status=422 if form.is_bound else 200)


def change_view(request: HttpRequest, pk: int) -> HttpResponse:
    """Rename, delete, or open the list with it from now on."""
    if request.method != "POST":
        return redirect("views")
    view, act = get_object_or_404(services.visible(request.user), pk=pk), request.POST.get("act", "")
    try:
        if act == "rename":
            return _rename(request, view)
        if act == "delete":
            view.delete()
            messages.success(request, _("“%(name)s” is deleted.") % {"name": view.name})
        elif act in ("default", "usual"):
            services.set_default(view, request.user, on=act == "default")
            title = _(services.PAGES[view.page].title)
            opens = _("The list “%(title)s” opens with “%(name)s” from now on.")
            said = opens if act == "default" else _("The list “%(title)s” opens as usual from now on.")
            messages.success(request, said % {"title": title, "name": view.name})
    except NotAllowed as refusal:
        refused(request, refusal)
    return redirect("views")


def _rename(request: HttpRequest, view: SavedView) -> HttpResponse:
    form = RenameForm(request.POST, prefix=f"view-{view.pk}")
    if form.is_valid():
        try:
            services.rename(view, form.cleaned_data["name"])
            messages.success(request, _("It is called “%(name)s” now.") % {"name": view.name})
            return redirect("views")
        except NotAllowed as refusal:
            form.add_error("name", str(refusal))
    return _listed(request, (view.pk, form), status=422)


urlpatterns = [
    path("views/", views, name="views"),
    path("views/save/<slug:page>/", save_view, name="view_save"),
    path("views/<int:pk>/", change_view, name="view_change"),
]
