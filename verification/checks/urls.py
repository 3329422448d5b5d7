"""URLs of the checks app."""

from django.urls import path

from verification.checks import views

app_name = "checks"
urlpatterns = [
    path("checks/<uuid:uuid>/", views.show_check_results, name="results"),
    path("checks/<uuid:uuid>/run/", views.run_checks, name="run"),
    path("checks/<uuid:uuid>/accept/<str:key>/", views.accept_finding, name="accept_finding"),
    path("help/checks/", views.show_checks_help, name="help"),
    path("help/checks/<str:key>/", views.show_check_help, name="check_help"),
]
