"""URLs of the sla app."""

from integrations.sla.views import calendar as calendars
from integrations.sla.views import issue as issues
from integrations.sla.views import label_policy as labels
from integrations.sla.views import monitoring

app_name = "sla"
urlpatterns = [
    *calendars.urlpatterns,
    *monitoring.urlpatterns,
    *issues.urlpatterns,
    *labels.urlpatterns,
]
