"""URLs of the schemas app."""

from verification.schemas.views import crds, reconciliation, schemas

app_name = "schemas"
urlpatterns = [
    *schemas.urlpatterns,
    *crds.urlpatterns,
    *reconciliation.urlpatterns,
]
