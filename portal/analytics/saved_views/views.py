"""Pages to save, rename, delete, and list saved views."""

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from integrations.partners import permissions
from portal.accounts.requests import AuthenticatedRequest
from portal.analytics.models import SavedView
from portal.analytics.saved_views import services
from portal.analytics.saved_views.forms import SavedViewForm, SharableViewForm
from portal.ui.refusals import add_refusals_to_form, report_refusals


def list_saved_views(
    request: HttpRequest, *, renamed: SavedView | None = None, form: Form | None = None
) -> HttpResponse:
    """List the user's saved views, one of them with its invalid form to rename it."""
    views = services.list_visible_views(request.user).order_by("page", "name", "pk")
    rows = [
        {
            "view": view,
            "page": _(services.PAGES[view.page].title),
            "href": services.PAGES[view.page].build_url(view.query),
            "obsolete_filters": ", ".join(services.find_obsolete_filters(services.PAGES[view.page], view.query)),
            "is_own": view.owner_id == request.user.pk,
            "can_change": services.can_change(view, request.user),
            "form": form if view == renamed else SavedViewForm(initial={"name": view.name}, prefix=f"view-{view.pk}"),
        }
        for view in views
    ]
    return render(request, "analytics/saved_views.html", {"rows": rows}, status=422 if form else 200)


def save_view(request: AuthenticatedRequest, page: str) -> HttpResponse:
    """Save a view with the filters in `query`."""
    if not services.can_save(page, request.user):
        messages.error(request, _("You can't save views of this list."))
        return redirect("analytics:saved_views")
    savable_page = services.PAGES[page]
    unsent = request.unsent()
    raw_query = (unsent or request.POST).get("query", "")
    query = services.normalize_query(savable_page, raw_query or request.GET.urlencode())
    form_data = request.POST if request.method == "POST" else unsent
    form_type = SharableViewForm if permissions.can_write_for_programs(request.user) else SavedViewForm
    form = form_type(data=form_data)
    if request.method == "POST" and form.is_valid():
        shared = bool(form.cleaned_data.get("shared"))
        with add_refusals_to_form(form, "name"):
            services.save_view(request.user, page, form.cleaned_data["name"], query, shared=shared, now=timezone.now())
            messages.success(request, _("View “%(name)s” saved.") % {"name": form.cleaned_data["name"]})
            return redirect(savable_page.build_url(query))
    cancel_url = f"{reverse(savable_page.url_name)}?{query}"
    context = {"form": form, "page": savable_page, "query": query, "cancel_url": cancel_url}
    return render(request, "analytics/save_view.html", context, status=422 if request.method == "POST" else 200)


def change_view(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """Rename or delete a view, or set or clear it as the default."""
    if request.method != "POST":
        return redirect("analytics:saved_views")
    view = get_object_or_404(services.list_visible_views(request.user), pk=pk)
    action = request.POST.get("action", "")
    with report_refusals(request):
        if action == "rename":
            return _rename(request, view)
        if action == "delete":
            services.delete_view(view, request.user)
            messages.success(request, _("View “%(name)s” deleted.") % {"name": view.name})
        elif action in ("default", "clear_default"):
            services.set_default(view, request.user, on=action == "default")
            title = _(services.PAGES[view.page].title)
            default_message = _("“%(name)s” is now the default view of “%(title)s”.")
            message = default_message if action == "default" else _("“%(title)s” no longer has a default view.")
            messages.success(request, message % {"title": title, "name": view.name})
    return redirect("analytics:saved_views")


def _rename(request: AuthenticatedRequest, view: SavedView) -> HttpResponse:
    form = SavedViewForm(data=request.POST, prefix=f"view-{view.pk}")
    if form.is_valid():
        with add_refusals_to_form(form, "name"):
            services.rename_view(view, form.cleaned_data["name"], request.user)
            messages.success(request, _("View renamed to “%(name)s”.") % {"name": view.name})
            return redirect("analytics:saved_views")
    return list_saved_views(request, renamed=view, form=form)
