"""Configuration of the preflight app."""

from django.apps import AppConfig


class PreflightConfig(AppConfig):
    name = "verification.preflight"
