"""Helpers that run all checks of an integration and read the results."""

from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

from integrations.submissions.models import Integration, RequirementFulfillment
from verification.checks.models import CheckResult
from verification.checks.services.runner import list_checked_requirements, run_integration_checks

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
KEY = "repository.public"
# These checks fail without a request, because the partner hasn't entered what they check.
CHECKS_WITHOUT_REQUESTS = {
    "listing.contacts",
    "listing.links",
    "listing.summary",
    "listing.run_task_docs",
    "nia.provider",
    "plugin.pull_request",
}
SOURCES: Any = SimpleNamespace(
    github=SimpleNamespace(get_repository=lambda full_name: None)
)  # every repository is visible


def run_checks(row: Integration, now: datetime) -> Any:
    return run_integration_checks(Integration.objects.get(pk=row.pk), now=now, sources=SOURCES)


def get_fulfillment(row: Integration, key: str = KEY) -> RequirementFulfillment:
    requirement = next(each for each in list_checked_requirements(row) if key in each.checks)
    return RequirementFulfillment.objects.get(integration=row, requirement_id=requirement.id)


def get_newest_result(row: Integration, key: str = KEY) -> CheckResult:
    return CheckResult.objects.filter(integration=row).newest().get(key=key)
