"""URLs of the schemas app."""

from django.urls import path

from verification.schemas.views import crds, schemas

app_name = "schemas"
urlpatterns = [
    path("integrations/<uuid:uuid>/schemas/", schemas.show_schemas, name="list"),
    path("integrations/<uuid:uuid>/schemas/changes/", schemas.show_schema_changes, name="changes"),
    path("integrations/<uuid:uuid>/crossplane/", crds.show_crds, name="crds"),
    path("integrations/<uuid:uuid>/crossplane/resource/", crds.show_crd, name="crd"),
    path("integrations/<uuid:uuid>/crossplane/file/", crds.download_crd, name="crd_file"),
    path("integrations/<uuid:uuid>/crossplane/archive/", crds.download_crd_archive, name="crd_archive"),
    path(
        "integrations/<uuid:uuid>/crossplane/resource/reconciliation/",
        crds.preview_reconciliation,
        name="reconciliation",
    ),
]
