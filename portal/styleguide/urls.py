"""URLs of the styleguide app."""

from django.urls import path

from portal.styleguide import views

app_name = "styleguide"
urlpatterns = [
    path("styleguide/", views.show_styleguide, name="styleguide"),
]
