"""Items of all kinds in the review queue: counts, order, and pages, for any number of kinds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import (
    BooleanField,
    CharField,
    Count,
    ExpressionWrapper,
    F,
    Min,
    Q,
    QuerySet,
    Value,
    Window,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Coalesce, Concat, RowNumber

from integrations.partners import permission_conditions
from integrations.reviews.models import QueueItem
from integrations.reviews.selectors.queue import (
    LAST_EVENT_ID,
    TAB_LABELS,
    build_former_reviewer_condition,
    build_snoozed_condition,
    list_tab_conditions,
)
from integrations.reviews.selectors.queue_compiled import Items, select_compiled
from integrations.reviews.selectors.queue_kinds import (
    IS_APPEAL,
    IS_ONLY_UNSIGNED,
    ITEM_COLUMNS,
    KINDS,
    UNSIGNED_AGREEMENTS,
    list_stale_listings,
)
from integrations.reviews.selectors.queue_union import select_items
from integrations.submissions.models import Integration, RequirementFulfillment
from integrations.submissions.workflow.compliance_guards import build_exclusion_condition
from integrations.submissions.workflow.states import FINAL_STAGES, ResponsibleParty
from portal.accounts.models import User
from portal.core.figures import read_figures

Filters = Mapping[str, str]
SORT_COLUMNS = {
    "name": ("name_key",),
    "program": ("program_key", "step"),
    "age": ("began_at",),
    "reviewer": ("reviewer_name", "reviewer_email"),
    "due": ("action_due_at",),
}
SORT_ORDERS = ("", *SORT_COLUMNS, *(f"-{name}" for name in SORT_COLUMNS))
OPEN_TABS = tuple(tab for tab in TAB_LABELS if tab != "snoozed")
# Ends with what is unique, so that a page and a cursor of the API neither repeat nor lose an item.
MOST_URGENT_FIRST = ("action_due_at", "integration_id", "began_at", "uuid", "slug")  # identifies an item
# SQLite and PostgreSQL differ in where NULL sorts.
ORDER_BY_URGENCY = {name: F(name).asc(nulls_last=True) for name in MOST_URGENT_FIRST}
RELATED_NAMES = {"partner_name": "partner__name", "partner_state": "partner__verification_state"}
REVIEWER_COLUMNS = {
    "reviewer_name": Coalesce("reviewer__name", Value(""), output_field=CharField()),
    "reviewer_email": Coalesce("reviewer__email", Value(""), output_field=CharField()),
    "is_former_reviewer": ExpressionWrapper(build_former_reviewer_condition(), BooleanField()),
}
ONLY_IN_CONDITIONS = {"category", "deadline_pause_reason", "waiting_since"}
COLUMN_NAMES = tuple(name for name in ITEM_COLUMNS if name not in ONLY_IN_CONDITIONS)
ITEM_NAMES = (*COLUMN_NAMES, "began_at", *RELATED_NAMES, *REVIEWER_COLUMNS)


@dataclass(frozen=True, slots=True)
class QueueSummary:
    """Filters of the queue, and figures by kind: counts by tab, and since when the oldest item waits."""

    filters: Filters
    counts: Mapping[str, Mapping[str, int]]
    oldest: Mapping[str, datetime]

    def count(self, kind: str, tab: str) -> int:
        """Return the number of items of a kind, or of all kinds without one, in a tab."""
        return sum(counts[tab] for key, counts in self.counts.items() if kind in ("", key))

    def get_oldest(self, kind: str) -> datetime | None:
        """Return since when the oldest item of a kind, or of all kinds without one, waits."""
        return min((since for key, since in self.oldest.items() if kind in ("", key)), default=None)


def list_kinds(user: User, filters: Filters) -> list[str]:
    """Return the kinds that a user can see. Only reviewers see decisions; all of them wait for the program."""
    waits_for_program = filters.get("responsible_party", "") in ("", "any", ResponsibleParty.PROGRAM)
    return list(KINDS) if waits_for_program and user.is_reviewer and user.is_active else ["review"]


def filter_items(kinds: Sequence[str], filters: Filters, user: User, now: datetime) -> QuerySet[QueueItem]:
    """Return the filtered items of some kinds: reviews, and decisions that the user can make."""
    condition = _build_review_condition(filters.get("responsible_party") or ResponsibleParty.PROGRAM, user, now)
    if list(kinds) != ["review"]:
        # docs/explanation/compliance.md, "Who decides": for people whom the procedure excludes, the item isn't theirs.
        is_excluded = Q(kind="appeal") & build_exclusion_condition(user)
        can_decide = permission_conditions.build_decision_condition(user) & ~is_excluded
        can_decide_on_partner = permission_conditions.build_partner_decision_condition(user)
        condition |= Q(kind="partner") & can_decide_on_partner | ~Q(kind__in=("review", "partner")) & can_decide
    fields = {"program_key": "program", "stage": "stage", "category": "category"}
    values = {column: filters[name] for column, name in fields.items() if filters.get(name)}
    if values:
        partners = Integration.objects.filter(**values).values("partner")
        # A company has no program of its own. It is shown if one of its integrations matches the filters.
        condition &= Q(**values) | Q(kind="partner", partner__in=partners)
    if filters.get("age"):
        condition &= Q(began_at__lte=now - timedelta(days=int(filters["age"])))
    rows = select_items(kinds, user, now).filter(condition)
    if "agreement" in kinds:
        # A condition of its own, because its subquery is applied after the union.
        is_selected = Q(key__in=_list_most_urgent_agreements(values, user, now))
        rows = rows.alias(key=_build_key("uuid", "slug")).filter(~Q(kind="agreement") | is_selected)
    return rows


def _build_key(uuid: str, slug: str) -> Combinable:
    """Return the columns as one, because Django adds a comparison of several to the query of a window function."""
    return Concat(Cast(uuid, CharField()), slug)


def _list_most_urgent_agreements(values: Filters, user: User, now: datetime) -> QuerySet[RequirementFulfillment, Any]:
    """Return the keys of the items for agreements, each on the most urgent integration that the user can sign for.

    One signature counts for all integrations of the partner, so it is one item. It is snoozed only if all integrations
    are that wait for nothing else.
    """
    is_due = Q(due_at__isnull=False) & ~build_snoozed_condition(now, "integration__")
    can_sign = Q(**values) & permission_conditions.build_decision_condition(user)
    # A comparison of each agreement with the others would take seconds for a thousand of them.
    rank = Window(
        RowNumber(),
        partition_by=("integration__partner", "agreement"),
        order_by=(
            ExpressionWrapper(is_due, BooleanField()).desc(),
            F("due_at").asc(nulls_last=True),
            "integration__uuid",
        ),
    )
    rows = UNSIGNED_AGREEMENTS.filter(integration__in=Integration.objects.filter(can_sign)).annotate(rank=rank)
    return rows.filter(rank=1).values_list(_build_key("integration__uuid", "requirement_id"))


def _build_review_condition(responsible_party: str, user: User, now: datetime) -> Q:
    """Return the condition for integrations of a responsible party that aren't items of another kind for the user."""
    # One decision is one item. For those who can't make it, the integration stays in the list as a review.
    has_other_kind = Q(next_action_code="decide_on_partner") | IS_ONLY_UNSIGNED
    has_other_kind |= IS_APPEAL & ~build_exclusion_condition(user)
    is_selected = Q(responsible_party=responsible_party)
    if responsible_party == "any":
        is_selected = ~Q(stage__in=FINAL_STAGES)
        has_other_kind |= Q(integration__in=list_stale_listings(now).values("pk"))
    return Q(kind="review") & is_selected & ~(has_other_kind & permission_conditions.build_decision_condition(user))


def summarize_queue(filters: Filters, user: User, now: datetime, last_event_id: object | None = None) -> QueueSummary:
    """Return all figures. Large results are cached until the next event, for at most half a minute.

    `last_event_id`: LAST_EVENT_ID if the caller has read it.
    """
    kinds = list_kinds(user, filters)
    if last_event_id is None:
        last_event_id = LAST_EVENT_ID.fetch()
    # The key contains everything that the figures depend on, except for the time.
    key = f"queue {last_event_id} {user.pk} {user.program_roles} {kinds} {sorted(filters.items())}"
    return read_figures(
        key, lambda: _summarize(filters, user, now, kinds), lambda summary: summary.count("", "all"), seconds=30
    )


def _summarize(filters: Filters, user: User, now: datetime, kinds: Sequence[str]) -> QueueSummary:
    tuples = select_compiled(_count_items, filters, user, now, tuple(kinds))
    counts = {kind: dict.fromkeys(TAB_LABELS, 0) for kind in kinds}
    oldest: dict[str, datetime] = {}
    for kind, is_in_snoozed_tab, since, *numbers in tuples:
        if since is not None:
            oldest[kind] = min(since, oldest.get(kind, since))
        if is_in_snoozed_tab:
            counts[kind]["snoozed"] = numbers[0]
        else:
            counts[kind].update(zip(OPEN_TABS, numbers, strict=True))
    return QueueSummary(filters, counts, oldest)


def _count_items(filters: Filters, user: User, now: datetime, kinds: Sequence[str]) -> Items:
    conditions = list_tab_conditions(user, now)
    figures = {f"{tab}_count": Count("kind", filter=conditions[tab]) for tab in OPEN_TABS}
    rows = filter_items(kinds, filters, user, now).values_list("kind", "is_snoozed")
    counted: Items = rows.annotate(oldest=Min("began_at"), **figures)
    return counted


def list_items(
    summary: QueueSummary, kind: str, tab: str, user: User, now: datetime, sort: str = "", after: Q | None = None
) -> Items:
    """Return the items of a kind, or of all kinds without one, in a tab as tuples of ITEM_NAMES.

    `after` is a condition of `build_position_condition`, for the order without `sort`.
    """
    kinds = _list_present_kinds(summary, kind, tab)
    rows = (
        _sort_items(summary.filters, user, now, kinds, tab, sort) if kinds else QueueItem.objects.none().values_list()
    )
    return rows.filter(after or Q())


def list_page_items(
    summary: QueueSummary, kind: str, tab: str, user: User, now: datetime, sort: str = "", *more_names: str
) -> Items:
    """Return the same items for one page of them, compiled, with more columns, such as the number of changes."""
    kinds = _list_present_kinds(summary, kind, tab)
    if not kinds:
        return QueueItem.objects.none().values_list()
    return select_compiled(_sort_items, summary.filters, user, now, kinds, tab, sort, *more_names)


def _list_present_kinds(summary: QueueSummary, kind: str, tab: str) -> tuple[str, ...]:
    """Return the kinds with items. Others don't take part in the query."""
    return tuple(key for key in summary.counts if kind in ("", key) and summary.count(key, tab))


def _sort_items(
    filters: Filters, user: User, now: datetime, kinds: Sequence[str], tab: str, sort: str, *more_names: str
) -> Items:
    condition = list_tab_conditions(user, now).get(tab, Q()) & Q(is_snoozed=tab == "snoozed")
    rows = filter_items(kinds, filters, user, now).filter(condition)
    columns = SORT_COLUMNS.get(sort.removeprefix("-"), ())
    orders = [F(name) for name in columns]
    return _select_values(rows, *more_names).order_by(
        *(order.desc(nulls_last=True) if sort.startswith("-") else order.asc(nulls_last=True) for order in orders),
        *(order for name, order in ORDER_BY_URGENCY.items() if name not in columns),
    )


def build_position_condition(values: Sequence[object]) -> Q:
    """Return the condition for items after one with these values of MOST_URGENT_FIRST. None is the last value."""
    is_after = Q(kind__in=())
    is_equal = Q()
    for name, value in zip(MOST_URGENT_FIRST, values, strict=True):
        if value is None:
            is_equal &= Q(**{f"{name}__isnull": True})
        else:
            # NULL is last in every order, and no comparison with it is true.
            is_after |= is_equal & (Q(**{f"{name}__gt": value}) | Q(**{f"{name}__isnull": True}))
            is_equal &= Q(**{name: value})
    return is_after


def _select_values(rows: QuerySet[QueueItem], *more_names: str) -> QuerySet[QueueItem, tuple[Any, ...]]:
    return rows.annotate(**REVIEWER_COLUMNS).values_list(
        *COLUMN_NAMES, "began_at", *RELATED_NAMES.values(), *REVIEWER_COLUMNS, *more_names
    )


def list_decidable_items(filters: Filters, user: User, now: datetime) -> QuerySet[QueueItem, tuple[Any, ...]]:
    """Return the items of all kinds that wait for the user's decision as tuples of ITEM_NAMES, most urgent first.

    These are the user's own and unclaimed ones on which the user can decide. Takes one query.
    """
    conditions = list_tab_conditions(user, now)
    is_waiting = Q(is_snoozed=False) & (conditions["mine"] | conditions["free"])
    can_decide = ~Q(kind="review") | permission_conditions.build_decision_condition(user)
    rows = filter_items(list_kinds(user, filters), filters, user, now).filter(is_waiting, can_decide)
    return _select_values(rows).order_by(*ORDER_BY_URGENCY.values())
