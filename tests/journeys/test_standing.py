"""Notice, appeal, grace, suspension and the way back: two reviewers, the partner, and a visitor who sees what is so."""

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
from integrations.submissions.tasks import refresh_due_integrations
from integrations.submissions.workflow.states import Status
from portal.jobs.execution import run_due_jobs
from tests.conftest import begin, drive
from tests.integrations.sla.clocks import clock_of, issue_of
from tests.journeys.person import Person
from tests.journeys.walk import Walk


@pytest.fixture
def listed_provider(walk: Walk, acme: Partner, alice: Any, rita: Any) -> Integration:
    """Acme's provider in support, with an issue that was due yesterday and is not answered."""
    now = timezone.now()
    row = drive(begin(acme, alice, "terraform-provider", now), "support", partner=alice, reviewer=rita, now=now)
    walk.pk = row.pk
    watch = MonitoredRepository.objects.get(integration=row)
    MonitoredRepository.objects.update(data_up_to=now + timedelta(days=999), poll_at=None)
    issue = issue_of(watch, 7, now - timedelta(days=3))
    opening = {"key": "opened", "kind": "opened", "at": issue.opened_at, "seen_at": now, "source": "poll"}
    SupportIssueEvent.objects.create(issue=issue, actor_id=5, actor="reporter", actor_type="User", **opening)
    due = now - timedelta(days=1)
    clock = clock_of(issue, due, state="overdue", next_at=None, breached_at=due)
    of = {"issue": issue, "integration": row, "target_type": "resolve", "severity": "critical"}
    SlaBreach.objects.create(clock=clock, due_at=due, found_at=now, **of)
    return row


def days_pass(walk: Walk, days: int) -> None:
    """Time passes and the portal looks at its due processes; the outside world is left out."""
    walk.traveller.move_to(timezone.now() + timedelta(days=days))
    refresh_due_integrations(timezone.now())
    advance_cases(timezone.now())
    run_due_jobs("email", timezone.now())


def in_order(row: Integration) -> None:
    """The machine looked again and found everything in order."""
    for requirement in (r for r in row.edition.requirements() if r.responsible_party == "machine"):
        good: dict[str, Any] = {"outcome": Status.PASS, "summary": "Good.", "detail": [], "retry_at": None}
        answers.record_check_outcome(row, requirement.id, now=timezone.now(), **good)


def decide(person: Person, page: str, step: str, label: str, why: str) -> Person:
    """Press a step on the standing's page, read its mail, say why, and take it."""
    person.go(page).press(step).sees("View shared evidence", "Subject")
    return explain(person, label, why).press(step)


def explain(person: Person, label: str, why: str) -> Person:
    """Say why, and see the mail with it: the test's own database takes one thing after the other."""
    with person.page.expect_response(is_preview):
        person.write(label, why)
    return person


def is_preview(response: Response) -> bool:
    """Return whether the page got its mails anew for the text."""
    return "preview=1" in (response.request.post_data or "")


def test_whole_due_process(
    walk: Walk,
    listed_provider: Integration,
    visit: Callable[..., Person],
    alice: Any,
    rita: Any,
    rob: Any,
    mail_to: Any,
) -> None:
    page, why = f"{walk.page}compliance/", "Reason for the partner"
    walk.reviewer.go(page).sees("Recorded breaches", "#7", listed_provider.edition.removal).shot("standing-verified")
    decide(walk.reviewer, page, "Issue notice", "Reason and evidence for the partner", "Issue 7 is critical and open.")
    assert "Issue 7 is critical and open." in mail_to(alice.email, "compliance_changed").text

    walk.partner.go(walk.page).sees("Respond to the notice").press("View evidence").sees(
        "Issue 7 is critical and open."
    )
    decide(walk.partner, page, "Appeal", "Reason for the appeal", "We answered by phone.")
    walk.reviewer.go(page).sees("You issued the notice or the suspension. Another reviewer must decide on the appeal.")
    second = visit(rob).go("/queue/").sees("appeal")
    decide(second, page, "Dismiss appeal", why, "A call is no answer on the issue.").shot("standing-appeal")
    visit().go(f"/directory/{listed_provider.uuid}/").sees("Partner").sees_not("Notice")

    days_pass(walk, 31)
    assert walk.row.listing_status == "on_notice"
    visit(rita).go(page).sees("Rita Reyes issued the notice. Another reviewer must decide on the suspension.")
    second = visit(rob).go("/queue/").sees("deadline ended").go(page).press("Suspend")
    second.sees("Public listing after this step", "The program suspended this integration").shot("standing-suspend")
    explain(second, why, "Nothing was done in thirty days.").press("Suspend")
    visit().go(f"/directory/{listed_provider.uuid}/").sees("Suspended").sees_not("Official").shot("listing-suspended")

    in_order(walk.row)
    partner = visit(alice).go(page).press("Request reinstatement")
    explain(partner, "Changes since the decision", "Issue 7 is fixed in 1.2.").press("Request reinstatement")
    reviewer = visit(rita).go("/queue/").sees("the partner requested reinstatement")
    decide(reviewer, page, "Reinstate", "Review summary for the partner", "Release 1.2 and issue 7.")
    assert (walk.row.listing_status, walk.row.tier) == ("listed", "verified")
    assert mail_to(alice.email, "compliance_changed").subject == "Reinstated: Rocket"
    today = visit().go(f"/directory/{listed_provider.uuid}/").sees("Partner", "The integration is listed again.")
    assert today.page.locator("h2, .badge", has_text="Suspended").count() == 0  # what has changed still says it was
    partner.go(page).sees("Nothing was done in thirty days.", "Release 1.2 and issue 7.")
    partner.page.get_by_role("link", name="Evidence at that time").first.click()
    partner.arrived().sees("Evidence at the time of a decision", "#7")


def test_partner_steps_down_without_shame(
    walk: Walk, listed_provider: Integration, visit: Callable[..., Person]
) -> None:
    walk.partner.go(walk.page).press("Downgrade to community").sees("Public listing after this step", "Community")
    walk.partner.press("Downgrade to community")
    assert (walk.row.listing_status, walk.row.tier) == ("unlisted", "community")
    visit().go(f"/directory/{listed_provider.uuid}/").sees(
        "The partner ended its support commitment. Published versions stay available."
    )
    walk.partner.go(f"{walk.page}compliance/").sees("Request reinstatement")
