"""URLs of the analytics app."""

from portal.analytics.saved_views import views as saved_views
from portal.analytics.views import dashboard as office, exports as office_files

app_name = "analytics"
urlpatterns = [
    *office.urlpatterns,
    *office_files.urlpatterns,
    *saved_views.urlpatterns,
]
