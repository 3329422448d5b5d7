"""Configuration of the sla app."""

from importlib import import_module

from django.apps import AppConfig


class SlaConfig(AppConfig):
    name = "integrations.sla"

    def ready(self) -> None:
        """Load the job that reads repositories; `tasks` cannot, since reading ends in the services of clocks."""
        import_module("integrations.sla.github.reconciliation")
