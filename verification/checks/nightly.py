"""When is each integration looked at again? Once a night, at a moment of its own, so that not all begin at once.

A run that is to come is an open row with a due moment, like any other; asking for the checks by hand brings it forward.
"""

import hashlib
from datetime import datetime, time, timedelta
from functools import cache

from integrations.programs.registry import PROGRAMS
from integrations.submissions.models import Integration
from verification.checks.models import CheckRun
from verification.checks.runner import checked
from verification.checks.services.runs import open_run

BEGINS = time(22, 0)  # UTC
LASTS = timedelta(hours=8)
EARLIEST = timedelta(hours=6)  # after a run, there is no other one for so long


def slot(integration_id: int, after: datetime) -> datetime:
    """The integration's own moment in the first night that it falls into after `after`. Both in UTC."""
    digest = hashlib.sha256(str(integration_id).encode()).digest()
    offset = timedelta(seconds=int.from_bytes(digest[:4]) % int(LASTS.total_seconds()))
    tonight = after.replace(hour=BEGINS.hour, minute=BEGINS.minute, second=0, microsecond=0) - timedelta(days=1)
    moment = tonight + offset
    while moment <= after:
        moment += timedelta(days=1)
    return moment


@cache
def with_checks() -> list[str]:
    """The programs of which some edition has something for machines to look at."""
    return [
        key
        for key, program in PROGRAMS.items()
        if any(requirement.checks for edition in program.editions for requirement in edition.requirements())
    ]


def plan(now: datetime, limit: int = 500) -> int:
    """Give every open integration without a run to come its moment of the next night. Returns how many it was."""
    waiting = CheckRun.objects.open().values("integration_id")
    rows = Integration.objects.open().filter(program_key__in=with_checks()).exclude(pk__in=waiting).order_by("pk")
    planned = 0
    for row in rows.iterator(chunk_size=200):
        if planned == limit:
            break
        if checked(row):
            open_run(row, by=None, now=now, due_at=slot(row.pk, now + EARLIEST), nightly=True, reason="Every night")
            planned += 1
    return planned
