"""Where a web server enters (WSGI)."""

import os
import re
from collections.abc import Callable, Iterable
from typing import Any

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
App = Callable[[dict[str, Any], Any], Iterable[bytes]]
CHARSET = re.compile(r";\s*charset=(?!\"?utf-8\"?\s*(?:;|$))[^;]*", re.IGNORECASE)


def in_utf8(app: App) -> App:
    """Whatever charset a request names, it is read as UTF-8, as all pages are: some names (“hex”) are of no charset at
    all, and would end the request before anything could answer it."""

    def enter(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        environ["CONTENT_TYPE"] = CHARSET.sub("", environ.get("CONTENT_TYPE", ""))
        return app(environ, start_response)

    return enter


application = in_utf8(get_wsgi_application())
assert get_resolver().url_patterns  # read now: the first visitor does not wait for the modules of all pages
