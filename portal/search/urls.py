"""URLs of the search app."""

from django.urls import path

from portal.search import views

app_name = "search"
urlpatterns = [
    path("search/", views.show_results, name="results"),
    path("search/palette/", views.show_palette, name="palette"),
]
