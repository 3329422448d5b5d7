"""Configuration of the programs app."""

from django.apps import AppConfig


class ProgramsConfig(AppConfig):
    name = "integrations.programs"
