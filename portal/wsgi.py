"""WSGI entry point."""

import os
import re
from collections.abc import Callable, Iterable
from wsgiref.types import StartResponse, WSGIEnvironment

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
WsgiApplication = Callable[[WSGIEnvironment, StartResponse], Iterable[bytes]]
CHARSET_PATTERN = re.compile(r";\s*charset=(?!\"?utf-8\"?\s*(?:;|$))[^;]*", re.IGNORECASE)


def force_utf8(app: WsgiApplication) -> WsgiApplication:
    """Read all requests as UTF-8, because an invalid charset such as “hex” would raise an error in Django."""

    def handle_request(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ["CONTENT_TYPE"] = CHARSET_PATTERN.sub("", environ.get("CONTENT_TYPE", ""))
        return app(environ, start_response)

    return handle_request


application = force_utf8(get_wsgi_application())
assert get_resolver().url_patterns  # import all views at startup, not at the first request
