"""API schemas and field types shared by several resources."""

from typing import Annotated
from uuid import UUID

from ninja import Schema
from pydantic import BeforeValidator

from portal.core.site_urls import build_absolute_url

# Text of a person, label, or enum member. Empty for None.
DisplayText = Annotated[str, BeforeValidator(lambda value: str(value or ""))]
# UUID of a related row, or None.
RelatedUuid = Annotated[UUID | None, BeforeValidator(lambda row: row and row.uuid)]


class PartnerReference(Schema):
    name: str
    slug: str


def link_to(name: str) -> BeforeValidator:
    """Convert a row's UUID or key to the absolute URL of its page."""
    return BeforeValidator(lambda key: build_absolute_url(name, key))
