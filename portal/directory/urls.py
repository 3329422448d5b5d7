"""URLs of the directory app."""

from django.urls import path

from portal.directory.badges.views import badges, verification
from portal.directory.views import listings, previews
from portal.directory.views.installation import show_installation

app_name = "directory"
urlpatterns = [
    path("integrations/<uuid:uuid>/install/", show_installation, name="installation"),
    path("integrations/<uuid:uuid>/listing-preview/", previews.show_preview, name="preview"),
    path("integrations/<uuid:uuid>/listing-preview/logo/", previews.show_preview_logo, name="preview_logo"),
    *listings.urlpatterns,
    *badges.urlpatterns,
    *verification.urlpatterns,
]
