"""URLs of the reports app."""

from portal.reports import delivery_views, recipient_views, sla_views, views

app_name = "reports"
urlpatterns = [
    *recipient_views.urlpatterns,  # before the report of a period
    *views.urlpatterns,
    *delivery_views.urlpatterns,
    *sla_views.urlpatterns,
]
