"""When is each integration looked at again? Once a night, at a moment of its own, so that not all begin at once.

A run that is to come is an open row with a due moment, like any other; asking for the checks by hand brings it forward.
"""

import hashlib
from datetime import datetime, time, timedelta
from functools import cache

from integrations.programs.registry import PROGRAMS
from integrations.submissions.models import Integration
from verification.checks.models import CheckRun
from verification.checks.runner import list_checked_requirements
from verification.checks.services.runs import plan_check_run

WINDOW_START = time(22, 0)  # UTC
WINDOW_DURATION = timedelta(hours=8)
MIN_RUN_INTERVAL = timedelta(hours=6)  # after a run, there is no other one for so long


def calculate_nightly_run_at(integration_id: int, after: datetime) -> datetime:
    """The integration's own moment in the first night that it falls into after `after`. Both in UTC."""
    digest = hashlib.sha256(str(integration_id).encode()).digest()
    offset = timedelta(seconds=int.from_bytes(digest[:4]) % int(WINDOW_DURATION.total_seconds()))
    window_start_at = after.replace(
        hour=WINDOW_START.hour, minute=WINDOW_START.minute, second=0, microsecond=0
    ) - timedelta(days=1)
    run_at = window_start_at + offset
    while run_at <= after:
        run_at += timedelta(days=1)
    return run_at


@cache
def list_programs_with_checks() -> list[str]:
    """The programs of which some edition has something for machines to look at."""
    return [
        key
        for key, program in PROGRAMS.items()
        if any(requirement.checks for edition in program.editions for requirement in edition.requirements())
    ]


def plan_nightly_runs(now: datetime, limit: int = 500) -> int:
    """Give every open integration without a run to come its moment of the next night. Returns how many it was."""
    open_run_ids = CheckRun.objects.open().values("integration_id")
    integrations = (
        Integration.objects.open()
        .filter(program_key__in=list_programs_with_checks())
        .exclude(pk__in=open_run_ids)
        .order_by("pk")
    )
    planned_count = 0
    for integration in integrations.iterator(chunk_size=200):
        if planned_count == limit:
            break
        if list_checked_requirements(integration):
            run_at = calculate_nightly_run_at(integration.pk, now + MIN_RUN_INTERVAL)
            plan_check_run(integration, now, run_at, "Every night")
            planned_count += 1
    return planned_count
