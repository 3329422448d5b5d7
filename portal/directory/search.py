"""Search of the directory: filters, matching listings, and their JSON form, for pages, feeds, and the API."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, fields

from django.db.models import Case, QuerySet, Value, When
from django.utils.translation import gettext as _, gettext_noop

from integrations.programs.registry import PROGRAMS
from integrations.submissions.public_status import PUBLIC_STATUSES_BY_KEY
from portal.core.form_fields import clean_search_query
from portal.core.name_matching import normalize_text
from portal.core.site_urls import build_absolute_url
from portal.core.value_types import JsonObject
from portal.directory.models import UNLISTED_STATUSES, Listing
from portal.directory.support_metrics import MIN_SAMPLE_SIZE, PERIOD_DAYS

# Each term is one more condition of the query.
MAX_TERMS = 8
# Label and columns of each order.
SORTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "newest": (gettext_noop("Newest first"), ("-listed_at", "-pk")),
    "name": (gettext_noop("Name"), ("name_plain", "pk")),
    "support": (gettext_noop("Support record"), ("-rank", "-settled_count", "-pk")),
}
BEST_MATCH_LABEL = gettext_noop("Best match")  # default order of a search
TRACK_LABELS = {
    "infrastructure": gettext_noop("Infrastructure partners"),
    "workflow": gettext_noop("Workflow partners"),
}
# Label and listing statuses of each filter.
STATUS_FILTERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "": (gettext_noop("Listed or suspended"), ("listed", "suspended")),
    "listed": (gettext_noop("Listed"), ("listed",)),
    "suspended": (gettext_noop("Suspended"), ("suspended",)),
    "former": (gettext_noop("No longer listed"), tuple(sorted(UNLISTED_STATUSES))),
    "any": (gettext_noop("All"), tuple(PUBLIC_STATUSES_BY_KEY)),
}


# The other filters match any text.
KNOWN_VALUES: dict[str, Container[str]] = {
    "program": PROGRAMS,
    "track": TRACK_LABELS,
    "listing_status": STATUS_FILTERS,
    "sort": SORTS,
}


@dataclass(frozen=True, slots=True)
class ListingFilters:
    """Filters of the directory. Empty values match everything."""

    q: str = ""
    product: str = ""
    track: str = ""
    program: str = ""
    category: str = ""
    tier: str = ""
    listing_status: str = ""
    platform: str = ""
    partner: str = ""
    sort: str = ""

    @property
    def terms(self) -> list[str]:
        return normalize_text(self.q).split()[:MAX_TERMS]

    @property
    def order(self) -> str:
        """Return the selected order, or the best match for a search, or else the newest first."""
        return self.sort or ("best" if self.terms else "newest")

    @property
    def sorts(self) -> list[tuple[str, str, bool]]:
        """Return the sort options as value, label, and whether selected. The default order has an empty value."""
        other_sorts = [
            (key, _(label), key == self.sort)
            for key, (label, _columns) in SORTS.items()
            if self.terms or key != "newest"
        ]
        default_label = BEST_MATCH_LABEL if self.terms else SORTS["newest"][0]
        return [("", _(default_label), not any(is_selected for *_, is_selected in other_sorts)), *other_sorts]

    def get_parameters(self) -> dict[str, str]:
        """Return the query parameters of the filters."""
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name))}


def parse_filters(query: Mapping[str, str]) -> ListingFilters:
    """Return the filters of a query string without invalid values."""
    values = {field.name: clean_search_query(query.get(field.name, ""))[:100] for field in fields(ListingFilters)}
    # Links can be old, so unknown values are ignored instead of refused.
    unknown_names = {name for name, known_values in KNOWN_VALUES.items() if values[name] not in known_values}
    return ListingFilters(**{name: "" if name in unknown_names else value for name, value in values.items()})


def list_listings(filters: ListingFilters) -> QuerySet[Listing]:
    """Return the matching listings in the selected order."""
    _label, statuses = STATUS_FILTERS[filters.listing_status]
    rows = list_matching_listings(filters).filter(listing_status__in=statuses)
    for name in ("product", "track", "program", "category", "tier"):
        if value := getattr(filters, name):
            rows = rows.filter(**{name: value})
    if filters.platform:
        # The spaces keep linux_arm from matching linux_arm64.
        rows = rows.filter(platforms__contains=f" {filters.platform} ")
    return order_listings(rows, filters)


def list_matching_listings(filters: ListingFilters) -> QuerySet[Listing]:
    """Return the listings that match the search terms and the partner, regardless of other filters."""
    # The public manager, which leaves out unverified companies.
    rows = Listing.objects.all()
    if filters.partner:
        rows = rows.filter(publisher_slug=filters.partner)
    for term in filters.terms:
        rows = rows.filter(search_text__contains=term)
    return rows


def order_listings(rows: QuerySet[Listing], filters: ListingFilters) -> QuerySet[Listing]:
    if filters.order != "best":
        return rows.order_by(*SORTS[filters.order][1])
    search_text = " ".join(filters.terms)
    match_rank = Case(
        When(name_plain__startswith=search_text, then=Value(0)),
        When(name_plain__contains=f" {search_text}", then=Value(1)),
        When(name_plain__contains=search_text, then=Value(2)),
        default=Value(3),
    )
    return rows.order_by(match_rank, "name_plain", "pk")


OPERATING_SYSTEM_NAMES = {
    "darwin": "macOS",
    "linux": "Linux",
    "windows": "Windows",
    "freebsd": "FreeBSD",
    "openbsd": "OpenBSD",
}


def format_platforms(platforms: Iterable[str]) -> list[str]:
    """Return the platforms grouped by system, such as "Linux amd64, arm64"."""
    machines: dict[str, list[str]] = {}
    for platform in sorted(platforms):
        system, _, machine = platform.partition("_")
        machines.setdefault(OPERATING_SYSTEM_NAMES.get(system, system), []).append(machine)
    return [
        f"{system} {', '.join(machine_names)}".strip()
        for system, machine_names in sorted(machines.items(), key=lambda item: item[0].casefold())
    ]


def serialize_listing(row: Listing) -> JsonObject:
    """Return a listing as JSON data for the API and the feeds, with ISO timestamps in UTC."""
    public_status = row.public_status
    return {
        "uuid": str(row.uuid),
        "name": row.name,
        "summary": row.summary,
        "url": build_absolute_url("directory:listing", row.uuid),
        "logo": build_absolute_url("directory:logo", row.uuid) if row.has_logo else None,
        "partner": {"name": row.publisher, "slug": row.publisher_slug},
        "product": row.product,
        "program": {"key": row.program, "name": PROGRAMS[row.program].name},
        "track": row.track or None,
        "category": {"key": row.category, "name": row.category_name} if row.category else None,
        "tier": {"key": row.tier, "name": row.tier_name} if row.tier else None,
        "listing_status": {
            "key": row.listing_status,
            "name": public_status.label,
            "description": public_status.description,
            "began_at": row.listing_status_since.isoformat() if row.listing_status_since else None,
        },
        "version": row.version or None,
        "platforms": row.platforms.split(),
        "listed_at": row.listed_at.isoformat(),
        "changed_at": row.changed_at.isoformat(),
        "support": serialize_support_metrics(row),
    }


def serialize_support_metrics(row: Listing) -> dict[str, object]:
    """Return the support record.

    `has_enough_data` is false if the sample is too small for a percentage. `target` is None while it isn't measurable.
    """
    return {
        "days": PERIOD_DAYS,
        "on_time_share": row.on_time_share,
        "settled": row.settled_count,
        "median_hours_to_first_response": row.median_hours,
        "responses": row.response_count,
        "median_hours_to_resolution": row.median_resolution_hours,
        "resolutions": row.resolution_count,
        "data_incomplete": row.data_incomplete,
        "minimum": MIN_SAMPLE_SIZE,
        "has_enough_data": row.settled_count >= MIN_SAMPLE_SIZE,
        "target": row.sla_target or None,
    }
