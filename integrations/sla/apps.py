"""Configuration of the sla app."""

from importlib import import_module

from django.apps import AppConfig


class SlaConfig(AppConfig):
    name = "integrations.sla"

    def ready(self) -> None:
        """Load the job that reads repositories, which `tasks` can't import, and add disputes to the review queue."""
        import_module("integrations.sla.github.reconciliation")
        import_module("integrations.sla.queue_items")
