"""URLs of the reports app."""

from portal.reports import trend_views
from portal.reports import views as reports

app_name = "reports"
urlpatterns = [
    *reports.urlpatterns,
    *trend_views.urlpatterns,
]
