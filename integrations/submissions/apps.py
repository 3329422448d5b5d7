"""Configuration of the submissions app."""

from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    name = "integrations.submissions"
