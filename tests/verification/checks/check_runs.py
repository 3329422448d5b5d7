"""Helpers that run all checks of an integration and read a result."""

from datetime import timedelta
from types import SimpleNamespace

from integrations.submissions.models import Integration, RequirementFulfillment
from verification.checks.models import CheckResult
from verification.checks.runner import list_checked_requirements, run_integration_checks

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
KEY = "repository.public"


VISIBLE = SimpleNamespace(github=SimpleNamespace(repository=lambda full_name: None))


def look(row, now):
    return run_integration_checks(Integration.objects.get(pk=row.pk), now=now, sources=VISIBLE)


def state(row, key=KEY):
    mine = next(r for r in list_checked_requirements(row) if key in r.checks)
    return RequirementFulfillment.objects.get(integration=row, requirement_id=mine.id)


def newest(row, key=KEY):
    return CheckResult.objects.filter(integration=row).newest().get(key=key)
