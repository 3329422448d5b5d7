"""Pages to save, rename, delete, and list saved views."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from portal.accounts.requests import AnyUser, AuthenticatedRequest
from portal.analytics.models import SavedView
from portal.analytics.saved_views import services
from portal.analytics.saved_views.forms import RenameSavedViewForm, SavedViewForm
from portal.core.errors import ActionRefused
from portal.ui.refusals import reported_refusals


@dataclass(frozen=True, slots=True)
class SavedViewRow:
    """Row of a saved view. `obsolete_filters` are saved filters that no longer exist."""

    view: SavedView
    page: str
    href: str
    obsolete_filters: str
    is_own: bool


def list_saved_views(request: HttpRequest) -> HttpResponse:
    """List the user's saved views."""
    return _render_views(request, None)


def _render_views(
    request: HttpRequest, submitted_form: tuple[int, RenameSavedViewForm] | None, status: int = 200
) -> HttpResponse:
    user = request.user
    visible_views = [
        view for view in services.list_visible_views(user).order_by("page", "name", "pk") if view.page in services.PAGES
    ]
    rows = [(_build_row(view, user), _build_form(view, submitted_form)) for view in visible_views]
    return render(request, "analytics/saved_views.html", {"rows": rows}, status=status)


def _build_row(view: SavedView, user: AnyUser) -> SavedViewRow:
    page = services.PAGES[view.page]
    obsolete_filters = ", ".join(services.find_obsolete_filters(page, view.query))
    return SavedViewRow(view, _(page.title), build_url(view), obsolete_filters, view.owner_id == user.pk)


def _build_form(view: SavedView, submitted_form: tuple[int, RenameSavedViewForm] | None) -> RenameSavedViewForm:
    if submitted_form and submitted_form[0] == view.pk:
        return submitted_form[1]
    return RenameSavedViewForm(initial={"name": view.name}, prefix=f"view-{view.pk}")


def build_url(view: SavedView) -> str:
    """Return the URL of the list with the view's filters."""
    page = services.PAGES[view.page]
    query = services.normalize_query(page, view.query) or "view=all"
    return f"{reverse(page.url_name)}?{query}"


def save_view(request: AuthenticatedRequest, page: str) -> HttpResponse:
    """Save a view with the filters in `query`."""
    if not services.can_save(page, request.user):
        messages.error(request, _("You can't save views of this list."))
        return redirect("analytics:saved_views")
    savable_page = services.PAGES[page]
    unsent = request.unsent()  # type: ignore[attr-defined]
    raw_query = (unsent or request.POST).get("query", "")
    query = services.normalize_query(savable_page, raw_query or request.GET.urlencode())
    form_data = request.POST if request.method == "POST" else unsent
    form = SavedViewForm(data=form_data, can_share=permissions.is_program_staff(request.user))
    if request.method == "POST" and form.is_valid():
        shared = bool(form.cleaned_data.get("shared"))
        try:
            services.save_view(request.user, page, form.cleaned_data["name"], query, shared=shared, now=timezone.now())
            messages.success(request, _("View “%(name)s” saved.") % {"name": form.cleaned_data["name"]})
            return redirect(f"{reverse(savable_page.url_name)}?{query or 'view=all'}")
        except ActionRefused as refusal:
            form.add_error("name", str(refusal))
    context = {"form": form, "page": savable_page, "query": query, "back": f"{reverse(savable_page.url_name)}?{query}"}
    return render(request, "analytics/save_view.html", context, status=422 if form.is_bound else 200)


def change_view(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Rename or delete a view, or set or clear it as the default."""
    if request.method != "POST":
        return redirect("analytics:saved_views")
    view, action = get_object_or_404(services.list_visible_views(request.user), pk=pk), request.POST.get("act", "")
    with reported_refusals(request):
        if action == "rename":
            return _rename(request, view)
        if action == "delete":
            view.delete()
            messages.success(request, _("View “%(name)s” deleted.") % {"name": view.name})
        elif action in ("default", "usual"):
            services.set_default(view, request.user, on=action == "default")
            title = _(services.PAGES[view.page].title)
            default_message = _("“%(name)s” is now the default view of “%(title)s”.")
            message = default_message if action == "default" else _("“%(title)s” no longer has a default view.")
            messages.success(request, message % {"title": title, "name": view.name})
    return redirect("analytics:saved_views")


def _rename(request: HttpRequest, view: SavedView) -> HttpResponse:
    form = RenameSavedViewForm(request.POST, prefix=f"view-{view.pk}")
    if form.is_valid():
        try:
            services.rename_view(view, form.cleaned_data["name"])
            messages.success(request, _("View renamed to “%(name)s”.") % {"name": view.name})
            return redirect("analytics:saved_views")
        except ActionRefused as refusal:
            form.add_error("name", str(refusal))
    return _render_views(request, (view.pk, form), status=422)


urlpatterns = [
    path("saved-views/", list_saved_views, name="saved_views"),
    path("saved-views/save/<slug:page>/", save_view, name="save_view"),
    path("saved-views/<int:pk>/", change_view, name="change_view"),
]
