"""Filters, order, and figures of the review queue. The figures take one query for any length."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Case, Count, F, Min, OuterRef, Q, QuerySet, Subquery, When
from django.utils import timezone
from django.utils.translation import gettext_noop

from integrations.reviews.models import Snooze
from integrations.submissions.models import Integration
from integrations.submissions.workflow.states import ResponsibleParty
from portal.accounts.models import User
from portal.audit.models import AuditEvent

TAB_LABELS = {
    "all": gettext_noop("All"),
    "overdue": gettext_noop("Overdue"),
    "today": gettext_noop("Due today"),
    "mine": gettext_noop("Mine"),
    "free": gettext_noop("Unclaimed"),
    "snoozed": gettext_noop("Snoozed"),
}
SORT_COLUMNS = {
    "name": ("name_key",),
    "program": ("program_key", "step"),
    "age": ("began_at",),
    "reviewer": ("reviewer__name", "reviewer__email"),
    "due": ("action_due_at",),
}
SORT_ORDERS = ("", *SORT_COLUMNS, *(f"-{name}" for name in SORT_COLUMNS))
FIRST_REQUEST = AuditEvent.objects.filter(integration=OuterRef("pk"), event_type="review.requested").order_by("seq")
# Work that comes back after requested changes keeps the age of its first round.
BEGAN_AT = Case(When(review_round__gt=1, then=Subquery(FIRST_REQUEST.values("at")[:1])), default=F("responsible_since"))


@dataclass(frozen=True, slots=True)
class QueueSummary:
    """Figures above the review queue for the filtered rows."""

    open: int
    oldest: str
    tabs: dict[str, int]


def filter_queue(filters: dict[str, str], now: datetime) -> QuerySet[Integration]:
    """Return the filtered integrations with the time at which their wait began, most urgent first."""
    responsible_party = filters.get("holder") or ResponsibleParty.PROGRAM
    if responsible_party == ResponsibleParty.PROGRAM:
        rows = Integration.objects.in_queue()
    else:
        integrations = (
            Integration.objects.open()
            if responsible_party == "any"
            else Integration.objects.filter(responsible_party=responsible_party)
        )
        rows = integrations.order_by("responsible_since", "pk")
    filters_by_column = {"program_key": "program", "stage": "stage", "category": "category"}
    rows = rows.filter(**{column: filters[name] for column, name in filters_by_column.items() if filters.get(name)})
    rows = rows.annotate(began_at=BEGAN_AT)
    if filters.get("age"):
        rows = rows.filter(began_at__lte=now - timedelta(days=int(filters["age"])))
    return rows


def sort_queue(rows: QuerySet[Integration], sort: str) -> QuerySet[Integration]:
    """Return the rows in an order of SORT_ORDERS, rows without a value last. Without one, the most urgent first."""
    columns = [F(column) for column in SORT_COLUMNS.get(sort.removeprefix("-"), ())]
    if not columns:
        return rows
    is_descending = sort.startswith("-")
    orders = [c.desc(nulls_last=True) if is_descending else c.asc(nulls_last=True) for c in columns]
    return rows.order_by(*orders, "pk")


def build_tab_condition(tab: str, user: User, now: datetime) -> Q:
    """Return the condition of a tab. Unclaimed: without a reviewer, or with an expired claim.

    Snoozed rows are only in their own tab, until the time is over or the next party becomes responsible.
    """
    snoozes = Snooze.objects.filter(until__gt=now, at__gte=F("integration__responsible_since"))
    is_snoozed = Q(pk__in=snoozes.values("integration"))
    if tab == "snoozed":
        return is_snoozed
    tomorrow = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    conditions = {
        "overdue": Q(action_due_at__lt=now),
        "today": Q(action_due_at__gte=now, action_due_at__lt=tomorrow),
        "mine": Q(reviewer=user),
        "free": Q(reviewer=None) | Q(claim_expires_at__lte=now),
    }
    return conditions.get(tab, Q()) & ~is_snoozed


def summarize_queue(rows: QuerySet[Integration], user: User, now: datetime) -> QueueSummary:
    """Return all figures with one query."""
    counts = {tab: Count("pk", filter=build_tab_condition(tab, user, now)) for tab in TAB_LABELS}
    figures = rows.order_by().aggregate(**counts, oldest=Min("began_at"))
    oldest = _format_waiting_time(now - figures["oldest"]) if figures["oldest"] else ""
    return QueueSummary(figures["all"], oldest, {tab: figures[tab] for tab in TAB_LABELS})


def _format_waiting_time(duration: timedelta) -> str:
    """Return the days, or the hours below two days, such as "6 d"."""
    return f"{duration.days} d" if duration.days > 1 else f"{int(duration.total_seconds() // 3600)} h"
