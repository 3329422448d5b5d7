"""Integrations: the lower floor, which knows no other app of ours."""

from django.apps import AppConfig


class IntegrationsConfig(AppConfig):
    name = "integrations"
    default_auto_field = "django.db.models.BigAutoField"
