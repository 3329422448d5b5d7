"""Tests of the emails about faults of the audit log."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from integrations.partners.models import Partner
from portal.accounts.models import User
from portal.audit.anchors import write_due_anchor
from portal.audit.services import record_event
from portal.inbox.audit_alerts import report_faults
from portal.notifications.models import EmailMessage
from tests.conftest import create_user
from tests.portal.audit.tampering import execute_without_trigger

pytestmark = pytest.mark.any_database


@pytest.fixture
def log(acme: Partner, now: datetime) -> Partner:
    """Return a company with an event before the anchor of the log, and one after it."""
    record_event(acme, "partner.profile_changed", actor=None, now=now)
    write_due_anchor(now)
    record_event(acme, "partner.profile_changed", actor=None, now=now)
    return acme


def get_emails() -> list[tuple[str, str]]:
    emails = EmailMessage.objects.filter(name="audit_log_faults").order_by("pk")
    return list(emails.values_list("to", "subject"))


def test_no_one_is_notified_of_an_intact_or_empty_log(sam: User, now: datetime, request: Any) -> None:
    assert report_faults(now) == 0
    request.getfixturevalue("log")
    assert (report_faults(now), get_emails()) == (0, [])


def test_administrators_get_one_email_about_the_same_change(log: Partner, rita: User, now: datetime) -> None:
    root = create_user("root@program.example", "Root", is_staff=True, is_superuser=True)
    execute_without_trigger("UPDATE audit_auditevent SET note = 'Forged' WHERE partner_id = %s AND seq > 1", log.pk)
    assert [report_faults(now + timedelta(hours=hours)) for hours in (0, 1)] == [1, 1]
    assert get_emails() == [(root.email, "Audit log changed")]
    text = EmailMessage.objects.get(name="audit_log_faults").text
    fault = f"partner:{log.pk} event 2 (partner.profile_changed): the content was changed after it was written"
    assert f"\n- {fault}\n" in text
    record_event(log, "partner.profile_changed", actor=None, now=now)
    execute_without_trigger("UPDATE audit_auditevent SET note = 'Forged' WHERE partner_id = %s AND seq > 1", log.pk)
    assert (report_faults(now), len(get_emails())) == (2, 2)


def test_missing_key_is_not_called_a_change(log: Partner, now: datetime, settings: Any) -> None:
    root = create_user("root@program.example", "Root", is_staff=True, is_superuser=True)
    settings.AUDIT_KEYS = {"2027": "the newest key"}
    report_faults(now)
    assert get_emails() == [(root.email, "Audit log not verified")]
