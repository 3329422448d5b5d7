"""What did a person of the program accept for good, although a check speaks against it? A new owner, a new key.

A waiver lets a requirement go for a while; this says that what the check found is right from now on.
"""

from datetime import datetime
from typing import Any

from django.db import transaction

from integrations.partners import permissions
from integrations.submissions.models import Integration
from integrations.submissions.services.requirements import refuse_when_ended
from integrations.submissions.services.transitions import changing, perform
from portal.audit.services import record
from portal.core.errors import NotAllowed
from verification.checks.models import CheckResult, Observation
from verification.checks.runner import FROZEN
from verification.checks.services import observations, runs
from verification.checks.types import ACCEPTED, CHECKS


def acceptable(result: CheckResult | None) -> tuple[str, str]:
    """What of a result could be accepted: the thing and its value, as ("new owner", "9"); blank where nothing."""
    check = CHECKS.get(result.key) if result is not None else None
    if result is None or check is None or not check.accepts:
        return "", ""
    return next(((thing, value) for thing, value in result.looked_at if thing == check.accepts), ("", ""))


def _holds(row: Integration, key: str) -> bool:
    """Whether the integration is on hold for what this check found, and for nothing else."""
    if not row.hold:
        return False
    kept = Observation.objects.filter(integration=row, key=FROZEN, source=key)
    return any(str(value)[:500] == row.hold_reason for value in kept.values_list("value", flat=True))


@transaction.atomic
def accept(integration: Integration, key: str, value: str, by: Any, now: datetime) -> None:
    """Take what the check found for right from now on, and look again. Raises NotAllowed."""
    with changing(integration, permissions.may_decide, by=by, now=now) as row:
        refuse_when_ended(row)
        thing, found = acceptable(CheckResult.objects.filter(integration=row, key=key).settled().first())
        if not found or found != value:
            raise NotAllowed("There is something else to accept by now: look at the check again.", "gone")
        observations.remember(row, key, {f"{ACCEPTED}{key}": value}, now)
        record(row, "accepted", by=by, now=now, check=key, title=CHECKS[key].title, thing=thing, value=value)
    if _holds(row, key):
        perform(row, "resume", by=by, note=f"The {thing} was accepted.", now=now)
    runs.enqueue(integration, by, now, f"The {thing} was accepted")
