"""Configuration of the reports app."""

from django.apps import AppConfig


class ReportsConfig(AppConfig):
    name = "portal.reports"
