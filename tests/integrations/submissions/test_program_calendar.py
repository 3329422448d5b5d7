"""Tests that targets of the program count the business days of its edition: Pacific Time, without US holidays."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import transaction

from integrations.escalations.services import get_warning_time, list_warnings
from integrations.submissions.models import Integration
from integrations.submissions.services.findings import open_automatic_finding
from tests.conftest import advance_to_stage

pytestmark = pytest.mark.any_database

# 10 business days from each start
OVER_MEMORIAL_DAY = (datetime(2026, 5, 18, 16, 0, tzinfo=UTC), datetime(2026, 6, 2, 16, 0, tzinfo=UTC))
OVER_OBSERVED_HOLIDAY = (datetime(2026, 6, 29, 16, 0, tzinfo=UTC), datetime(2026, 7, 14, 16, 0, tzinfo=UTC))
OVER_END_OF_DST = (datetime(2026, 10, 20, 16, 0, tzinfo=UTC), datetime(2026, 11, 3, 17, 0, tzinfo=UTC))
FRIDAY_EVENING = (datetime(2026, 4, 18, 1, 0, tzinfo=UTC), datetime(2026, 5, 2, 1, 0, tzinfo=UTC))
ON_THANKSGIVING = (datetime(2026, 11, 26, 20, 0, tzinfo=UTC), datetime(2026, 12, 11, 8, 0, tzinfo=UTC))
STARTS_AND_ENDS = [OVER_MEMORIAL_DAY, OVER_OBSERVED_HOLIDAY, OVER_END_OF_DST, FRIDAY_EVENING, ON_THANKSGIVING]


@pytest.mark.parametrize(("start", "due_at"), STARTS_AND_ENDS)
def test_review_is_due_after_the_business_days_of_the_program(
    rocket: Integration, alice: Any, rita: Any, start: datetime, due_at: datetime
) -> None:
    row = advance_to_stage(rocket, "review", partner=alice, reviewer=rita, now=start)
    assert (row.responsible_party, row.action_due_at) == ("program", due_at)


@pytest.mark.every_database
@pytest.mark.parametrize(("start", "due_at"), [OVER_MEMORIAL_DAY, OVER_END_OF_DST])
def test_finding_of_a_check_is_due_after_the_business_days_of_the_program(
    rocket: Integration, start: datetime, due_at: datetime
) -> None:
    with transaction.atomic():
        finding = open_automatic_finding(rocket, "NO-3", "The check failed.", now=start)
    assert finding is not None
    assert finding.due_at == due_at


def test_warning_to_the_mailbox_waits_for_the_working_hours_of_the_program(
    rocket: Integration, alice: Any, rita: Any
) -> None:
    start, _due_at = OVER_MEMORIAL_DAY
    row = advance_to_stage(rocket, "review", partner=alice, reviewer=rita, now=start)
    saturday = datetime(2026, 5, 23, 16, 0, tzinfo=UTC)
    # Monday is Memorial Day.
    assert get_warning_time(row, saturday) == datetime(2026, 5, 26, 16, 0, tzinfo=UTC)


def test_warnings_skip_holidays(rocket: Integration, alice: Any, rita: Any) -> None:
    start, _due_at = OVER_MEMORIAL_DAY
    row = advance_to_stage(rocket, "review", partner=alice, reviewer=rita, now=start)
    assert list_warnings(row) == [
        (50, datetime(2026, 5, 26, 16, 0, tzinfo=UTC)),
        (75, datetime(2026, 5, 29, 4, 0, tzinfo=UTC)),
        (90, datetime(2026, 6, 1, 16, 0, tzinfo=UTC)),
    ]
