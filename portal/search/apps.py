"""Configuration of the search app."""

from django.apps import AppConfig


class SearchConfig(AppConfig):
    name = "portal.search"
