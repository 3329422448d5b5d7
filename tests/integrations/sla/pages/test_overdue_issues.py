"""Tests that pages, reports, and the API agree on which issues are overdue."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from integrations.sla.metrics import GLOBAL_SCOPE, get_metrics
from integrations.sla.models import SupportIssue
from integrations.sla.services import disputes
from portal.accounts.models import User
from tests.integrations.page_text import parse
from tests.portal.api.client import add_second_factor, create_api_client

pytestmark = pytest.mark.any_database

KEYS = ("issue", "issue_name", "partner", "integration", "integration_name", "program")


@pytest.mark.parametrize("name", ["accept_dispute", "waive_breach"])
def test_open_issue_stays_overdue_on_all_channels_although_its_breach_no_longer_counts(
    issues: dict[str, SupportIssue], sign_in: Any, alice: User, rita: User, name: str
) -> None:
    now = timezone.now()
    disputes.dispute_breach(issues["breached"], "It never was critical.", actor=alice, now=now)
    getattr(disputes, name)(issues["breached"], "Because.", actor=rita, now=now)
    rows = parse(sign_in(rita).get("/sla/?state=overdue")).select(".clocks tbody tr")
    assert [("Exploded" in row.text, "Overdue" in row.text) for row in rows] == [(True, True)]
    clocks = create_api_client(add_second_factor(rita)).get("/api/v1/sla/clocks?state=overdue").json()["items"]
    assert [(each["title"], each["state"]) for each in clocks] == [("Exploded", "overdue")]
    totals = get_metrics(GLOBAL_SCOPE, now - timedelta(days=365), now, now)
    assert (totals.overdue, totals.breached) == (1, 0)


def test_clock_has_the_keys_and_times_of_its_issue(issues: dict[str, SupportIssue], rita: User) -> None:
    me = create_api_client(add_second_factor(rita))
    issue = issues["breached"]
    (clock,) = me.get("/sla/clocks?state=overdue").json()["items"]
    assert {name: clock[name] for name in KEYS} == {
        "issue": str(issue.uuid),
        "issue_name": str(issue),
        "partner": {"name": issue.integration.partner.name, "slug": issue.integration.partner.slug},
        "integration": str(issue.integration.uuid),
        "integration_name": issue.integration.name,
        "program": issue.integration.program_key,
    }
    details = me.get(f"/issues/{issue.uuid}").json()
    same_clock = next(each for each in details["clocks"] if each["target_type"] == clock["target_type"])
    for name in ("due_at", "ideal_due_at", "stopped_at", "severity", "state"):
        assert clock[name] == same_clock[name]
    assert clock["integration"] == details["integration"]
