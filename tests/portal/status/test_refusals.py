"""Tests that the status page tells the outage of a source from a source that refuses one integration."""

import html
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from integrations.submissions.models import RequirementFulfillment
from integrations.submissions.services.requirements import record_check_outcome
from tests.conftest import create_integration
from tests.portal.status.test_status import NOW, get_component
from verification.checks.models import CheckResult
from verification.outcomes import Outcome
from verification.sources.models import GitHubRateLimit

pytestmark = pytest.mark.any_database


@pytest.mark.parametrize(("name", "key"), [("GitHub", "repository.license"), ("Registry", "registry.listed")])
def test_source_that_refuses_one_integration_but_answers_about_others_is_not_down(
    acme: Any, alice: Any, name: str, key: str
) -> None:
    GitHubRateLimit.objects.create(name="anonymous", limit=60, window_started_at=NOW)
    states = []
    for integration_name, outcome, first_day, minutes in (
        ("answered", Outcome.PASS, 9, 30),
        ("refused", Outcome.ERROR, 3, 10),
        ("unanswered", Outcome.ERROR, 0, 5),
    ):
        integration = create_integration(acme, alice, name=integration_name, repository=f"acme/{integration_name}")
        confirmed_at = NOW - timedelta(minutes=minutes)
        at = confirmed_at - timedelta(days=first_day)
        CheckResult.objects.create(
            integration=integration, key=key, version=1, outcome=outcome, summary="x", at=at, confirmed_at=confirmed_at
        )
        states.append(get_component(name).state)
    assert states == ["ok", "ok", "down"]


def test_unavailable_registry_is_shown_with_its_last_answer(rocket: Any) -> None:
    assert get_component("Registry").state == "idle"
    for hours, outcome in ((5, Outcome.PASS), (1, Outcome.ERROR)):
        at = NOW - timedelta(hours=hours)
        CheckResult.objects.create(
            integration=rocket, key="registry.listed", version=1, outcome=outcome, summary="x", at=at, confirmed_at=at
        )
    assert (
        get_component("Registry").summary
        == "The registry didn't respond to our last request. The last response came 5 h ago."
    )


@pytest.mark.parametrize(("hours", "state"), [(23, "ok"), (25, "late")])
def test_staff_see_checks_that_a_source_refuses_before_the_listing(
    acme: Any, alice: Any, rita: Any, sign_in: Any, hours: int, state: str
) -> None:
    now = timezone.now()
    provider = create_integration(acme, alice, "terraform-provider")
    requirement = next(each.id for each in provider.edition.list_requirements() if "registry.listed" in each.checks)
    summary = "We couldn't complete this check: The registry denies access to acme/rocket."
    record_check_outcome(
        provider,
        requirement,
        outcome="error",
        summary=summary,
        detail=[{"key": "registry.listed", "outcome": "error", "summary": summary}],
        retry_at=now,
        now=now - timedelta(hours=hours),
    )
    assert get_component("Waiting checks", now).state == state
    pages = [sign_in(person).get("/status/").text for person in (rita, alice)]
    assert [html.escape(summary) in page for page in pages] == [state == "late", False]
    assert ["Waiting checks" in page for page in pages] == [True, False]
    # One refused listing doesn't concern the public, and the summary is the same for all.
    assert not any("Delayed: Waiting checks" in page for page in pages)
    data = sign_in(alice).get("/status.json").json()
    assert "Waiting checks" not in [*(line["name"] for line in data["lines"]), data["summary"]]
    RequirementFulfillment.objects.update(waiver_expires_at=now + timedelta(days=1))
    assert get_component("Waiting checks", now).state == "ok"
