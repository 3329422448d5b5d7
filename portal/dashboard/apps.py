"""Configuration of the dashboard app."""

from django.apps import AppConfig


class DashboardConfig(AppConfig):
    name = "portal.dashboard"
