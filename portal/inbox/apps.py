"""Configuration of the inbox app."""

from django.apps import AppConfig


class InboxConfig(AppConfig):
    name = "portal.inbox"
