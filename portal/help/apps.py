"""Configuration of the help app."""

from django.apps import AppConfig


class HelpConfig(AppConfig):
    name = "portal.help"
