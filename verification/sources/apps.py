"""Configuration of the sources app."""

from django.apps import AppConfig


class SourcesConfig(AppConfig):
    name = "verification.sources"
