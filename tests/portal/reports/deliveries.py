"""Deliveries of reports in tests."""

from datetime import UTC, datetime, timedelta

from portal.notifications.models import EmailMessage

HOUR = timedelta(hours=1)
MONDAY = datetime(2026, 4, 20, 8, 0, tzinfo=UTC)  # after week 16


def list_readers() -> list[str]:
    return list(EmailMessage.objects.filter(name="report").order_by("to", "key").values_list("to", flat=True))
