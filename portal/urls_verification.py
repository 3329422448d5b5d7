"""URLs of checks, schemas, and test runs."""

from django.urls import path

from integrations.sla.views import monitoring
from portal import urls_inbound
from portal.directory.views.installation import show_installation
from verification.checks.views import accepted_deviations, documentation
from verification.checks.views.results import run_checks, show_check_results
from verification.schemas.views import crds, schemas
from verification.testruns.views import nomad_plugin, provider_lifecycle, run_task

urlpatterns = [
    path("checks/<uuid:uuid>/", show_check_results, name="check_results"),
    path("checks/<uuid:uuid>/run/", run_checks, name="run_checks"),
    *accepted_deviations.urlpatterns,
    path("integrations/<uuid:uuid>/install/", show_installation, name="install"),
    *schemas.urlpatterns,
    *crds.urlpatterns,
    *run_task.urlpatterns,
    *provider_lifecycle.urlpatterns,
    *nomad_plugin.urlpatterns,
    *documentation.urlpatterns,
    *urls_inbound.urlpatterns,
    *monitoring.urlpatterns,
]
