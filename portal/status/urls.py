"""URLs of the status app."""

from django.urls import path

from portal.status import views as health

app_name = "status"
urlpatterns = [
    path("healthz", health.check_health, name="healthz"),
]
