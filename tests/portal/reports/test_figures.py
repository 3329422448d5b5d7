"""Tests of the job that counts the figures of pages in advance."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from portal.analytics.models import StageDuration
from portal.core.figures import MAX_UNCACHED_ROWS
from portal.reports.figures import refresh_program_figures
from tests.conftest import NOW

pytestmark = pytest.mark.any_database
STAY = {
    "program_key": "nomad",
    "stage": "review",
    "responsible_party": "program",
    "round": 1,
    "ends_stay": True,
    "business_day_tenths": 20,
}


def test_nothing_is_counted_without_program_staff(db: None) -> None:
    assert refresh_program_figures(NOW) == 0


def test_page_of_many_rows_needs_no_counting(integration_at: Any, rita: Any, sign_in: Any) -> None:
    cache.clear()
    integration = integration_at("review")
    now = timezone.now()
    begin = now - timedelta(days=9)
    times = {"stay_started_at": begin, "started_at": begin, "ended_at": now - timedelta(days=1)}
    rows = [StageDuration(integration=integration, **STAY, **times) for _ in range(MAX_UNCACHED_ROWS + 1)]
    StageDuration.objects.bulk_create(rows)
    client = sign_in(rita)
    counted = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            client.get("/analytics/")
        counted.append(sum('FROM "analytics_stageduration"' in query["sql"] for query in queries))
        cache.clear()
        assert refresh_program_figures(timezone.now()) == 6
    assert counted == [3, 0]
