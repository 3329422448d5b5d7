"""Configuration of the directory app."""

from django.apps import AppConfig


class DirectoryConfig(AppConfig):
    name = "portal.directory"
