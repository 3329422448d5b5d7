"""Companies on pages of program staff, each list rendered by one template for speed."""

from collections.abc import Iterable, Mapping

from portal.ui.components.markup import component, split_url


@component
def company_rows(rows: Iterable[object]) -> Mapping[str, object]:
    """Render the rows of the table of companies."""
    return {"company_url": split_url("reviews:partner")}


@component
def identity_table(rows: Iterable[object], *, earlier: Iterable[object]) -> Mapping[str, object]:
    """Render a panel with the identity of a company, and links to its earlier integrations."""
    return {"review_url": split_url("reviews:review")}
