"""Cache headers of private pages."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

Handler = Callable[[HttpRequest], HttpResponseBase]
SIGN_IN_PAGES = "/accounts/"


def forbid_storing_private_pages(get_response: Handler) -> Handler:
    """Prevent browsers and proxies from storing sign-in pages and the pages of signed-in users.

    The back button then shows nothing after a sign-out. Responses that a view declares public, such as badges, and
    responses of the API keep their own headers.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if is_private(request, response):
            response.headers["Cache-Control"] = "private, no-store"
        return response

    return middleware


def is_private(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Return whether a response is only for the user who requested it."""
    if "public" in response.headers.get("Cache-Control", "") or hasattr(request, "api_token"):
        return False  # before request.user is read, which would make the response vary by cookie
    return request.path.startswith(SIGN_IN_PAGES) or request.user.is_authenticated
