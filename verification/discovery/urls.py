"""URLs of the discovery app."""

from verification.discovery import views

app_name = "discovery"
urlpatterns = [*views.urlpatterns]
