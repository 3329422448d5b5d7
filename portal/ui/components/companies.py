"""The list of companies for program staff, which one template renders for speed."""

from collections.abc import Iterable, Mapping

from portal.ui.components.markup import component, split_url


@component
def company_rows(rows: Iterable[object]) -> Mapping[str, object]:
    """Render the rows of the table of companies."""
    return {"company_url": split_url("reviews:partner")}
