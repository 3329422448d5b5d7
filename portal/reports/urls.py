"""URLs of the reports app."""

from portal.reports import recipient_views, sla_views, views

app_name = "reports"
urlpatterns = [
    *recipient_views.urlpatterns,  # before the report of a period
    *views.urlpatterns,
    *sla_views.urlpatterns,
]
