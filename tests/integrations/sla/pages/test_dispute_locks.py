"""Tests of the dispute page during concurrent changes on PostgreSQL."""

import threading
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from integrations.sla.models import SupportIssue
from integrations.sla.services import disputes, monitoring
from portal.accounts.models import User

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]


def test_dispute_page_does_not_wait_for_locks(
    issues: dict[str, SupportIssue], alice: User, rita: User, sign_in: Any
) -> None:
    issue = issues["breached"]
    disputes.dispute_breach(issue, "It never was critical.", actor=alice, now=timezone.now())
    client = sign_in(rita)
    is_locked = threading.Event()
    is_read = threading.Event()

    def hold_lock() -> None:
        with transaction.atomic():
            monitoring.lock_repository(issue.monitored_repository_id, wait=True)
            is_locked.set()
            is_read.wait(30)
        connection.close()

    holder = threading.Thread(target=hold_lock)
    holder.start()
    try:
        assert is_locked.wait(30)
        page = client.get(f"/issues/{issue.uuid}/dispute/").text
    finally:
        is_read.set()
        holder.join()
    assert "The effect isn't available right now. Reload the page." in page.replace("&#x27;", "'")
    assert page.count("breached → no breach") == 0
    assert client.get(f"/issues/{issue.uuid}/dispute/").text.count("breached → no breach") == 3
