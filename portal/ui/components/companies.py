"""Lists of companies and their integrations on pages of program staff, each rendered by one template for speed."""

from collections.abc import Iterable, Mapping

from portal.ui.components.markup import component, split_url


@component
def company_rows(rows: Iterable[object]) -> Mapping[str, object]:
    """Render the rows of the table of companies."""
    return {"company_url": split_url("reviews:partner")}


@component
def company_integrations(rows: Iterable[object], *, caption: str) -> Mapping[str, object]:
    """Render a table of a company's integrations with their next actions."""
    return {"integration_url": split_url("submissions:detail")}
