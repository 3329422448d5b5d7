"""Configuration of the notifications app."""

from django.apps import AppConfig


class NotificationsConfig(AppConfig):
    name = "portal.notifications"
