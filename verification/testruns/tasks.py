"""Nightly inspections of new releases that the checks verified and whose schema hasn't been read."""

from collections.abc import Collection
from datetime import datetime, timedelta
from functools import partial

from django.db.models import Max, Q

from portal.core.errors import ActionRefused
from portal.jobs.batches import process_each
from verification.checks.models import CheckResult
from verification.checks.nightly import WINDOW_DURATION, WINDOW_START
from verification.testruns.models import TestRun
from verification.testruns.registry import KINDS
from verification.testruns.services import start_test_run

# The check that has read every byte of a release.
ARCHIVE_CHECK_KEY = "release.archive"
GOOD_OUTCOMES = ("pass", "warn")
MAX_RESULT_AGE = timedelta(days=3)
# After an inspection that couldn't run, for example without a sandbox.
RETRY_INTERVAL = timedelta(days=1)


def is_night(now: datetime) -> bool:
    """Return whether it is night in the portal. `now`: UTC."""
    starts_at = now.replace(hour=WINDOW_START.hour, minute=WINDOW_START.minute, second=0, microsecond=0)
    return now >= starts_at or now < starts_at - timedelta(days=1) + WINDOW_DURATION


def request_new_inspections(now: datetime, limit: int = 200) -> int:
    """Request an inspection of each new release, at most `limit`. Return the number of requests."""
    if not is_night(now):
        return 0
    newest = (
        CheckResult.objects.filter(key=ARCHIVE_CHECK_KEY).values("integration").annotate(last=Max("pk")).values("last")
    )
    rows = CheckResult.objects.filter(pk__in=newest, outcome__in=GOOD_OUTCOMES, confirmed_at__gte=now - MAX_RESULT_AGE)
    inspections = TestRun.objects.filter(kind=TestRun.Kind.PROVIDER_SCHEMA).filter(
        ~Q(outcome="not_run") | Q(requested_at__gt=now - RETRY_INTERVAL)
    )
    inspected_releases = set(inspections.values_list("integration_id", "version"))
    return process_each(
        rows.select_related("integration__partner").order_by("pk").iterator(),
        partial(_request_missing_inspection, inspected_releases=inspected_releases, now=now),
        "request a new inspection after check result",
        limit=limit,
    )


def _request_missing_inspection(
    row: CheckResult, inspected_releases: Collection[tuple[int, str]], now: datetime
) -> bool:
    """Request an inspection unless there is one. Return whether it was requested."""
    version = dict(row.inspected_revisions).get("version", "")
    is_supported = KINDS[TestRun.Kind.PROVIDER_SCHEMA].is_supported(row.integration)
    if not version or not is_supported or (row.integration_id, version) in inspected_releases:
        return False
    try:
        start_test_run(TestRun.Kind.PROVIDER_SCHEMA, row.integration, {"version": version}, actor=None, now=now)
    except ActionRefused:
        return False
    return True
