"""URLs of the reports app."""

from portal.reports import sla_views
from portal.reports import views as reports

app_name = "reports"
urlpatterns = [
    *reports.urlpatterns,
    *sla_views.urlpatterns,
]
