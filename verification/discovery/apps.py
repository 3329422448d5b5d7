"""Configuration of the discovery app."""

from django.apps import AppConfig


class DiscoveryConfig(AppConfig):
    name = "verification.discovery"
