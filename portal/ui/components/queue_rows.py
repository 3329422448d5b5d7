"""Rows of the review queue and of lists of integrations, which one template renders for speed."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from portal.core.value_types import JsonObject
from portal.ui.components.markup import component, split_url


@component
def queue_rows(rows: Iterable[JsonObject], *, now: datetime, selected: Collection[str] = ()) -> None:
    """Render the rows of integrations.reviews.selectors.queue_rows. `selected` holds the UUIDs of the selected rows."""


@component
def integration_table(rows: Iterable[object], *, heading: str, has_partner_names: bool = False) -> Mapping[str, object]:
    """Render a table of integrations with their next action, for whom they wait, and the SLA status if rows have it."""
    return {"integration_url": split_url("submissions:detail")}
