"""URLs of the API operations, documentation, and token pages."""

from collections import defaultdict

from django.urls import URLPattern, include, path, re_path

from portal.api.docs import views
from portal.api.middleware import protect_view
from portal.api.routing import METHODS_BY_OPERATION
from portal.api.v1.app import API_PREFIX, api
from portal.api.views import tokens


def list_operation_patterns() -> list[URLPattern]:
    """Return the URL patterns of all operations, wrapped with `protect_view`."""
    patterns = [pattern for pattern in api.urls[0] if isinstance(pattern, URLPattern) and pattern.name != "api-root"]
    operations_by_path = defaultdict[str, dict[str, str]](dict)  # by method, because one path can have several
    for pattern in patterns:
        operations_by_path[str(pattern.pattern)][METHODS_BY_OPERATION[str(pattern.name)]] = str(pattern.name)
    for pattern in patterns:
        pattern.callback = protect_view(pattern.callback, operations_by_path[str(pattern.pattern)])
    return patterns


app_name = "api"
urlpatterns = [
    path("profile/tokens/", tokens.manage_tokens, name="tokens"),
    path("company/<slug:slug>/tokens/", tokens.manage_tokens, name="partner_tokens"),
    path("tokens/<uuid:uuid>/", tokens.show_new_token, name="new_token"),
    path("tokens/<uuid:uuid>/revoke/", tokens.revoke_token, name="revoke_token"),
    path("api/docs", views.show_reference, name="docs"),
    path("api/docs/<slug:slug>", views.show_reference_group, name="docs_group"),
    path("api/openapi.json", views.show_openapi_document, name="openapi"),
    # A separate namespace, because pages use the same URL names.
    path(f"{API_PREFIX}/", include((list_operation_patterns(), "api"))),
    re_path(r"^api/", views.show_not_found, name="not_found"),
]
