"""Rows for tests: a monitored repository, an issue, and its clock, with the given times."""

from datetime import datetime, timedelta
from typing import Any

from integrations.sla.models import MonitoredRepository, SlaClock, SupportIssue
from integrations.submissions.models import Integration


def create_repository_row(
    integration: Integration, now: datetime, *, data_up_to: datetime | None = None
) -> MonitoredRepository:
    return MonitoredRepository.objects.create(
        integration=integration,
        repository=integration.repository,
        repository_id=integration.repository_id,
        began_at=now - timedelta(days=90),
        data_up_to=data_up_to or now + timedelta(days=3650),
        poll_at=now + timedelta(minutes=5),
    )


def create_issue_row(monitored_repository: MonitoredRepository, number: int, opened_at: datetime) -> SupportIssue:
    return SupportIssue.objects.create(
        monitored_repository=monitored_repository,
        integration=monitored_repository.integration,
        github_id=1000 + number,
        number=number,
        edition=monitored_repository.integration.edition_date,
        title=f"It breaks {number}",
        url=f"https://github.com/{monitored_repository.repository}/issues/{number}",
        author="reporter",
        opened_at=opened_at,
        updated_at=opened_at,
    )


def create_clock_row(issue: SupportIssue, due_at: datetime, **fields: Any) -> SlaClock:
    """Create a committed clock that runs from the opening of the issue, which has the same severity, to `due_at`."""
    allowed_time = due_at - issue.opened_at
    values = {
        "target_type": "resolve",
        "is_committed": True,
        "severity": "critical",
        "state": "running",
        "started_at": issue.opened_at,
        "due_at": due_at,
        "warn50_at": issue.opened_at + allowed_time * 0.5,
        "warn75_at": issue.opened_at + allowed_time * 0.75,
        "warn90_at": issue.opened_at + allowed_time * 0.9,
        "next_at": issue.opened_at + allowed_time * 0.5,
    } | fields
    issue.severity = str(values["severity"])
    issue.save(update_fields=["severity"])
    return SlaClock.objects.create(
        issue=issue, monitored_repository=issue.monitored_repository, integration=issue.integration, **values
    )
