"""Configuration of the portal app, which connects reactions to events when it is ready."""

import gc

from django.apps import AppConfig


class PortalConfig(AppConfig):
    name = "portal"

    def ready(self) -> None:
        from portal import celery, system_checks, wiring  # noqa: F401, PLC0415 - models must be loaded first

        wiring.connect()
        gc.freeze()  # what is loaded by now stays
        gc.set_threshold(50_000, 20, 20)
