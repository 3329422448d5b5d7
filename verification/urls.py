"""Which address of this floor leads where?"""

from django.urls import path

from verification import (
    urls_hooks,
    views_accepting,
    views_crossplane,
    views_help,
    views_hooks,
    views_lifecycle,
    views_nomad,
    views_rehearsal,
    views_schemas,
)
from verification.views import check_results, run_checks
from verification.views_install import install

urlpatterns = [
    path("checks/<uuid:uuid>/", check_results, name="check_results"),
    path("checks/<uuid:uuid>/run/", run_checks, name="run_checks"),
    *views_accepting.urlpatterns,
    path("integrations/<uuid:uuid>/install/", install, name="install"),
    *views_schemas.urlpatterns,
    *views_crossplane.urlpatterns,
    *views_rehearsal.urlpatterns,
    *views_lifecycle.urlpatterns,
    *views_nomad.urlpatterns,
    *views_help.urlpatterns,
    *urls_hooks.urlpatterns,
    *views_hooks.urlpatterns,
]
