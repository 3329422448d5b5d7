"""URLs of the sla app."""

from integrations.sla.views import calendar as calendars, issue as issues, label_policy as labels, monitoring

app_name = "sla"
urlpatterns = [
    *calendars.urlpatterns,
    *monitoring.urlpatterns,
    *issues.urlpatterns,
    *labels.urlpatterns,
]
