"""Configuration of the schemas app."""

from django.apps import AppConfig


class SchemasConfig(AppConfig):
    name = "verification.schemas"
