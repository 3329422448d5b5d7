"""URLs of the status app."""

from django.urls import path

from portal.status import views

app_name = "status"
urlpatterns = [
    path("status/", views.show_status, name="index"),
    path("status.json", views.show_status_json, name="json"),
    path("healthz", views.check_health, name="healthz"),
]
