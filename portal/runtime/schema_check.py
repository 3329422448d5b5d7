"""Precondition of bin/up that needs Django: tables of this version of the portal."""

from pathlib import Path

from django.apps import AppConfig, apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from portal.runtime.preconditions import StartError

PACKAGES = ("portal", "integrations", "verification")


def require_current_schema(folder: Path) -> None:
    """Raise StartError if another version of the portal created the tables."""
    loader = MigrationLoader(connection)
    # Columns are compared, too, because migrations of another version can have the same names.
    if _has_unknown_migrations(loader) or _has_other_columns(loader):
        raise StartError(
            f"Another version of the portal created the database in {folder}, and this version cannot read it."
            " Nothing was changed. Move the folder, or run PORTAL_DATA=/path bin/up."
        )


def _has_unknown_migrations(loader: MigrationLoader) -> bool:
    labels = {app.label for app in apps.get_app_configs() if _is_ours(app)}
    return any(key[0] in labels and key not in loader.disk_migrations for key in loader.applied_migrations)


def _has_other_columns(loader: MigrationLoader) -> bool:
    """Return whether a table differs from its model although all migrations of the app are recorded as applied.

    Other columns that can be null are allowed, because PostgreSQL generates the column of the search index.
    """
    # Apps with unapplied migrations are left out: they differ until “migrate” has run.
    waiting = {label for label, name in loader.disk_migrations if (label, name) not in loader.applied_migrations}
    models = [
        model
        for app in apps.get_app_configs()
        if _is_ours(app) and app.label not in waiting
        for model in app.get_models()
        if model._meta.managed
    ]
    introspection = connection.introspection
    with connection.cursor() as cursor:
        tables = set(introspection.table_names(cursor))
        for model in models:
            table = model._meta.db_table
            expected = {field.column for field in model._meta.concrete_fields}
            columns = introspection.get_table_description(cursor, table) if table in tables else []
            required = {column.name for column in columns if not column.null_ok}
            if not required <= expected <= {column.name for column in columns}:
                return True
    return False


def _is_ours(app: AppConfig) -> bool:
    return app.name.partition(".")[0] in PACKAGES
