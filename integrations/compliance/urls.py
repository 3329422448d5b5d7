"""URLs of the compliance app."""

from integrations.compliance import views as compliance

app_name = "compliance"
urlpatterns = [
    *compliance.urlpatterns,
]
