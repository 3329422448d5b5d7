"""Configuration of the jobs app."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class JobsConfig(AppConfig):
    name = "portal.jobs"

    def ready(self) -> None:
        """Load the jobs and periodic jobs of all apps, so that every process knows all of them."""
        autodiscover_modules("tasks")
