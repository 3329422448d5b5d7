"""API schemas shared by several resources."""

from typing import Any

from django.conf import settings
from django.urls import reverse
from ninja import Schema


class PartnerReference(Schema):
    name: str
    slug: str


def build_absolute_url(name: str, *args: object) -> str:
    """Return the absolute URL of a page."""
    return settings.SITE_URL + reverse(name, args=args)


def serialize_partner_reference(partner: Any) -> dict[str, str]:
    return {"name": partner.name, "slug": partner.slug}
