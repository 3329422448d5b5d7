"""Configuration of the escalations app."""

from django.apps import AppConfig


class EscalationsConfig(AppConfig):
    name = "integrations.escalations"
