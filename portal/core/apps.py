"""Configuration of the core app."""

from django.apps import AppConfig
from django.db.backends.signals import connection_created

from portal.core.postgresql import use_fast_timestamps


class CoreConfig(AppConfig):
    name = "portal.core"

    def ready(self) -> None:
        connection_created.connect(use_fast_timestamps)
