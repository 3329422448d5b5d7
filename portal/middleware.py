"""What happens around every request? Nothing typed is lost, public pages are packed, times are the reader's."""

from collections.abc import Callable
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils import timezone

Handler = Callable[[HttpRequest], HttpResponse]
STASH = "unsent"
NEVER_STASHED = {"csrfmiddlewaretoken", "password", "password1", "password2", "code", "secret", "key"}
NO_PAGES = ("/accounts/", "/api/")  # what is typed there waits for nobody
MOST_CHARACTERS = 100_000


def stash_unsent(get_response: Handler) -> Handler:
    """A form sent by someone who is no longer signed in waits in the session until they are again.

    The page finds it with request.unsent(). Sign-in keeps the session's content, so it survives.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.method == "POST" and not request.user.is_authenticated and not request.path.startswith(NO_PAGES):
            kept = request.POST.copy()
            for name in NEVER_STASHED & set(kept):
                del kept[name]
            encoded = kept.urlencode()
            if kept and len(encoded) <= MOST_CHARACTERS:
                request.session[STASH] = {"path": request.path, "fields": encoded}
        request.unsent = partial(unsent, request)  # type: ignore[attr-defined]
        return get_response(request)

    return middleware


def unsent(request: HttpRequest) -> QueryDict | None:
    """What was typed on this page before the sign-in was lost; handed out once."""
    kept = request.session.get(STASH)
    if not kept or kept["path"] != request.path or request.method != "GET":
        return None
    del request.session[STASH]
    return QueryDict(kept["fields"])


class PackedForEverybody(GZipMiddleware):
    """Pages and feeds that anybody may read go on their way packed; what is for one person goes as it is.

    Badges and what stands beside them stay out: they are small, and the same octets for whoever asks.
    """

    KINDS = ("text/html", "application/atom+xml", "application/feed+json", "application/xml")

    def process_view(self, request: HttpRequest, view: Callable[..., Any], _args: Any, _kwargs: Any) -> None:
        request.is_for_everybody = not getattr(view, "login_required", True)  # type: ignore[attr-defined]

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """The answer, packed where the view is open to everybody and text is in it."""
        packed = getattr(request, "is_for_everybody", False) and not response.streaming
        text = response.get("Content-Type", "").startswith(self.KINDS)
        return super().process_response(request, response) if packed and text else response


def reader_zone(get_response: Handler) -> Handler:
    """Times are shown in the reader's zone."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.user.is_authenticated and request.user.zone != "UTC":
            with timezone.override(ZoneInfo(request.user.zone)):
                return get_response(request)
        return get_response(request)

    return middleware
