"""Lists of SLA clocks, which one template renders for speed. The rows are those of integrations.sla.clock_records."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from portal.ui.components.markup import component, split_url


@component
def clock_rows(rows: Iterable[object], *, now: datetime, has_partner_names: bool = False) -> Mapping[str, object]:
    """Render the rows of the table of clocks."""
    return {"issue_url": split_url("sla:issue")}


@component
def countdown(rows: Iterable[object], *, now: datetime, heading: str = "") -> Mapping[str, object]:
    """Render a panel of clocks with the time that remains."""
    return {"issue_url": split_url("sla:issue")}
