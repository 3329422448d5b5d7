"""Cache headers of pages that are for one person."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

Handler = Callable[[HttpRequest], HttpResponseBase]
SIGN_IN_PAGES = "/accounts/"


def forbid_storing_private_pages(get_response: Handler) -> Handler:
    """Let no browser or proxy store what a signed-in person sees, or a sign-in page.

    After signing out, the browser's back button then shows nothing. What a view declares public, such as a badge, is
    the same for everybody and stays as it is; so do answers of the API, which sets its own headers.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if is_private(request, response):
            response.headers["Cache-Control"] = "private, no-store"
        return response

    return middleware


def is_private(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Return whether a response is for the person who asked, and for nobody else."""
    if "public" in response.headers.get("Cache-Control", "") or hasattr(request, "api_token"):
        return False  # before the person is looked up: that would make the response depend on the cookie
    return request.path.startswith(SIGN_IN_PAGES) or request.user.is_authenticated
