"""URLs of the checks app."""

from django.urls import path

from verification.checks.views import accepted_deviations, documentation
from verification.checks.views.results import run_checks, show_check_results

app_name = "checks"
urlpatterns = [
    path("checks/<uuid:uuid>/", show_check_results, name="results"),
    path("checks/<uuid:uuid>/run/", run_checks, name="run"),
    *accepted_deviations.urlpatterns,
    *documentation.urlpatterns,
]
