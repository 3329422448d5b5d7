"""Compliance procedure: notice, appeal, suspension, and reinstatement, as partner, reviewers, and visitors see it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Response

from integrations.compliance.tasks import advance_cases
from integrations.partners.models import Partner
from integrations.sla.models import MonitoredRepository, SlaBreach, SupportIssueEvent
from integrations.submissions.models import Integration
from integrations.submissions.services import requirements as answers
from integrations.submissions.services.changes import refresh_due_integrations
from integrations.submissions.workflow.states import Status
from portal.jobs.execution import run_due_jobs
from tests.conftest import advance_to_stage, create_integration
from tests.integrations.sla.rows import create_clock_row, create_issue_row
from tests.journeys.person import Person
from tests.journeys.walkthrough import Walkthrough


@pytest.fixture
def listed_provider(walkthrough: Walkthrough, acme: Partner, alice: Any, rita: Any) -> Integration:
    """Acme's provider in support, with an issue that has been overdue since yesterday."""
    now = timezone.now()
    row = advance_to_stage(
        create_integration(acme, alice, "terraform-provider", now), "support", partner=alice, reviewer=rita, now=now
    )
    walkthrough.pk = row.pk
    monitored_repository = MonitoredRepository.objects.get(integration=row)
    MonitoredRepository.objects.update(data_up_to=now + timedelta(days=999), poll_at=None)
    issue = create_issue_row(monitored_repository, 7, now - timedelta(days=3))
    opening = {"key": "opened", "kind": "opened", "at": issue.opened_at, "seen_at": now, "source": "poll"}
    SupportIssueEvent.objects.create(issue=issue, actor_id=5, actor="reporter", actor_type="User", **opening)
    due = now - timedelta(days=1)
    clock = create_clock_row(issue, due, state="overdue", next_at=None, breached_at=due)
    of = {"issue": issue, "integration": row, "target_type": "resolve", "severity": "critical"}
    SlaBreach.objects.create(clock=clock, due_at=due, found_at=now, **of)
    return row


def advance_days(walkthrough: Walkthrough, days: int) -> None:
    """Move the portal's clock, and run the jobs of the compliance procedure without checks and imports."""
    walkthrough.traveler.move_to(timezone.now() + timedelta(days=days))
    refresh_due_integrations(timezone.now())
    advance_cases(timezone.now())
    run_due_jobs("email", timezone.now())


def pass_all_checks(row: Integration) -> None:
    """Record that all checks pass."""
    for requirement in (r for r in row.edition.list_requirements() if r.responsible_party == "portal"):
        outcome: dict[str, Any] = {"outcome": Status.PASS, "summary": "Good.", "detail": [], "retry_at": None}
        answers.record_check_outcome(row, requirement.id, now=timezone.now(), **outcome)


def decide(person: Person, page: str, step: str, label: str, reason: str) -> Person:
    """Start a step on the compliance page, enter the reason, and confirm the step after the email preview."""
    person.go(page).press(step).sees("View shared evidence", "Subject")
    return enter_reason(person, label, reason).press(step)


def enter_reason(person: Person, label: str, reason: str) -> Person:
    """Enter a reason and wait until the preview of the email contains it."""
    with person.page.expect_response(is_preview):
        person.write(label, reason)
    return person


def is_preview(response: Response) -> bool:
    """Return whether the response contains the preview of the email."""
    return "preview=1" in (response.request.post_data or "")


def test_provider_is_suspended_and_reinstated(
    walkthrough: Walkthrough,
    listed_provider: Integration,
    visit: Callable[..., Person],
    alice: Any,
    rita: Any,
    rob: Any,
    find_email: Any,
) -> None:
    page = f"{walkthrough.page}compliance/"
    label = "Reason for the partner"
    walkthrough.reviewer.go(page).sees("Recorded breaches", "#7", listed_provider.edition.removal).shot(
        "compliance-verified"
    )
    decide(
        walkthrough.reviewer,
        page,
        "Issue notice",
        "Reason and evidence for the partner",
        "Issue 7 is critical and open.",
    )
    assert "Issue 7 is critical and open." in find_email(alice.email, "compliance_changed").text

    walkthrough.partner.go(walkthrough.page).sees("Respond to the notice").press("View evidence").sees(
        "Issue 7 is critical and open."
    )
    decide(walkthrough.partner, page, "Appeal", "Reason for the appeal", "We answered by phone.")
    walkthrough.reviewer.go(page).sees(
        "You issued the notice or the suspension. Another reviewer must decide on the appeal."
    )
    second = visit(rob).go("/queue/").sees("appeal")
    decide(second, page, "Dismiss appeal", label, "A call is no answer on the issue.").shot("compliance-appeal")
    visit().go(f"/directory/{listed_provider.uuid}/").sees("Partner").does_not_see("Notice")

    advance_days(walkthrough, 31)
    assert walkthrough.row.listing_status == "on_notice"
    visit(rita).go(page).sees("Rita Reyes issued the notice. Another reviewer must decide on the suspension.")
    second = visit(rob).go("/queue/").sees("deadline ended").go(page).press("Suspend")
    second.sees("Public listing after this action", "The program suspended this integration").shot("compliance-suspend")
    enter_reason(second, label, "Nothing was done in thirty days.").press("Suspend")
    visit().go(f"/directory/{listed_provider.uuid}/").sees("Suspended").does_not_see("Official").shot(
        "listing-suspended"
    )

    pass_all_checks(walkthrough.row)
    partner = visit(alice).go(page).press("Request reinstatement")
    enter_reason(partner, "Changes since the decision", "Issue 7 is fixed in 1.2.").press("Request reinstatement")
    reviewer = visit(rita).go("/queue/").sees("the partner requested reinstatement")
    decide(reviewer, page, "Reinstate", "Review summary for the partner", "Release 1.2 and issue 7.")
    assert (walkthrough.row.listing_status, walkthrough.row.tier) == ("listed", "verified")
    assert find_email(alice.email, "compliance_changed").subject == "Reinstated: Rocket"
    visitor = visit().go(f"/directory/{listed_provider.uuid}/").sees("Partner", "The integration is listed again.")
    # the list of changes still mentions it
    assert visitor.page.locator("h2, .badge", has_text="Suspended").count() == 0
    partner.go(page).sees("Nothing was done in thirty days.", "Release 1.2 and issue 7.")
    partner.page.get_by_role("link", name="Evidence at that time").first.click()
    partner.wait_for_page().sees("Evidence at the time of a decision", "#7")


def test_partner_downgrades_to_community(
    walkthrough: Walkthrough, listed_provider: Integration, visit: Callable[..., Person]
) -> None:
    walkthrough.partner.go(walkthrough.page).press("End support commitment").sees(
        "Public listing after this action", "Community"
    )
    walkthrough.partner.press("End support commitment")
    assert (walkthrough.row.listing_status, walkthrough.row.tier) == ("unlisted", "community")
    visit().go(f"/directory/{listed_provider.uuid}/").sees(
        "The partner ended its support commitment. Published versions stay available."
    )
    walkthrough.partner.go(f"{walkthrough.page}compliance/").sees("Request reinstatement")
