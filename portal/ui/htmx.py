"""Requests and responses of htmx."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

STOP_POLLING_STATUS = 286  # htmx's own status: swap this response in and stop polling


def is_fragment_request(request: HttpRequest) -> bool:
    """Return whether htmx asks for a part of the page. To restore a page from the history, it needs the whole page."""
    htmx: HtmxDetails = request.htmx  # type: ignore[attr-defined]
    return bool(htmx) and not htmx.history_restore_request
