"""Polling and event generation for the tests of the reconciliation."""

from contextlib import closing
from datetime import datetime, timedelta

from integrations.sla.github import reconciliation
from integrations.sla.models import (
    MonitoredRepository,
)
from tests.integrations.sla.monitored_repository import (
    OPENED_AT,
)
from verification.sources.errors import SourceUnavailableError
from verification.sources.github.issues import EtagStore

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
NOW = OPENED_AT + 30 * HOUR


def poll(monitored_repository: MonitoredRepository, now: datetime = NOW) -> int:
    """Poll the repository once. Return 0 after an outage, else 1."""
    etag_cache = EtagStore({}, {})
    try:
        with closing(reconciliation.build_api(etag_cache)) as api:
            reconciliation.reconcile_repository(monitored_repository.pk, now, api, etag_cache)
        return 1
    except SourceUnavailableError:
        return 0
    finally:
        monitored_repository.refresh_from_db()
