"""Tests of concurrent changes of reports on PostgreSQL."""

import threading
from datetime import datetime

import pytest
from django.db import connection

from integrations.partners.models import Partner
from integrations.sla.models import MonitoredRepository
from portal.accounts.models import User
from portal.notifications.models import EmailMessage
from portal.reports import tasks
from portal.reports.deliveries import deliver_report
from portal.reports.models import Frequency
from portal.reports.recipients import list_recipients
from portal.reports.scopes import find_report_scope
from portal.reports.unsubscribe import update_subscription
from tests.portal.reports.deliveries import HOUR, MONDAY

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="row locks need a real PostgreSQL"),
]


def test_reader_who_unsubscribes_during_a_delivery_gets_no_report(
    monitored_repository: MonitoredRepository, acme: Partner, alice: User
) -> None:
    report_scope = find_report_scope(f"partner:{acme.slug}")
    assert report_scope
    (period,) = tasks.list_due_periods(tasks.PeriodKind.WEEK, MONDAY)
    snapshot = tasks.get_or_create_snapshot(report_scope, period, MONDAY - 7 * HOUR)

    def unsubscribe() -> None:
        update_subscription(alice, report_scope.key, Frequency.NEVER)
        connection.close()

    thread = threading.Thread(target=unsubscribe)

    def get_hold_until(reader: User) -> datetime:
        if not thread.ident:
            thread.start()
            thread.join(timeout=1)  # ends only if it doesn't wait for the delivery
        return MONDAY

    deliver_report(snapshot, list_recipients(report_scope), MONDAY - 7 * HOUR, get_hold_until)
    thread.join()
    assert EmailMessage.objects.values_list("to", "state").get(name="report") == ("alice@acme.example", "canceled")
