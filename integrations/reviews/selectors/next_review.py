"""Review that opens after a decision."""

from datetime import datetime
from uuid import UUID

from integrations.partners import permission_conditions
from integrations.reviews.selectors.queue import build_snoozed_condition, list_tab_conditions
from integrations.submissions.models import Integration
from portal.accounts.models import User


def find_next_review(decided: Integration, user: User, now: datetime) -> UUID | None:
    """Return the most urgent other item of the queue that the user can decide on and that no one else reviews."""
    rows = Integration.objects.in_queue().exclude(pk=decided.pk)
    rows = rows.filter(permission_conditions.build_decision_condition(user)).exclude(
        permission_conditions.build_own_approval_condition(user)
    )
    conditions = list_tab_conditions(user, now)
    rows = rows.filter(conditions["mine"] | conditions["free"]).exclude(build_snoozed_condition(now))
    return rows.values_list("uuid", flat=True).first()
