"""Test that the database refuses changes of stored events."""

import pytest
from django.db import DatabaseError, connection, transaction

from integrations.partners.models import Partner
from integrations.sla.models import SupportIssueEvent
from tests.integrations.sla.monitored_repository import OPENED_AT, create_listed_integration, monitor_repository
from tests.integrations.sla.rows import create_issue_row

STATEMENTS = ["UPDATE {} SET at = at", "DELETE FROM {}"]
if connection.vendor == "sqlite":  # rows can be deleted there: see portal/core/append_only.py
    STATEMENTS.remove("DELETE FROM {}")


@pytest.mark.parametrize("statement", STATEMENTS)
def test_stored_events_cannot_be_changed(acme: Partner, statement: str) -> None:
    issue = create_issue_row(monitor_repository(create_listed_integration(acme)), 1, OPENED_AT)
    SupportIssueEvent.objects.create(
        issue=issue, key="opened", kind="opened", at=OPENED_AT, seen_at=OPENED_AT, source="poll"
    )
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement.format(SupportIssueEvent._meta.db_table))
    assert SupportIssueEvent.objects.get(issue=issue).at == OPENED_AT
