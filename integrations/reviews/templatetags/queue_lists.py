"""Rows of the review queue and of the list of companies, each list rendered by one template for speed."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from portal.core.value_types import JsonObject
from portal.ui.components.markup import component, split_url


@component
def queue_rows(rows: Iterable[JsonObject], *, now: datetime, selected: Collection[str] = ()) -> None:
    """Render the rows of integrations.reviews.selectors.queue_rows. `selected` holds the UUIDs of the selected rows."""


@component
def company_rows(rows: Iterable[object]) -> Mapping[str, object]:
    """Render the rows of the table of companies."""
    return {"company_url": split_url("reviews:partner")}
