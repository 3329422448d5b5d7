"""Tests that lists, filters, and reports show the severity of an issue, whichever of its targets is in force."""

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from integrations.sla import clock_records, metrics
from integrations.sla.models import SlaClock, SupportIssue
from portal.reports.metrics import build_clock_row
from tests.integrations.sla.monitored_repository import create_listed_integration, monitor_repository
from tests.integrations.sla.pages.issues import create_issue

pytestmark = pytest.mark.any_database


@pytest.fixture
def issue(acme: Any) -> SupportIssue:
    """Return a critical issue of a program whose target for critical issues is only ideal."""
    integration = create_listed_integration(acme, program="terraform-run-task")
    now = timezone.now()
    monitor_repository(integration, now - timedelta(days=3))
    return create_issue(integration, "Critical", now - timedelta(hours=2), labels=("critical",), now=now)


def test_issue_without_a_required_critical_target_is_listed_as_critical(
    sign_in: Any, alice: Any, issue: SupportIssue
) -> None:
    now = timezone.now()
    clock = issue.clocks.get(target_type="resolve")
    assert (clock.severity, clock.is_committed) == ("other", True)  # only this target can be breached
    record = clock_records.list_records(SlaClock.objects.filter(pk=clock.pk), now)[0]
    row = build_clock_row(metrics.list_open_clocks(metrics.GLOBAL_SCOPE, now).get(pk=clock.pk), now)
    assert (record.severity_badge[0], row["severity"]) == ("Critical", "critical")
    client = sign_in(alice)
    severities = {}
    for severity in ("critical", "other"):
        text = b"".join(client.get(f"/exports/sla.csv?severity={severity}").streaming_content).decode()
        severities[severity] = [line["severity"] for line in csv.DictReader(io.StringIO(text))]
    assert severities == {"critical": ["critical"], "other": []}
