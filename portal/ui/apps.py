"""Configuration of the ui app."""

from django.apps import AppConfig


class UiConfig(AppConfig):
    name = "portal.ui"
