"""Transitions of the compliance procedure in tests."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform_transition
from portal.core.errors import ActionRefused

DAY = timedelta(days=1)
ARGUMENTS_BY_TRANSITION: dict[str, dict[str, Any]] = {
    "suggest_notice": {"request": "sla_breaches", "params": {"count": 2, "days": 90}, "reason": "2 breaches"},
    "pause_deadline": {"activities": []},
}
REASON = "The SLA targets were missed."


def fresh(row: Integration) -> Integration:
    return Integration.objects.select_related("partner").get(pk=row.pk)


def take(row: Integration, step: str, by: Any, now: datetime, **inputs: Any) -> Integration:
    perform_transition(fresh(row), step, actor=by, note=REASON, now=now, **inputs)
    return fresh(row)


def refusal(row: Integration, step: str, by: Any, now: datetime) -> str:
    with pytest.raises(ActionRefused) as error:
        perform_transition(fresh(row), step, actor=by, note=REASON, now=now)
    return str(error.value)


def get_next_action(row: Integration) -> tuple[str, str, str]:
    row = fresh(row)
    return row.listing_status, row.responsible_party, row.next_action_label
