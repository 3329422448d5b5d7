"""Configuration of the sla app."""

from django.apps import AppConfig


class SlaConfig(AppConfig):
    name = "integrations.sla"
