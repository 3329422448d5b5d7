"""URLs of the discovery app."""

from django.urls import path

from verification.discovery import github_page, views

app_name = "discovery"
urlpatterns = [
    path("new/", views.enter_address, name="address"),
    path("new/github/", github_page.select_repository, name="github"),
    path("integrations/<uuid:uuid>/reader/", github_page.change_reader, name="change_reader"),
    path("new/<uuid:uuid>/", views.show_discovery, name="discovery"),
    path("new/<uuid:uuid>/program/", views.select_program, name="select_program"),
]
