"""Facets of the directory: the options of each filter, with the number of listings behind each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count
from django.utils.translation import gettext as _

from integrations.programs.registry import PROGRAMS
from integrations.submissions.public_status import PUBLIC_STATUSES_BY_KEY
from portal.directory import search

STANDINGS_BY_STATUS = {
    key: [c for c, standings in search.STATUSES_BY_STANDING.items() if key in standings]
    for key in PUBLIC_STATUSES_BY_KEY
}
FACET_NAMES = ("product", "track", "program", "category", "tier", "platform", "listing_status")
FACET_COLUMNS = (
    "product",
    "track",
    "program",
    "category",
    "category_name",
    "tier",
    "tier_name",
    "platforms",
    "listing_status",
)


@dataclass(slots=True)
class FacetOption:
    """Option of a filter with its number of listings."""

    value: str
    label: str
    count: int
    is_selected: bool


@dataclass(frozen=True, slots=True)
class FacetCounts:
    """Number of matching listings, and the options of each filter."""

    count: int
    options: dict[str, list[FacetOption]]


FacetRow = Mapping[str, str]


def count_facets(filters: search.ListingFilters) -> FacetCounts:
    """Count the options of all filters with one query, which returns a row per combination of values."""
    filter_values = {name: value for name in FACET_NAMES if (value := getattr(filters, name))} | {
        "listing_status": filters.listing_status
    }
    options: dict[str, dict[str, FacetOption]] = {name: {} for name in FACET_NAMES}
    count = 0
    for row in search.list_matching_listings(filters).order_by().values_list(*FACET_COLUMNS).annotate(n=Count("pk")):
        facet_row, listing_count = dict(zip(FACET_COLUMNS, row[:-1], strict=True)), row[-1]
        failing_names = [name for name, value in filter_values.items() if value not in _list_values(name, facet_row)]
        count += 0 if failing_names else listing_count
        if len(failing_names) < 2:  # listings excluded by a single filter count for the other options of that filter
            for name in failing_names or FACET_NAMES:
                _add_count(options[name], name, facet_row, listing_count, filters)
    return FacetCounts(
        count, {name: _list_options(name, options_by_value, filters) for name, options_by_value in options.items()}
    )


def _add_count(
    options: dict[str, FacetOption], name: str, facet_row: FacetRow, listing_count: int, filters: search.ListingFilters
) -> None:
    for value in _list_values(name, facet_row):
        option = options.get(value)
        if option is None:
            options[value] = FacetOption(
                value, _get_label(name, value, facet_row), listing_count, value == getattr(filters, name)
            )
        else:
            option.count += listing_count


def _list_options(
    name: str, options_by_value: dict[str, FacetOption], filters: search.ListingFilters
) -> list[FacetOption]:
    """Return the sorted options of a filter. A selected option without listings has the count 0."""
    selected_value = getattr(filters, name)
    if name == "listing_status":
        return [
            options_by_value.get(value, FacetOption(value, _(label), 0, value == selected_value))
            for value, label in search.STANDING_LABELS.items()
        ]
    if selected_value:
        options_by_value.setdefault(
            selected_value, FacetOption(selected_value, _get_label(name, selected_value, {}), 0, True)
        )
    return sorted(
        (option for value, option in options_by_value.items() if value), key=lambda option: option.label.casefold()
    )


def _list_values(name: str, facet_row: FacetRow) -> Iterable[str]:
    """Return the options of a filter that include a combination."""
    if name == "listing_status":
        return STANDINGS_BY_STATUS[facet_row["listing_status"]]
    return facet_row["platforms"].split() if name == "platform" else (facet_row[name],)


def _get_label(name: str, value: str, facet_row: FacetRow) -> str:
    if name == "program":
        return PROGRAMS[value].name if value in PROGRAMS else value
    if name == "track":
        return search.TRACK_LABELS.get(value, value)
    if name == "platform":
        return search.format_platform(value)
    if name == "listing_status":
        return _(search.STANDING_LABELS[value])
    return facet_row.get(f"{name}_name") or value
