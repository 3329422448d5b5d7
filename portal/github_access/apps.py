"""Configuration of the GitHub access app."""

from django.apps import AppConfig


class GitHubAccessConfig(AppConfig):
    name = "portal.github_access"

    def ready(self) -> None:
        from portal.github_access import receivers  # noqa: PLC0415 - models must be loaded first

        receivers.connect_receivers()
