"""Configuration of the webhooks app."""

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "portal.webhooks"
