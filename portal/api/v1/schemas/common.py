"""API schemas and field types shared by several resources."""

from typing import Annotated
from uuid import UUID

from django.conf import settings
from ninja import Schema
from pydantic import BeforeValidator

from portal.ui.components.markup import split_url

# Text of a person, label, or enum member. Empty for None.
DisplayText = Annotated[str, BeforeValidator(lambda value: str(value or ""))]
# UUID of a related row, or None.
RelatedUuid = Annotated[UUID | None, BeforeValidator(lambda row: row and row.uuid)]


class PartnerReference(Schema):
    name: str
    slug: str


def link_to(name: str) -> BeforeValidator:
    """Convert a row's UUID or key to the absolute URL of its page."""
    return BeforeValidator(lambda key: settings.SITE_URL + str(key).join(split_url(name)))
