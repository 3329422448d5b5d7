"""Middleware that opens a list with the user's default saved view.

It applies only to URLs without parameters, and not to navigation within the list, such as “Clear all filters”.
"""

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.deprecation import MiddlewareMixin

from portal.accounts.requests import AuthenticatedRequest, is_authenticated
from portal.analytics.models import SavedView
from portal.analytics.saved_views.services import PAGES_BY_URL_NAME, list_visible_views, normalize_query


class DefaultSavedViewMiddleware(MiddlewareMixin):
    """Redirects a list without parameters to the user's default view."""

    def process_view(self, request: HttpRequest, *_: object) -> HttpResponse | None:
        match = request.resolver_match
        page = PAGES_BY_URL_NAME.get(match.view_name) if match else None
        if page is None or request.method != "GET" or request.GET or not is_authenticated(request):
            return None
        if urlsplit(request.headers.get("Referer", "")).path == request.path:
            return None
        default = next((view for view in load_views(request, page.name) if view.is_default), None)
        query = normalize_query(page, default.query) if default else ""
        return redirect(f"{request.path}?{query}") if query else None


def load_views(request: AuthenticatedRequest, page: str) -> list[SavedView]:
    """Return the user's views of a page. One query per request."""
    views_by_page: dict[str, list[SavedView]] = request.__dict__.setdefault("_saved_views", {})
    if page not in views_by_page:
        views_by_page[page] = list(list_visible_views(request.user).filter(page=page))
    return views_by_page[page]
