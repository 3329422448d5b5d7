"""The portal as a Django app: wires the reactions to what the lower floors announce."""

from django.apps import AppConfig


class PortalConfig(AppConfig):
    name = "portal"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from portal import celery, system_checks, wiring  # noqa: F401, PLC0415 - models must be loaded first

        wiring.connect()
