"""Configuration of the testruns app."""

from django.apps import AppConfig


class TestrunsConfig(AppConfig):
    name = "verification.testruns"
