"""URLs of the directory app."""

from django.urls import path

from portal.directory.badges.views import badges
from portal.directory.badges.views import verification as verifying
from portal.directory.views import listings as public
from portal.directory.views.installation import show_installation

app_name = "directory"
urlpatterns = [
    path("integrations/<uuid:uuid>/install/", show_installation, name="installation"),
    *public.urlpatterns,
    *badges.urlpatterns,
    *verifying.urlpatterns,
]
