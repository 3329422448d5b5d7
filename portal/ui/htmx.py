"""Requests and responses of htmx."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django_htmx.http import reselect, reswap, retarget
from django_htmx.middleware import HtmxDetails

STOP_POLLING_STATUS = 286  # htmx's own status: swap this response in and stop polling


def is_fragment_request(request: HttpRequest) -> bool:
    """Return whether htmx asks for a part of the page. To restore a page from the history, it needs the whole page."""
    htmx: HtmxDetails = request.htmx  # type: ignore[attr-defined]
    return bool(htmx) and not htmx.history_restore_request


def replace_main(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Let htmx replace the main part of the page with that of a response that is a whole page.

    The frame of the page stays, because the script has found its elements.
    """
    htmx: HtmxDetails = request.htmx  # type: ignore[attr-defined]
    return reswap(reselect(retarget(response, "#main"), "#main"), "outerHTML") if htmx else response


def skip_unchanged_parts(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Respond with 304 if a part rendered by `{% live %}` is what the page already shows."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        digest = request.headers.get("If-None-Match", "")
        is_poll = bool(digest) and request.method == "GET" and "HX-Request" in request.headers
        if is_poll and response.status_code == 200 and not response.streaming and digest in response.text:
            return HttpResponseNotModified()
        return response

    return middleware
