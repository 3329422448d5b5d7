"""Tests that the database refuses changes of stored events and clock runs."""

from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from integrations.partners.models import Partner
from integrations.sla.models import SlaClockEvent, SupportIssueEvent
from tests.integrations.sla.clocks import clock_of, issue_of
from tests.integrations.sla.watched import OPENED_AT, create_listed_integration, watch_over

STATEMENTS = ["UPDATE {} SET at = at", "DELETE FROM {}"]
if connection.vendor == "sqlite":  # rows can be deleted there: see portal/core/append_only.py
    STATEMENTS.remove("DELETE FROM {}")


@pytest.fixture
def issue(acme: Partner) -> Any:
    issue = issue_of(watch_over(create_listed_integration(acme)), 1, OPENED_AT)
    SupportIssueEvent.objects.create(
        issue=issue, key="opened", kind="opened", at=OPENED_AT, seen_at=OPENED_AT, source="poll"
    )
    clock = clock_of(issue, OPENED_AT)
    SlaClockEvent.objects.create(clock=clock, kind="warned", share=50, due_at=OPENED_AT, at=OPENED_AT)
    return issue


@pytest.mark.parametrize("table", [SupportIssueEvent._meta.db_table, SlaClockEvent._meta.db_table])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_stored_events_cannot_be_changed(issue: Any, statement: str, table: str) -> None:
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement.format(table))
    assert (
        SupportIssueEvent.objects.get(issue=issue).at == SlaClockEvent.objects.get(clock__issue=issue).at == OPENED_AT
    )
