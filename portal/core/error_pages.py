"""Error pages that Django doesn't have."""

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views import defaults


def show_bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Show why a request can't be read. A form that is too large gets 413 and its own page."""
    if isinstance(exception, RequestDataTooBig):
        # Without the request, whose form the template would read again.
        return HttpResponse(render_to_string("413.html"), status=413)
    return defaults.bad_request(request, exception)
