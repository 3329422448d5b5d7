"""URLs of the compliance app."""

from django.urls import path

from integrations.compliance import views

COMPLIANCE_PATH = "integrations/<uuid:uuid>/compliance/"

app_name = "compliance"
urlpatterns = [
    path(COMPLIANCE_PATH, views.show_evidence, name="status"),
    path(f"{COMPLIANCE_PATH}evidence.json", views.download_evidence, name="status_json"),
    path(f"{COMPLIANCE_PATH}<int:seq>/", views.show_evidence, name="frozen_evidence"),
    path(f"{COMPLIANCE_PATH}<int:seq>/evidence.json", views.download_evidence, name="frozen_evidence_json"),
]
