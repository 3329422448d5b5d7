"""Which address of the API leads where? The operations behind the gate, the document, the reference page."""

from collections import defaultdict

from django.urls import URLPattern, include, path, re_path

from portal.api.docs import views
from portal.api.middleware import guarded
from portal.api.routing import METHODS
from portal.api.v1.app import PREFIX, api
from portal.api.views import tokens


def operations() -> list[URLPattern]:
    """Every path of the operations, each behind the gate."""
    found = [pattern for pattern in api.urls[0] if isinstance(pattern, URLPattern) and pattern.name != "api-root"]
    known = defaultdict[str, set[str]](set)  # of each address, whichever of its operations stands first
    for pattern in found:
        known[str(pattern.pattern)].add(METHODS[str(pattern.name)])
    for pattern in found:
        pattern.callback = guarded(pattern.callback, known[str(pattern.pattern)])
    return found


urlpatterns = [
    *tokens.urlpatterns,
    path("api/docs", views.reference_page, name="api_docs"),
    path("api/openapi.json", views.openapi, name="api_document"),
    path(f"{PREFIX}/", include((operations(), "api"))),  # names of their own: pages have the same ones
    re_path(r"^api/", views.missing, name="api_missing"),
]
