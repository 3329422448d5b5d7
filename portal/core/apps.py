"""Configuration of the core app."""

from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "portal.core"
