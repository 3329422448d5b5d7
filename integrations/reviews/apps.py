"""Configuration of the reviews app."""

from django.apps import AppConfig


class ReviewsConfig(AppConfig):
    name = "integrations.reviews"
