"""URLs of the styleguide app."""

from django.urls import path

from portal.styleguide import views as styleguide

app_name = "styleguide"
urlpatterns = [
    path("styleguide/", styleguide.show_styleguide, name="styleguide"),
]
