"""Rows of the review queue, which one template renders for speed."""

from collections.abc import Collection, Iterable
from datetime import datetime

from portal.core.value_types import JsonObject
from portal.ui.components.markup import component


@component
def queue_rows(rows: Iterable[JsonObject], *, now: datetime, selected: Collection[str] = ()) -> None:
    """Render the rows of integrations.reviews.selectors.queue_rows. `selected` holds the UUIDs of the selected rows."""
