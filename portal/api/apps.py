"""Configuration of the api app."""

from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "portal.api"
