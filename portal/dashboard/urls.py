"""URLs of the dashboard app."""

from django.urls import path

from portal.dashboard import views

app_name = "dashboard"
urlpatterns = [
    path("", views.show_home, name="home"),
    path("theme/", views.set_theme, name="theme"),
]
