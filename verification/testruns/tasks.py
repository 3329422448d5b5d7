"""Which new releases is the schema read of in the night? Those that the checks found authentic and nobody has read."""

from datetime import datetime, timedelta

from celery import shared_task
from django.db.models import Max, Q

from portal.core.errors import NotAllowed
from verification.checks.models import CheckResult
from verification.checks.nightly import BEGINS, LASTS
from verification.testruns.models import SchemaReading
from verification.testruns.services import nomad_plugin_tests as plugins
from verification.testruns.services import provider_lifecycle_tests as lifecycles
from verification.testruns.services import run_task_tests as rehearsals
from verification.testruns.services.provider_schema_inspections import begin, is_read

ASKED = "release.archive"  # the check that has read every byte of a release
GOOD = ("pass", "warn")
RECENT = timedelta(days=3)
AGAIN = timedelta(days=1)  # after a reading that was not run, as where there was no sandbox


def is_night(now: datetime) -> bool:
    """Whether the portal's night is on: `now` in UTC."""
    begins = now.replace(hour=BEGINS.hour, minute=BEGINS.minute, second=0, microsecond=0)
    return now >= begins or now < begins - timedelta(days=1) + LASTS


def plan(now: datetime, limit: int = 200) -> int:
    """Ask for the schema of each release that has not been read yet. Returns how many were asked for."""
    if not is_night(now):
        return 0
    newest = CheckResult.objects.filter(key=ASKED).values("integration").annotate(last=Max("pk")).values("last")
    rows = CheckResult.objects.filter(pk__in=newest, outcome__in=GOOD, confirmed_at__gte=now - RECENT)
    planned = 0
    for row in rows.select_related("integration__partner").order_by("pk")[:limit]:
        version = dict(row.looked_at).get("version", "")
        if version and is_read(row.integration) and not _was_read(row.integration_id, version, now):
            planned += _asked_for(row, version, now)
    return planned


def _was_read(integration_id: int, version: str, now: datetime) -> bool:
    mine = SchemaReading.objects.filter(integration=integration_id, version=version)
    return mine.filter(~Q(outcome="not_run") | Q(requested_at__gt=now - AGAIN)).exists()


def _asked_for(row: CheckResult, version: str, now: datetime) -> int:
    try:
        begin(row.integration, by=None, now=now, version=version)
    except NotAllowed:
        return 0
    return 1


@shared_task
def rehearse_one(pk: int) -> None:
    rehearsals.run_one(pk)


@shared_task
def rehearse_lifecycle(pk: int) -> None:
    lifecycles.run_one(pk)


@shared_task
def rehearse_nomad(pk: int) -> None:
    plugins.run_one(pk)
