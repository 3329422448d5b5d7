"""Which address of the API leads where? The operations behind the gate, the document, the reference page."""

from collections import defaultdict

from django.urls import URLPattern, include, path, re_path

from portal.api.docs import views
from portal.api.middleware import protect_view
from portal.api.routing import METHODS_BY_OPERATION
from portal.api.v1.app import API_PREFIX, api
from portal.api.views import tokens


def list_operation_patterns() -> list[URLPattern]:
    """Every path of the operations, each behind the gate."""
    patterns = [pattern for pattern in api.urls[0] if isinstance(pattern, URLPattern) and pattern.name != "api-root"]
    methods_by_path = defaultdict[str, set[str]](set)  # of each address, whichever of its operations stands first
    for pattern in patterns:
        methods_by_path[str(pattern.pattern)].add(METHODS_BY_OPERATION[str(pattern.name)])
    for pattern in patterns:
        pattern.callback = protect_view(pattern.callback, methods_by_path[str(pattern.pattern)])
    return patterns


urlpatterns = [
    *tokens.urlpatterns,
    path("api/docs", views.show_reference, name="api_docs"),
    path("api/openapi.json", views.show_openapi_document, name="api_document"),
    path(f"{API_PREFIX}/", include((list_operation_patterns(), "api"))),  # names of their own: pages have the same ones
    re_path(r"^api/", views.show_not_found, name="api_missing"),
]
