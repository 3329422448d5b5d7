"""Tabs of the review queue, whose conditions apply to integrations and to items, and the review that comes next."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import F, Q, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Concat
from django.db.models.lookups import Contains
from django.utils import timezone
from django.utils.translation import gettext_noop

from integrations.partners import permission_conditions
from integrations.reviews.models import Snooze
from integrations.submissions.models import Integration
from integrations.submissions.workflow.compliance_guards import build_exclusion_condition
from portal.accounts.models import User
from portal.accounts.role_names import list_programs
from portal.audit.models import AuditEvent
from portal.core.compiled_queries import CompiledQuery

TAB_LABELS = {
    "all": gettext_noop("All"),
    "overdue": gettext_noop("Overdue"),
    "today": gettext_noop("Due today"),
    "mine": gettext_noop("Mine"),
    "free": gettext_noop("Unclaimed"),
    "snoozed": gettext_noop("Snoozed"),
}


# What people do with items records an event. Time, renewed claims, and repeated checks change the queue without one,
# and the event of a long transaction can have a lower ID than one that another transaction already stored.
LAST_EVENT_ID = CompiledQuery(lambda: AuditEvent.objects.order_by("-pk").values_list("pk", flat=True)[:1])


def build_snoozed_condition(now: datetime | Combinable, prefix: str = "") -> Q:
    """Return the condition for rows that are snoozed until a time or until the next party becomes responsible.

    The integration of a row is at the prefix.
    """
    snoozes = Snooze.objects.filter(until__gt=now, at__gte=F("integration__responsible_since"))
    return Q(**{f"{prefix}pk__in": snoozes.values("integration")})


def build_former_reviewer_condition() -> Q:
    """Return the condition for rows whose reviewer lost the role or the program, or whose account is deactivated."""
    # The same rule as can_review_program: reviewers of some programs have an entry for each of them.
    roles = Cast("reviewer__program_roles", TextField())
    is_limited = Q(Contains(roles, Value('"reviewer:')))
    is_of_program = Q(Contains(roles, Concat(Value('"reviewer:'), "program_key", Value('"'))))
    return Q(reviewer__is_active=False) | Q(reviewer__is_reviewer=False) | is_limited & ~is_of_program


def get_end_of_day(now: datetime) -> datetime:
    """Return the next midnight in the current time zone."""
    return timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)


def list_tab_conditions(user: User, now: datetime) -> dict[str, Q]:
    """Return the conditions of the tabs for rows that aren't snoozed.

    Rows that others must decide on are neither the user's nor unclaimed. Unclaimed rows have no reviewer who can
    decide, or an expired claim, and the user can claim them: no conflict of interest forbids it. Reviewers of some
    programs have those of the programs that they review or manage.
    """
    is_excluded = build_exclusion_condition(user)
    is_former_reviewer = build_former_reviewer_condition()
    is_in_programs = Q()
    if user.is_reviewer and (programs := list_programs(user, "reviewer")):
        # A company has no program.
        is_in_programs = Q(program_key__in=[*programs, *list_programs(user, "manager"), ""])
    return {
        "all": Q(),
        "overdue": Q(action_due_at__lt=now),
        "today": Q(action_due_at__gte=now, action_due_at__lt=get_end_of_day(now)),
        "mine": Q(reviewer=user) & ~is_former_reviewer & ~is_excluded,
        "free": (
            Q(reviewer=None)
            | is_former_reviewer
            | Q(claim_expires_at__lte=now)
            | build_exclusion_condition(F("reviewer"))
        )
        & is_in_programs
        & ~permission_conditions.build_own_approval_condition(user)
        & ~permission_conditions.build_conflict_condition(user)
        & ~is_excluded,
    }


def find_next_review(decided: Integration, user: User, now: datetime) -> UUID | None:
    """Return the most urgent other item of the queue that the user can decide on and that no one else reviews."""
    rows = Integration.objects.in_queue().exclude(pk=decided.pk)
    rows = rows.filter(permission_conditions.build_decision_condition(user)).exclude(
        permission_conditions.build_own_approval_condition(user)
    )
    conditions = list_tab_conditions(user, now)
    rows = rows.filter(conditions["mine"] | conditions["free"]).exclude(build_snoozed_condition(now))
    return rows.values_list("uuid", flat=True).first()
