"""Configuration of the status app."""

from django.apps import AppConfig


class StatusConfig(AppConfig):
    name = "portal.status"
