"""Decisions and deletions that can be undone, and the banner of an outage."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.utils import timezone
from playwright.sync_api import expect

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from integrations.submissions.services import drafts
from integrations.submissions.services.requirements import record_check_outcome
from integrations.submissions.services.transitions import perform_transition
from tests.conftest import advance_to_stage, create_integration, fulfill_requirements
from tests.journeys.person import Person

Visit = Callable[..., Person]
AdvanceTime = Callable[..., None]


def test_next_step_is_requested_when_the_approval_is_final(
    visit: Visit, advance_time: AdvanceTime, acme: Partner, alice: Any, rita: Any, github: Any
) -> None:
    now = timezone.now()
    row = advance_to_stage(create_integration(acme, alice, now=now), "review", partner=alice, reviewer=rita, now=now)
    fulfill_requirements(row, alice, now)
    perform_transition(row, "approve", actor=rita, now=now)
    page = f"/integrations/{row.uuid}/"
    partner = visit(alice).go(page).sees("Decision pending: The decision can be undone until")
    partner.does_not_see("Undo decision").shot("pending")
    partner.go("/").sees("Waiting for others", "The decision can be undone until").shot("home-pending")
    visit(alice, phone=True).go("/").shot("home-phone").go(page).shot("pending-phone")
    reviewer = visit(rita).go(page).sees("Decision pending").shot("pending-reviewer")
    reviewer.press("Undo decision").sees("Review round 1", "You undid the decision.")
    perform_transition(Integration.objects.get(pk=row.pk), "approve", actor=rita, now=timezone.now())
    advance_time(minutes=11)
    partner.go(page).sees("Action required: Sign")


def test_withdrawal_requires_the_name_and_is_undone_by_the_partner(
    visit: Visit, acme: Partner, alice: Any, github: Any
) -> None:
    row = create_integration(acme, alice, now=timezone.now())
    partner = visit(alice).go(f"/integrations/{row.uuid}/").press("Withdraw").press("Withdraw")
    partner.sees("Enter the name “Rocket” to confirm.", "You can undo this for 10 minutes.").shot("withdraw")
    partner.write("Enter “Rocket” to confirm", "Rocket").press("Withdraw").sees("You withdrew the integration.")
    partner.sees("The decision can be undone until").shot("withdrawn").press("Undo decision")
    partner.sees("You undid the decision.", "Action required")
    expect(partner.page.get_by_text("You withdrew the integration.")).to_be_hidden()


def test_draft_is_deleted_after_entering_its_name_and_restored(
    visit: Visit, acme: Partner, alice: Any, github: Any
) -> None:
    draft = drafts.create_draft(acme, "nomad", actor=alice, now=timezone.now())
    drafts.save_draft(draft, {"name": "Booster"}, version=0, actor=alice, now=timezone.now())
    partner = visit(alice).go(f"/drafts/{draft.uuid}/").open_dialog("Delete draft")
    partner.write("Enter “Booster” to confirm", "Booster").shot("draft-deletion").press("Delete draft").sees(
        "Deleted. You can restore it until"
    ).shot("home-draft")
    partner.press("Restore draft").sees("Draft restored.")


def test_outage_is_shown_in_one_banner(visit: Visit, acme: Partner, alice: Any, github: Any) -> None:
    row = create_integration(acme, alice, "terraform-provider", now=timezone.now())
    now = timezone.now()
    for requirement in [r.id for r in row.edition.list_requirements() if r.checks][:4]:
        summary = "We couldn't complete this check: GitHub isn't reachable."
        detail = {"key": "repository.public", "title": "Public", "outcome": "error", "summary": summary}
        record_check_outcome(
            row,
            requirement,
            outcome="error",
            summary=summary,
            detail=[detail | {"unreachable": "GitHub"}],
            retry_at=now + timedelta(minutes=5),
            now=now,
        )
    partner = visit(alice).go(f"/integrations/{row.uuid}/").sees("Not reachable: GitHub.", "No action needed.")
    partner.does_not_see("We couldn't complete this check").shot("outage")
    visit(alice, phone=True).go(f"/integrations/{row.uuid}/").sees("Not reachable: GitHub.").shot("outage-phone")
