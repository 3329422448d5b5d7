"""Who may change what was told of issues, and what the sweep did? Nobody: the database itself refuses."""

from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from integrations.partners.models import Partner
from integrations.sla.models import ClockEvent, IssueEvent
from tests.integrations.sla.clocks import clock_of, issue_of
from tests.integrations.sla.watched import OPENED, supported, watch_over

STATEMENTS = ["UPDATE {} SET at = at", "DELETE FROM {}"]
if connection.vendor == "sqlite":  # there the tests themselves, and nobody else, delete: see portal/core/append_only.py
    STATEMENTS.remove("DELETE FROM {}")


@pytest.fixture
def told(acme: Partner) -> Any:
    issue = issue_of(watch_over(supported(acme)), 1, OPENED)
    IssueEvent.objects.create(issue=issue, key="opened", kind="opened", at=OPENED, seen_at=OPENED, source="poll")
    clock = clock_of(issue, OPENED)
    ClockEvent.objects.create(clock=clock, kind="warned", share=50, due_at=OPENED, at=OPENED)
    return issue


@pytest.mark.parametrize("table", [IssueEvent._meta.db_table, ClockEvent._meta.db_table])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_what_was_told_cannot_be_changed(told: Any, statement: str, table: str) -> None:
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement.format(table))
    assert IssueEvent.objects.get(issue=told).at == ClockEvent.objects.get(clock__issue=told).at == OPENED
