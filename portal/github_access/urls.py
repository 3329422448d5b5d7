"""URLs of the GitHub access app."""

from django.urls import path

from portal.github_access import views

app_name = "github_access"
urlpatterns = [
    path("profile/github/", views.show_access, name="access"),
    path("profile/github/connect/", views.connect, name="connect"),
    path("profile/github/revoke/", views.revoke, name="revoke"),
]
