"""Items of all kinds in the review queue: counts, order, and pages. Each takes one query for any number of kinds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import BooleanField, CharField, Count, ExpressionWrapper, F, Min, Q, QuerySet, Value

from integrations.partners import permission_conditions
from integrations.reviews.selectors.queue import TAB_LABELS, build_snoozed_condition, list_tab_conditions
from integrations.reviews.selectors.queue_kinds import ITEM_COLUMNS, KINDS, Filters, QueueKind, list_kinds
from integrations.submissions.models import Integration
from portal.accounts.models import User

SORT_COLUMNS = {
    "name": ("name_key",),
    "program": ("program_key", "step"),
    "age": ("began_at",),
    "reviewer": ("reviewer_name", "reviewer_email"),
    "due": ("action_due_at",),
}
SORT_ORDERS = ("", *SORT_COLUMNS, *(f"-{name}" for name in SORT_COLUMNS))
OPEN_TABS = tuple(tab for tab in TAB_LABELS if tab != "snoozed")
MOST_URGENT_FIRST = ("action_due_at", "integration_id", "began_at", "uuid", "slug")  # identifies an item
ITEM_NAMES = ("kind", *ITEM_COLUMNS)


@dataclass(frozen=True, slots=True)
class QueueSummary:
    """Figures of the filtered queue by kind: counts by tab, and since when the oldest item waits."""

    counts: Mapping[str, Mapping[str, int]]
    oldest: Mapping[str, datetime]

    def count(self, kind: str, tab: str) -> int:
        """Return the number of items of a kind, or of all kinds without one, in a tab."""
        return sum(counts[tab] for key, counts in self.counts.items() if kind in ("", key))

    def get_oldest(self, kind: str) -> datetime | None:
        """Return since when the oldest item of a kind, or of all kinds without one, waits."""
        return min((since for key, since in self.oldest.items() if kind in ("", key)), default=None)


def summarize_queue(filters: Filters, user: User, now: datetime) -> QueueSummary:
    """Return all figures with one query."""
    kinds = list_kinds(user, filters)
    queries = [_build_figures(kind, filters, user, now) for kind in kinds]
    counts = {kind.key: dict.fromkeys(TAB_LABELS, 0) for kind in kinds}
    oldest: dict[str, datetime] = {}
    for kind, is_snoozed, since, *figures in queries[0].union(*queries[1:], all=True):
        if since is not None:
            oldest[kind] = min(since, oldest.get(kind, since))
        if is_snoozed:
            counts[kind]["snoozed"] = figures[0]
        else:
            counts[kind].update(zip(OPEN_TABS, figures, strict=True))
    return QueueSummary(counts, oldest)


def _build_figures(kind: QueueKind, filters: Filters, user: User, now: datetime) -> QuerySet[Any, tuple[Any, ...]]:
    """Return rows with the kind, whether they count snoozed items, the time of the oldest, and counts by tab.

    The condition for snoozed items occurs once, because it is the most expensive one.
    """
    conditions = list_tab_conditions(user, now) if kind.is_integration else {"all": Q(), "free": Q()}
    is_snoozed = (
        ExpressionWrapper(build_snoozed_condition(now), BooleanField()) if kind.is_integration else Value(False)
    )
    counts = {
        f"{tab}_count": Count("pk", filter=conditions[tab]) if tab in conditions else Value(0) for tab in OPEN_TABS
    }
    rows = _annotate(kind, filters, user, now, ("began_at",)).order_by()
    rows = rows.values(item_kind=Value(kind.key, CharField()), is_snoozed=is_snoozed)
    rows = rows.annotate(oldest=Min("item_began_at"), **counts)
    return rows.values_list("item_kind", "is_snoozed", "oldest", *counts)


def _annotate(kind: QueueKind, filters: Filters, user: User, now: datetime, columns: Iterable[str]) -> QuerySet[Any]:
    """Return the filtered rows of a kind with columns of items, as `item_NAME`."""
    rows = kind.list_rows(filters, user, now)
    rows = rows.annotate(**{f"item_{name}": kind.columns.get(name, ITEM_COLUMNS[name]) for name in columns})
    if filters.get("age"):
        rows = rows.filter(item_began_at__lte=now - timedelta(days=int(filters["age"])))
    return rows


def list_items(
    summary: QueueSummary,
    kind: str,
    tab: str,
    filters: Filters,
    user: User,
    now: datetime,
    sort: str = "",
    after: Q | None = None,
) -> QuerySet[Any, tuple[Any, ...]]:
    """Return the items of a kind, or of all kinds without one, in a tab as tuples of ITEM_NAMES.

    Kinds that have none, according to the summary, don't take part in the query. `after` is a condition of
    `build_position_condition`, for the order without `sort`.
    """
    keys = [key for key in summary.counts if kind in ("", key) and summary.count(key, tab)]
    queries = [_select_items(KINDS[key], tab, filters, user, now, after) for key in keys]
    if not queries:
        return Integration.objects.none().values_list("pk")
    rows = queries[0].union(*queries[1:], all=True) if len(queries) > 1 else queries[0]
    is_descending = sort.startswith("-")
    columns = SORT_COLUMNS.get(sort.removeprefix("-"), ())
    orders = [F(f"item_{name}") for name in columns]
    return rows.order_by(
        *(order.desc(nulls_last=True) if is_descending else order.asc(nulls_last=True) for order in orders),
        *(F(f"item_{name}").asc(nulls_last=True) for name in MOST_URGENT_FIRST if name not in columns),
    )


def build_position_condition(values: Sequence[object]) -> Q:
    """Return the condition for items after one with these values of MOST_URGENT_FIRST. None is the last value."""
    is_after, is_equal = Q(pk__in=()), Q()
    for name, value in zip(MOST_URGENT_FIRST, values, strict=True):
        column = f"item_{name}"
        if value is None:
            is_equal &= Q(**{f"{column}__isnull": True})
        else:
            is_after |= is_equal & (Q(**{f"{column}__gt": value}) | Q(**{f"{column}__isnull": True}))
            is_equal &= Q(**{column: value})
    return is_after


def _select_items(
    kind: QueueKind, tab: str, filters: Filters, user: User, now: datetime, after: Q | None = None
) -> QuerySet[Any, Any]:
    rows = _annotate(kind, filters, user, now, ITEM_COLUMNS).annotate(item_kind=Value(kind.key, CharField()))
    condition = kind.build_tab_condition(tab, user, now)
    return rows.filter(condition or Q(), after or Q()).order_by().values_list(*(f"item_{name}" for name in ITEM_NAMES))


def list_decidable_items(filters: Filters, user: User, now: datetime) -> QuerySet[Any, tuple[Any, ...]]:
    """Return the items of all kinds that wait for the user's decision as tuples of ITEM_NAMES, most urgent first.

    These are the user's own and unclaimed ones on which the user can decide. Takes one query.
    """
    queries = [_select_decidable_items(kind, filters, user, now) for kind in list_kinds(user, filters)]
    return (
        queries[0]
        .union(*queries[1:], all=True)
        .order_by(*(F(f"item_{name}").asc(nulls_last=True) for name in MOST_URGENT_FIRST))
    )


def _select_decidable_items(kind: QueueKind, filters: Filters, user: User, now: datetime) -> QuerySet[Any, Any]:
    if not kind.is_integration:
        return _select_items(kind, "all", filters, user, now)
    conditions = list_tab_conditions(user, now)
    is_theirs = (conditions["mine"] | conditions["free"]) & permission_conditions.build_decision_condition(user)
    return _select_items(kind, "all", filters, user, now).filter(is_theirs)
