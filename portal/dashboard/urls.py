"""URLs of the dashboard app."""

from django.urls import path

from portal.dashboard.views import home, theme

app_name = "dashboard"
urlpatterns = [
    path("", home.show_home, name="home"),
    path("theme/", theme.set_theme, name="theme"),
]
