"""Tests of the delivery of a report: recipients who changed meanwhile, and retries."""

from typing import Any

import pytest

from integrations.partners.models import Partner
from integrations.sla.models import SupportIssue
from portal.accounts.models import User
from portal.jobs.execution import run_due_jobs
from portal.notifications.models import EmailMessage
from portal.reports import presenters, tasks, unsubscribe
from portal.reports.deliveries import deliver_report, request_sending
from portal.reports.models import Frequency, ReportSnapshot
from portal.reports.recipients import list_recipients
from portal.reports.scopes import find_report_scope
from tests.portal.reports.deliveries import HOUR, MONDAY

pytestmark = pytest.mark.any_database


def test_reader_who_unsubscribed_before_the_delivery_gets_no_report(scope: str, acme: Partner, alice: User) -> None:
    report_scope = find_report_scope(scope)
    assert report_scope
    recipients = list_recipients(report_scope)
    unsubscribe.update_subscription(alice, scope, Frequency.NEVER)
    acme.memberships.exclude(user=alice).update(ended_at=MONDAY)
    EmailMessage.objects.filter(name="report").delete()
    assert deliver_report(ReportSnapshot.objects.get(scope=scope, kind="week"), recipients, MONDAY) == 0


def test_email_sent_by_hand_is_retried_for_days(scope: str, sam: User, settings: Any) -> None:
    """The time of its retries begins when it is sent, however long it was scheduled before."""
    settings.EMAIL_STORED_ONLY = False
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST = "127.0.0.1"
    settings.EMAIL_PORT = 9
    EmailMessage.objects.filter(name="report").update(created_at=MONDAY - 99 * HOUR)
    request_sending(ReportSnapshot.objects.get(scope=scope, kind="week"), actor=sam, now=MONDAY - 7 * HOUR)
    run_due_jobs("email", MONDAY - 7 * HOUR)
    assert set(EmailMessage.objects.filter(name="report").values_list("state", flat=True)) == {"queued"}


@pytest.mark.every_database
def test_report_has_issues_whose_opening_is_missing(scope: str) -> None:
    """The portal can learn that a webhook with the opening was forged after the clock started."""
    ReportSnapshot.objects.filter(scope=scope).delete()
    SupportIssue.objects.update(last_commented_at=MONDAY)
    tasks.generate_due_reports(MONDAY)
    figures = ReportSnapshot.objects.get(scope=scope, kind="week").figures
    (row,) = figures["overdue_issues"]
    assert (row["last_commenter_role"], row["last_commented_at"]) == ("", None)
    assert "None" not in presenters.render_csv(figures)


def test_reports_that_cannot_be_created_delay_no_others(scope: str, rob: User) -> None:
    User.objects.filter(pk=rob.pk).update(program_roles=["manager:nomad"])
    ReportSnapshot.objects.filter(scope__in=[scope, "programs"], kind="week").delete()
    # After a comment since, the last one of the week is read from the events, which no one can read.
    SupportIssue.objects.update(last_commented_at=MONDAY)
    issue = SupportIssue.objects.get(number=2)
    issue.events.create(key="x", kind="unknown", at=MONDAY - 100 * HOUR, seen_at=MONDAY, source="poll")
    with pytest.raises(ValueError, match="unknown"):
        tasks.generate_due_reports(MONDAY)
    assert EmailMessage.objects.get(key__startswith="report:program:nomad:").to == rob.email
