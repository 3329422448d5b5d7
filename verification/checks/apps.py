"""Configuration of the checks app."""

from django.apps import AppConfig


class ChecksConfig(AppConfig):
    name = "verification.checks"

    def ready(self) -> None:
        from portal.core import repository_urls  # noqa: PLC0415 - models must be loaded first
        from verification.checks.services.prefill import prefill  # noqa: PLC0415

        repository_urls.register_reader(prefill)
