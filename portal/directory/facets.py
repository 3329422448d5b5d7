"""Facets of the directory: the options of each filter, with the number of listings behind each."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count
from django.utils.translation import gettext as _, gettext_noop

from integrations.programs.registry import PROGRAMS
from integrations.submissions.public_status import PUBLIC_STATUSES_BY_KEY
from portal.core.figures import build_key, read_figures
from portal.core.value_types import NamedValues
from portal.directory import search

FACETS_CACHE_SECONDS = 30  # a delisting shows within a minute
FILTERS_BY_STATUS = {
    key: [name for name, (_label, statuses) in search.STATUS_FILTERS.items() if key in statuses]
    for key in PUBLIC_STATUSES_BY_KEY
}
FACET_TITLES = {
    "product": gettext_noop("Product"),
    "track": gettext_noop("Partner type"),
    "program": gettext_noop("Program"),
    "category": gettext_noop("Category"),
    "tier": gettext_noop("Tier"),
    "platform": gettext_noop("Platform"),
    "listing_status": gettext_noop("Status"),
}
COLUMNS = sorted({*FACET_TITLES, "platforms", "category_name", "tier_name"} - {"platform"})


@dataclass(frozen=True, slots=True)
class FacetOption:
    """Option of a filter with its number of listings."""

    value: str
    label: str
    count: int
    is_selected: bool


def count_facets(filters: search.ListingFilters) -> tuple[int, dict[str, list[FacetOption]]]:
    """Return the number of matching listings, and the options of each filter, cached for half a minute if large."""
    filter_values = {name: value for name in FACET_TITLES if (value := getattr(filters, name))} | {
        "listing_status": filters.listing_status
    }
    counts: dict[str, Counter[str]] = {name: Counter() for name in FACET_TITLES}
    labels: dict[tuple[str, str], str] = {}
    count = 0
    for facet_row in _count_combinations(filters):
        failing_names = [name for name, value in filter_values.items() if value not in _list_values(name, facet_row)]
        count += 0 if failing_names else facet_row["number"]
        if len(failing_names) < 2:  # listings excluded by a single filter count for the other options of that filter
            for name in failing_names or FACET_TITLES:
                for value in _list_values(name, facet_row):
                    counts[name][value] += facet_row["number"]
                    labels[name, value] = facet_row.get(f"{name}_name") or value
    return count, {name: _list_options(name, counts[name], labels, getattr(filters, name)) for name in FACET_TITLES}


def _count_combinations(filters: search.ListingFilters) -> list[NamedValues]:
    """Return a row per combination of values with its number of listings."""
    # Combinations are few, however many listings there are, so one query counts the options of all filters.
    listings = search.list_matching_listings(filters).order_by()
    return read_figures(
        build_key("facets", listings),
        lambda: list(listings.values(*COLUMNS).annotate(number=Count("pk"))),
        lambda rows: sum(row["number"] for row in rows),
        seconds=FACETS_CACHE_SECONDS,
    )


def _list_options(
    name: str, counts: Counter[str], labels: Mapping[tuple[str, str], str], selected: str
) -> list[FacetOption]:
    """Return the sorted options of a filter. A selected option without listings has the count 0."""
    # A selected option must stay, so that it can be removed.
    values = search.STATUS_FILTERS if name == "listing_status" else {value for value in (*counts, selected) if value}
    options = [
        FacetOption(value, _get_label(name, value, labels), counts[value], value == selected) for value in values
    ]
    return options if name == "listing_status" else sorted(options, key=lambda option: option.label.casefold())


def _list_values(name: str, facet_row: NamedValues) -> Iterable[str]:
    """Return the options of a filter that include a combination."""
    if name == "listing_status":
        return FILTERS_BY_STATUS[facet_row["listing_status"]]
    return facet_row["platforms"].split() if name == "platform" else (facet_row[name],)


def _get_label(name: str, value: str, labels: Mapping[tuple[str, str], str]) -> str:
    if name == "program":
        return PROGRAMS[value].name
    if name == "track":
        return search.TRACK_LABELS[value]
    if name == "platform":
        return search.format_platforms([value])[0]
    if name == "listing_status":
        return _(search.STATUS_FILTERS[value][0])
    return labels.get((name, value), value)
