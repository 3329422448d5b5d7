"""Middleware that routes inbound webhooks."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.urls import resolve
from django.urls.exceptions import Resolver404

Handler = Callable[[HttpRequest], HttpResponse]
INBOUND_PATH_PREFIX = "/inbound/"


def route_inbound_webhooks(get_response: Handler) -> Handler:
    """Route inbound webhooks before other middleware, since they need no session, user, or content policy.

    In production, portal.wsgi calls `receive_webhook` for GitHub's deliveries even before Django's handler.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(INBOUND_PATH_PREFIX):
            return get_response(request)
        try:
            match = resolve(request.path_info, "portal.urls_inbound")
        except Resolver404:
            return get_response(request)
        return match.func(request, **match.kwargs)

    return middleware
