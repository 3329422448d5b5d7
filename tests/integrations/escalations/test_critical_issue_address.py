"""Tests that the program learns how to reach the partner about critical issues."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from integrations.escalations import services as escalation
from integrations.sla import notifications, tasks as clocks
from integrations.sla.models import MonitoredRepository
from integrations.submissions.services import requirements
from portal.notifications.models import EmailMessage
from tests.integrations.database_rows import reload_row
from tests.integrations.sla.rows import create_clock_row, create_issue_row

HOUR = timedelta(hours=1)


@pytest.mark.parametrize(("severity", "expected_counts"), [("critical", [0, 1, 1]), ("other", [0, 0, 0])])
def test_emails_to_the_program_name_the_address_for_critical_issues(
    integration_at: Any, rob: Any, now: datetime, severity: str, expected_counts: list[int]
) -> None:
    row = integration_at("support")
    row.partner.alliances_manager = rob
    row.partner.save()
    requirements.submit_answer(reload_row(row), "NO-9", {"escalation": "pager@acme.example"}, actor=None, now=now)
    monitored_repository = MonitoredRepository.objects.get()
    monitored_repository.data_up_to = now + 99 * HOUR
    monitored_repository.save()
    issue = create_issue_row(monitored_repository, 7, now - 48 * HOUR)
    create_clock_row(issue, now + HOUR, severity=severity)
    clocks.advance_due_clocks(now + 2 * HOUR)
    notifications.send_due_notifications(now + 2 * HOUR)
    escalation.escalate_due(now + 26 * HOUR)
    texts = EmailMessage.objects.filter(name__in=("issues_breached", "escalated")).order_by("pk").values_list("text")
    sentence = "Email address for critical issues: pager@acme.example"
    assert [text.count(sentence) for (text,) in texts] == expected_counts
