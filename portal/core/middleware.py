"""Middleware for the compression and the cache headers of pages, redirects of htmx requests, and time zones."""

from collections.abc import Callable
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils import timezone

SIGN_IN_PATHS = ("/accounts/", "/profile/second-factor/")
Handler = Callable[[HttpRequest], HttpResponse]


class PublicGzipMiddleware(GZipMiddleware):
    """Compression of public pages and feeds.

    Private pages stay uncompressed, because compression could leak secrets (BREACH). Badges and their files stay
    uncompressed because they are small and must be identical for everyone.
    """

    CONTENT_TYPES = ("text/html", "application/atom+xml", "application/feed+json", "application/xml")

    def process_view(self, request: HttpRequest, view: Callable[..., object], _args: object, _kwargs: object) -> None:
        # Django's `login_not_required` sets this attribute. Views without it are private.
        request.is_public = not getattr(view, "login_required", True)  # type: ignore[attr-defined]

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Return the response, compressed if the view is public and the content is text."""
        is_public = getattr(request, "is_public", False) and not response.streaming
        is_text = response.get("Content-Type", "").startswith(self.CONTENT_TYPES)
        return super().process_response(request, response) if is_public and is_text else response


def redirect_whole_page(get_response: Handler) -> Handler:
    """Make htmx open sign-in pages as whole pages. It would otherwise insert them into the element that it updates."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        path = urlsplit(response.get("Location", "")).path
        if "HX-Request" in request.headers and path.startswith(SIGN_IN_PATHS):
            # Browsers follow a redirect without htmx noticing, so the response must not be one.
            whole_page = HttpResponse(headers={"HX-Redirect": response["Location"]})
            # store_unsent_forms keeps the key of the submitted form in one of them.
            whole_page.cookies = response.cookies
            return whole_page
        return response

    return middleware


def activate_user_zone(get_response: Handler) -> Handler:
    """Activate the time zone of the signed-in user."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.user.is_authenticated and request.user.zone != "UTC":
            with timezone.override(ZoneInfo(request.user.zone)):
                return get_response(request)
        return get_response(request)

    return middleware


def forbid_storing_private_pages(get_response: Handler) -> Handler:
    """Prevent browsers and proxies from storing sign-in pages and the pages of signed-in users.

    The back button then shows nothing after a sign-out. Responses that a view declares public, such as badges, and
    responses of the API keep their own headers.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if is_private(request, response):
            response.headers["Cache-Control"] = "private, no-store"
        return response

    return middleware


def is_private(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Return whether a response is only for the user who requested it."""
    if "public" in response.headers.get("Cache-Control", "") or hasattr(request, "api_token"):
        return False  # before request.user is read, which would make the response vary by cookie
    return request.path.startswith("/accounts/") or request.user.is_authenticated
