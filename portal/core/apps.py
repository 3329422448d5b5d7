"""Configuration of the core app."""

from django.apps import AppConfig
from django.db.backends.signals import connection_created

from portal.core.postgresql import use_fast_timestamps
from portal.core.required_messages import set_required_messages


class CoreConfig(AppConfig):
    name = "portal.core"

    def ready(self) -> None:
        set_required_messages()
        connection_created.connect(use_fast_timestamps)
