"""Configuration of the partners app."""

from django.apps import AppConfig


class PartnersConfig(AppConfig):
    name = "integrations.partners"
