"""Precondition of bin/up that needs Django: tables that this version of the portal made."""

from pathlib import Path

from django.apps import AppConfig, apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from portal.runtime.preconditions import StartError

PACKAGES = ("portal", "integrations", "verification")  # also the labels that all tables had before there were apps


def require_current_schema(folder: Path) -> None:
    """Raise StartError if another version of the portal made the tables. Change nothing."""
    loader = MigrationLoader(connection)
    if _has_unknown_migrations(loader) or _has_other_columns(loader):
        raise StartError(
            f"The database of {folder} was made by another version of the portal, and this one cannot read it."
            " Nothing was changed or deleted; move the folder away or use another one: PORTAL_DATA=/path bin/up"
        )


def _has_unknown_migrations(loader: MigrationLoader) -> bool:
    labels = {*PACKAGES, *(config.label for config in apps.get_app_configs() if _is_ours(config))}
    return any(key[0] in labels and key not in loader.disk_migrations for key in loader.applied_migrations)


def _has_other_columns(loader: MigrationLoader) -> bool:
    """Return whether a table differs from its model although all migrations of the app are recorded as applied."""
    waiting = {label for label, name in loader.disk_migrations if (label, name) not in loader.applied_migrations}
    models = [
        each
        for app in apps.get_app_configs()
        if _is_ours(app) and app.label not in waiting
        for each in app.get_models()
        if each._meta.managed
    ]
    introspection = connection.introspection
    with connection.cursor() as cursor:
        tables = set(introspection.table_names(cursor))
        return any(
            model._meta.db_table not in tables
            or {column.name for column in introspection.get_table_description(cursor, model._meta.db_table)}
            != {field.column for field in model._meta.concrete_fields}
            for model in models
        )


def _is_ours(app: AppConfig) -> bool:
    return app.name.partition(".")[0] in PACKAGES
