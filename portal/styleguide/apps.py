"""Configuration of the styleguide app."""

from django.apps import AppConfig


class StyleguideConfig(AppConfig):
    name = "portal.styleguide"
