"""Configuration of the compliance app."""

from django.apps import AppConfig


class ComplianceConfig(AppConfig):
    name = "integrations.compliance"
