"""Filters and tabs of the integrations in the review queue."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db.models import Case, F, OuterRef, Q, QuerySet, Subquery, When
from django.utils import timezone
from django.utils.translation import gettext_noop

from integrations.partners import permission_conditions
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
FIRST_REQUEST = AuditEvent.objects.filter(integration=OuterRef("pk"), event_type="review.requested").order_by("seq")
# Work that comes back after requested changes keeps the age of its first round.
BEGAN_AT = Case(When(review_round__gt=1, then=Subquery(FIRST_REQUEST.values("at")[:1])), default=F("responsible_since"))


def filter_queue(filters: Mapping[str, str], now: datetime) -> QuerySet[Integration]:
    """Return the filtered integrations with the time at which their wait began.

    Those that wait for the program are in the order of their due dates, others in the order of their waits.
    """
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


def build_tab_condition(tab: str, user: User, now: datetime) -> Q:
    """Return the condition of a tab. Snoozed rows are only in their own tab."""
    is_snoozed = build_snoozed_condition(now)
    return is_snoozed if tab == "snoozed" else list_tab_conditions(user, now).get(tab, Q()) & ~is_snoozed


def build_snoozed_condition(now: datetime, prefix: str = "") -> Q:
    """Return the condition for rows that are snoozed until a time or until the next party becomes responsible.

    The integration of a row is at the prefix.
    """
    snoozes = Snooze.objects.filter(until__gt=now, at__gte=F("integration__responsible_since"))
    return Q(**{f"{prefix}pk__in": snoozes.values("integration")})


def list_tab_conditions(user: User, now: datetime) -> dict[str, Q]:
    """Return the conditions of the tabs for rows that aren't snoozed.

    Unclaimed rows are without a reviewer or with an expired claim, and don't wait for another reviewer than the user.
    """
    tomorrow = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    return {
        "all": Q(),
        "overdue": Q(action_due_at__lt=now),
        "today": Q(action_due_at__gte=now, action_due_at__lt=tomorrow),
        "mine": Q(reviewer=user),
        "free": (Q(reviewer=None) | Q(claim_expires_at__lte=now))
        & ~permission_conditions.build_own_approval_condition(user),
    }
