"""Transitions of the compliance procedure in tests."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform_transition
from portal.core.errors import ActionRefused
from tests.integrations.database_rows import reload_row

DAY = timedelta(days=1)
ARGUMENTS_BY_TRANSITION: dict[str, dict[str, Any]] = {
    "suggest_notice": {"request": "sla_breaches", "params": {"count": 2, "days": 90}, "reason": "2 breaches"},
    "pause_deadline": {"activities": []},
}
REASON = "The SLA targets were missed."


def perform_and_reload(row: Integration, step: str, by: Any, now: datetime, **inputs: Any) -> Integration:
    perform_transition(reload_row(row), step, actor=by, note=REASON, now=now, **inputs)
    return reload_row(row)


def get_refusal(row: Integration, step: str, by: Any, now: datetime) -> str:
    with pytest.raises(ActionRefused) as error:
        perform_transition(reload_row(row), step, actor=by, note=REASON, now=now)
    return str(error.value)


def get_next_action(row: Integration) -> tuple[str, str, str]:
    row = reload_row(row)
    return row.listing_status, row.responsible_party, row.next_action_label
