"""URLs of the testruns app: page, JSON, and optional cancellation of each kind with a form, and schema inspection."""

from django.urls import path

from verification.testruns import views
from verification.testruns.registry import FORM_KINDS

app_name = "testruns"
urlpatterns = [path("integrations/<uuid:uuid>/schemas/read/", views.inspect_schema, name="inspect_schema")]
for kind in FORM_KINDS:
    base = f"integrations/<uuid:uuid>/tests/{kind.slug}"
    arguments = {"kind": str(kind.key)}
    urlpatterns += [
        path(f"{base}/", views.show_test, arguments, name=kind.key),
        path(f"{base}.json", views.show_test_json, arguments, name=f"{kind.key}_json"),
    ]
    if kind.can_cancel:
        urlpatterns += [path(f"{base}/cancel/", views.cancel_test, arguments, name=f"cancel_{kind.key}")]
