"""Checks of the demo world: the portal's own, run against the fictional repositories."""

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from functools import partial

from integrations.submissions.models import Integration
from integrations.submissions.workflow.states import FULFILLED_STATUSES
from portal.demo.repositories import compute_id, describe_repository
from portal.demo.sources import build_sources
from portal.jobs.batches import process_each
from verification.checks.models import CheckResult
from verification.checks.services.facts import refresh_facts
from verification.checks.services.runner import run_integration_checks
from verification.sources import Sources

MIN_RUN_INTERVAL = timedelta(hours=20)


def is_fictional(integration: Integration) -> bool:
    """Return whether the repository is one of the demo world, and not one that a person entered."""
    return integration.repository_id == compute_id(integration.repository)


def build_integration_sources(integration: Integration, now: datetime, *, is_available: bool = True) -> Sources:
    """Return the sources that describe the repository at a time. If they aren't available, they don't respond."""
    return build_sources(describe_repository(integration, now), is_available=is_available)


def run_checks(
    integration: Integration, requirement_ids: Collection[str], now: datetime, *, is_available: bool = True
) -> None:
    """Run the checks of these requirements and store the results."""
    sources = build_integration_sources(integration, now, is_available=is_available)
    run_integration_checks(integration, requirement_ids, now=now, sources=sources)


def confirm_stale_checks(integration: Integration, now: datetime) -> bool:
    """Confirm passed checks whose results are stale, as nightly runs without a change do. Return whether any was."""
    stale = integration.fulfillments.filter(valid_until__lte=now, status__in=FULFILLED_STATUSES)
    return bool(stale.update(valid_until=now + MIN_RUN_INTERVAL))


def run_initial_checks(now: datetime) -> None:
    """Run all checks like run_nightly_checks(), but raise RuntimeError at the first integration that fails."""
    for integration in _list_due_integrations(now):
        try:
            _run_all_checks(integration, now)
        except Exception as error:
            raise RuntimeError(f"The checks of {integration.name} failed.") from error


def run_nightly_checks(now: datetime) -> None:
    """Run all checks of the open integrations with fictional repositories that have no recent result."""
    process_each(_list_due_integrations(now), partial(_run_all_checks, now=now), "check integration")


def _list_due_integrations(now: datetime) -> Iterator[Integration]:
    recent = CheckResult.objects.filter(confirmed_at__gt=now - MIN_RUN_INTERVAL).values("integration")
    integrations = Integration.objects.open().select_related("partner").exclude(pk__in=recent).order_by("pk")
    return filter(is_fictional, integrations)


def _run_all_checks(integration: Integration, now: datetime) -> None:
    sources = build_integration_sources(integration, now)
    run_integration_checks(integration, now=now, sources=sources)
    refresh_facts(integration, sources, now)
