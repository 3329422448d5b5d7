"""Absolute URLs of pages."""

from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse


def build_absolute_url(name: str, *args: object) -> str:
    """Return the absolute URL of a page."""
    return settings.SITE_URL + reverse(name, args=args)


def replace_host(url: str) -> str:
    """Return a URL of the portal with the host of the settings, for one that was built from a request.

    A client can name any allowed host in a request, and any port.
    """
    return settings.SITE_URL + urlsplit(url)._replace(scheme="", netloc="").geturl()
