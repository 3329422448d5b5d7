"""Middleware: compression of public pages, and times in the reader's zone."""

from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils import timezone

Handler = Callable[[HttpRequest], HttpResponse]


class PublicGzipMiddleware(GZipMiddleware):
    """Pages and feeds that anybody may read go on their way packed; what is for one person goes as it is.

    Badges and what stands beside them stay out: they are small, and the same octets for whoever asks.
    """

    KINDS = ("text/html", "application/atom+xml", "application/feed+json", "application/xml")

    def process_view(self, request: HttpRequest, view: Callable[..., Any], _args: Any, _kwargs: Any) -> None:
        request.is_for_everybody = not getattr(view, "login_required", True)  # type: ignore[attr-defined]

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """The answer, packed where the view is open to everybody and text is in it."""
        is_public = getattr(request, "is_for_everybody", False) and not response.streaming
        is_text = response.get("Content-Type", "").startswith(self.KINDS)
        return super().process_response(request, response) if is_public and is_text else response


def activate_reader_zone(get_response: Handler) -> Handler:
    """Times are shown in the reader's zone."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.user.is_authenticated and request.user.zone != "UTC":
            with timezone.override(ZoneInfo(request.user.zone)):
                return get_response(request)
        return get_response(request)

    return middleware
