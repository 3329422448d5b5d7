"""WSGI entry point."""

import os
import re
from collections.abc import Callable, Iterable
from http import HTTPStatus
from wsgiref.types import StartResponse, WSGIEnvironment

from django.core.handlers.wsgi import WSGIRequest
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver
from django.utils.log import log_response

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
WsgiApplication = Callable[[WSGIEnvironment, StartResponse], Iterable[bytes]]
CHARSET_PATTERN = re.compile(r";\s*charset=(?!\"?utf-8\"?\s*(?:;|$))[^;]*", re.IGNORECASE)


def force_utf8(app: WsgiApplication) -> WsgiApplication:
    """Read all requests as UTF-8, because an invalid charset such as “hex” would raise an error in Django."""

    def handle_request(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ["CONTENT_TYPE"] = CHARSET_PATTERN.sub("", environ.get("CONTENT_TYPE", ""))
        return app(environ, start_response)

    return handle_request


def answer_webhooks(app: WsgiApplication) -> WsgiApplication:
    """Answer GitHub's webhooks without Django's handler and signals, which take as long as the intake itself."""
    from portal.urls_inbound import urlpatterns  # noqa: PLC0415 - needs Django's setup

    route = next(each for each in urlpatterns if each.name == "github_webhook")

    def handle_request(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        match = route.pattern.match(environ["PATH_INFO"].removeprefix("/"))
        if not match or environ["REQUEST_METHOD"] != "POST":
            return app(environ, start_response)
        request = WSGIRequest(environ)
        response = route.callback(request, **match[2])
        # Django's handler, which would log this, isn't involved.
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            log_response("%s: %s", response.reason_phrase, request.path, response=response, request=request)
        start_response(f"{response.status_code} {response.reason_phrase}", list(response.items()))
        return [response.content]

    return handle_request


application = force_utf8(answer_webhooks(get_wsgi_application()))
assert get_resolver().url_patterns  # import all views at startup, not at the first request
