"""Absolute URLs of pages."""

from django.conf import settings
from django.urls import reverse


def build_absolute_url(name: str, *args: object) -> str:
    """Return the absolute URL of a page."""
    return settings.SITE_URL + reverse(name, args=args)
