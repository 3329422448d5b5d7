"""Configuration of the audit app."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "portal.audit"
