"""Rows of the review queue, of reviews to assign, and of the list of companies, each list rendered by one template."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from django.utils.translation import ngettext

from portal.core.value_types import JsonObject
from portal.ui.components.markup import component, split_url


@component
def queue_rows(rows: Iterable[JsonObject], *, now: datetime, selected: Collection[str] = ()) -> None:
    """Render the rows of integrations.reviews.selectors.queue_rows. `selected` holds the UUIDs of the selected rows."""


@component
def review_cards(board: Iterable[tuple[object, Sequence[object]]]) -> Mapping[str, object]:
    """Render a card for each reviewer with their reviews, which can be moved."""
    cards = []
    for reviewer, rows in board:
        count_label = ngettext("%(number)s review", "%(number)s reviews", len(rows)) % {"number": len(rows)}
        cards.append((reviewer, count_label, rows))
    urls = {"review_url": split_url("reviews:review"), "assign_url": split_url("reviews:assign_reviewer")}
    return {"cards": cards, **urls}


@component
def planned_assignments(plan: Iterable[object], *, now: datetime) -> Mapping[str, object]:
    """Render the rows of the table of planned assignments."""
    return {"review_url": split_url("reviews:review")}


@component
def company_rows(rows: Iterable[object]) -> Mapping[str, object]:
    """Render the rows of the table of companies."""
    return {"company_url": split_url("reviews:partner")}
