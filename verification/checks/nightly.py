"""Schedule of nightly check runs.

Each integration has its own time of night, so that the runs don't all start together. A planned run is an open row with
a due time, like any other; a manual request brings it forward.
"""

import hashlib
from datetime import datetime, time, timedelta
from functools import cache, partial

from integrations.programs.registry import PROGRAMS
from integrations.submissions.models import Integration
from portal.jobs.batches import process_each
from verification.checks import execution
from verification.checks.models import CheckRun
from verification.checks.services.runner import list_checked_requirements
from verification.checks.services.runs import plan_check_run

NIGHTLY_REASON = "Nightly run"
WINDOW_START = time(22, 0)  # UTC
WINDOW_DURATION = timedelta(hours=8)
MIN_RUN_INTERVAL = timedelta(hours=6)  # minimum pause after a run


def calculate_nightly_run_at(integration_id: int, after: datetime) -> datetime:
    """Return the integration's time in the first night after `after`. Both are in UTC."""
    digest = hashlib.sha256(str(integration_id).encode()).digest()
    offset = timedelta(seconds=int.from_bytes(digest[:4]) % int(WINDOW_DURATION.total_seconds()))
    run_at = datetime.combine(after.date() - timedelta(days=1), WINDOW_START, after.tzinfo) + offset
    while run_at <= after:
        run_at += timedelta(days=1)
    return run_at


@cache
def list_programs_with_checks() -> list[str]:
    """Return the programs that have automated checks in any edition."""
    return [key for key, program in PROGRAMS.items() if any(map(execution.list_check_keys, program.editions))]


def plan_nightly_runs(now: datetime, limit: int = 500) -> int:
    """Plan the next nightly run of every open integration without one. Return the number of planned runs."""
    open_run_ids = CheckRun.objects.open().values("integration_id")
    integrations = Integration.objects.open().filter(program_key__in=list_programs_with_checks())
    rows = integrations.exclude(pk__in=open_run_ids).order_by("pk").iterator(chunk_size=200)
    return process_each(rows, partial(_plan_nightly_run, now=now), "plan checks of integration", limit=limit)


def _plan_nightly_run(integration: Integration, now: datetime) -> int:
    if not list_checked_requirements(integration):
        return 0
    run_at = calculate_nightly_run_at(integration.pk, now + MIN_RUN_INTERVAL)
    plan_check_run(integration, now, run_at, NIGHTLY_REASON)
    return 1
