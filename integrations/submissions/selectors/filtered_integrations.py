"""Filters and orders of the integration list, for the page, exports, and the API."""

from django.db.models import Q, QuerySet

from integrations.submissions.forms.filters import SORT_ORDERS
from integrations.submissions.models import Integration
from portal.core.name_matching import compute_name_key
from portal.core.value_types import NamedValues

FILTERED_COLUMNS = ("stage", "category", "responsible_party", "listing_status")


def build_text_condition(query: str) -> Q:
    """Return the condition for a name, repository, or partner search."""
    condition = Q(name__icontains=query) | Q(repository__icontains=query) | Q(partner__name__icontains=query)
    key = compute_name_key(query)
    return condition | Q(name_key__contains=key) if key else condition


def filter_integrations(rows: QuerySet[Integration], filters: NamedValues) -> QuerySet[Integration]:
    """Return the rows that match all filters, in the requested order."""
    rows = rows.filter(**{name: filters[name] for name in FILTERED_COLUMNS if filters.get(name)})
    if filters.get("program"):
        rows = rows.filter(program_key=filters["program"])
    if filters.get("q"):
        rows = rows.filter(build_text_condition(filters["q"]))
    _, order = SORT_ORDERS.get(filters.get("sort", ""), SORT_ORDERS["newest"])
    return rows.order_by(*order)
