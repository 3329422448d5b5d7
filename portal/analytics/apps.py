"""Configuration of the analytics app."""

from django.apps import AppConfig


class AnalyticsConfig(AppConfig):
    name = "portal.analytics"
