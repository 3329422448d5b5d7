"""The work of reviewers: queue, claims, assignments, unread changes, decisions, and their emails."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from integrations.partners.models import Membership, Partner
from integrations.reviews.finding_templates import list_templates
from integrations.submissions.models import Integration
from portal.notifications.models import EmailMessage
from tests.conftest import advance_to_stage, create_integration, fulfill_requirements
from tests.journeys.person import Person
from tests.suites import FIGURE_PROPERTY

MAX_REQUEST_CLICKS = 5
Visit = Callable[..., Person]
AdvanceTime = Callable[..., None]
RecordProperty = Callable[[str, str], None]
MAX_KEYS_PER_APPROVAL = 3


@pytest.fixture
def review_request(acme: Partner, alice: Any, rita: Any, github: Any) -> Integration:
    """Acme's Nomad integration, whose review was requested just now."""
    now = timezone.now()
    return advance_to_stage(create_integration(acme, alice, now=now), "review", partner=alice, reviewer=rita, now=now)


def build_path(row: Integration, rest: str = "") -> str:
    return f"/integrations/{row.uuid}/{rest}"


def fetch_stage(row: Integration) -> str:
    return str(Integration.objects.get(pk=row.pk).stage)


def test_claim_expires_after_half_an_hour(
    visit: Visit, advance_time: AdvanceTime, rita: Any, rob: Any, review_request: Integration
) -> None:
    first = visit(rita)
    second = visit(rob)
    second.go("/queue/").sees("new review", "Unclaimed").shot("queue")
    first.go("/queue/").press("Claim review Rocket").sees("Claimed by you").go("/queue/").sees("Claimed by you until")
    second.press("Claim review Rocket").sees("Rita Reyes claimed this review until")
    second.sees("Rita Reyes until").does_not_see("Claim review Rocket")
    advance_time(minutes=31)
    first.go("/queue/").sees("Assigned to you (claim expired)")
    second.go("/queue/").sees("Unclaimed (claim by Rita Reyes expired)").press("Claim review Rocket").sees(
        "Claimed by you"
    ).press("Release claim")
    second.sees("You released the claim on Rocket.")


def test_reviewer_is_suggested_with_a_reason(visit: Visit, rita: Any, rob: Any, review_request: Integration) -> None:
    visit(rob).go("/queue/").press("Reviewer profile").tick("Nomad").press("Save profile").sees("Profile saved.")
    first = visit(rita).go(build_path(review_request, "review/")).press("Assign reviewer").sees("Suggested")
    first.sees("Knows Nomad · 0 of").tick("Rob Roth").press("Assign reviewer").sees("Assigned Rocket to Rob Roth.")
    visit(rob).go("/queue/?tab=mine").sees("Rocket", "Assigned to you")


def test_filters_are_part_of_the_url(
    visit: Visit, acme: Partner, alice: Any, rita: Any, review_request: Integration
) -> None:
    now = timezone.now()
    advance_to_stage(
        create_integration(acme, alice, "vault", now, name="Safe"), "review", partner=alice, reviewer=rita, now=now
    )
    browser = visit(rita).go("/queue/").sees("Rocket", "Safe")
    browser.choose("Program", "Vault").does_not_see("Rocket")
    browser.page.wait_for_url("**program=vault**")
    assert parse_qs(urlsplit(browser.page.url).query)["program"] == ["vault"]
    visit(rita, phone=True, javascript=False).go(browser.page.url).sees("Safe").does_not_see("Rocket")
    browser.go(browser.page.url).choose("Minimum age", "2 weeks").sees("No matching items")
    browser.press("Clear all filters", nth=-1).sees("Rocket", "Safe")


def test_changes_since_the_last_visit_are_shown(
    visit: Visit, alice: Any, rita: Any, review_request: Integration
) -> None:
    reviewer = visit(rita).go(build_path(review_request, "review/")).press("Mark as read").sees("No changes since")
    partner = visit(alice).go(build_path(review_request))
    partner.write("Message to the program", "The tests run in a minute now.").press("Send message")
    partner.sees("The tests run in a minute now.")
    news = reviewer.go(build_path(review_request, "review/")).page.locator("#changes")
    expect(news).to_contain_text("Alice Archer")
    expect(news).to_contain_text("The tests run in a minute now.")
    reviewer.shot("review").press("Mark as read").sees("No changes since")


def test_internal_note_never_reaches_the_partner(
    visit: Visit, alice: Any, rita: Any, rob: Any, review_request: Integration
) -> None:
    reviewer = visit(rita).go(build_path(review_request, "review/"))
    reviewer.write("Message to Acme or internal note", "Check the license again.").press("Save internal note")
    reviewer.write("Message to Acme or internal note", "We have read it.").press("Send to partner")
    visit(rob).go(build_path(review_request, "review/")).sees("Check the license again.", "We have read it.")
    partner = visit(alice)
    for rest in ("", "history/"):
        partner.go(build_path(review_request, rest)).never_receives("the license again")
    partner.sees("We have read it.")
    partner.go("/notifications/").never_receives("the license again")
    assert [
        email.to
        for email in EmailMessage.objects.all()
        if "the license again" in email.text + email.html + email.subject
    ] == []


def test_decision_previews_its_email_and_can_be_undone(
    visit: Visit, advance_time: AdvanceTime, alice: Any, rita: Any, review_request: Integration
) -> None:
    reviewer = visit(rita).go(build_path(review_request, "review/")).press("Decline").press("Decline")
    reviewer.sees("Enter a reason. We record it with the decision.")
    reviewer.page.locator("#id_note").fill("It launches nothing.")
    editor = reviewer.page.locator("#id_email-body")
    expect(editor).to_have_value(re.compile("> It launches nothing."))
    editor.fill(f"{editor.input_value()}\n\nThank you for the work.")
    reviewer.shot("decline").press("Decline").sees("You can undo this decision until")
    email = EmailMessage.objects.get(name="integration_declined", to=alice.email)
    texts = ("> It launches nothing.", "Thank you for the work.")
    assert (email.state, [text in email.text for text in texts]) == ("held", [True, True])
    reviewer.go("/emails/?state=held").press(email.subject).sees("It launches nothing.")
    reviewer.go(build_path(review_request, "review/")).press("Undo decision").does_not_see(
        "You can undo this decision until"
    )
    advance_time(minutes=11)
    email.refresh_from_db()
    assert (email.state, fetch_stage(review_request)) == ("canceled", "review")
    visit(alice).go("/notifications/").never_receives("It launches nothing.")


def test_partner_reads_why_the_integration_was_declined(
    visit: Visit, advance_time: AdvanceTime, alice: Any, rita: Any, review_request: Integration
) -> None:
    reviewer = visit(rita, javascript=False).go(build_path(review_request, "review/")).press("Decline")
    reviewer.page.locator("#id_note").fill("It launches nothing.")
    reviewer.press("Decline")
    advance_time(minutes=11)
    assert EmailMessage.objects.get(name="integration_declined", to=alice.email).state == "stored"
    visit(alice).go(build_path(review_request)).sees("Declined", "It launches nothing.")


def test_waiver_has_a_reason_and_expires(
    visit: Visit, advance_time: AdvanceTime, alice: Any, rita: Any, review_request: Integration
) -> None:
    requirement = next(
        r
        for r in review_request.edition.list_requirements()
        if not review_request.fulfillments.filter(requirement_id=r.id)
    )
    until = timezone.localtime(timezone.now() + timedelta(days=30))
    reviewer = visit(rita).go(build_path(review_request, f"requirements/{requirement.id}/"))
    reviewer.page.locator("#waive summary").click()
    reviewer.press("Grant waiver", within=reviewer.page.get_by_role("dialog")).sees(
        "Enter a reason. The partner and the public listing show it."
    )
    reviewer.write("Reason", "Agreed on the phone.").write("Expiration date", f"{until:%Y-%m-%d}")
    reviewer.press("Grant waiver").sees("Waived", "Agreed on the phone.").shot("waived")
    visit(alice).go(build_path(review_request, f"requirements/{requirement.id}/")).sees("Agreed on the phone.")
    state = review_request.fulfillments.get(requirement_id=requirement.id)
    assert state.is_met(timezone.now())
    advance_time(days=32)
    assert not state.is_met(timezone.now())
    visit(alice).go(build_path(review_request, f"requirements/{requirement.id}/")).sees("Waiver expired")


def test_integration_on_hold_has_no_due_date_until_the_hold_is_removed(
    visit: Visit, alice: Any, rita: Any, review_request: Integration
) -> None:
    reviewer = (
        visit(rita).go(build_path(review_request, "review/")).press("Put on hold").choose("Waiting for", "Someone else")
    )
    reviewer.page.locator("#id_note").fill("The new release of the product.")
    # Otherwise, SQLite in memory refuses one of two requests at once.
    expect(reviewer.page.locator("#id_email-body")).to_have_value(re.compile("The new release of the product."))
    reviewer.press("Put on hold").sees("The new release of the product.")
    row = Integration.objects.get(pk=review_request.pk)
    assert (row.responsible_party, row.action_due_at) == ("third_party", None)
    visit(alice).go(build_path(review_request)).sees("The new release of the product.").shot("on-hold")
    reviewer.press("Remove hold").press("Remove hold")
    row.refresh_from_db()
    assert (row.responsible_party, row.action_due_at is not None) == ("program", True)


def test_change_of_edition_is_previewed(visit: Visit, acme: Partner, alice: Any, rita: Any) -> None:
    row = create_integration(acme, alice, "terraform-provider", timezone.now(), category="comms-messaging")
    reviewer = visit(rita).go(build_path(row, "review/")).press("Change edition").press("Preview changes")
    reviewer.sees("Comms & Messaging", "Communication & Messaging", "New requirements").shot("move-edition")
    assert Integration.objects.get(pk=row.pk).edition_date == "2021-10"
    reviewer.press("Change edition").sees("Rocket now uses edition 2026-06.")
    integration = Integration.objects.get(pk=row.pk)
    assert (integration.edition_date, integration.category) == ("2026-06", "communication-messaging")
    visit(alice).go(build_path(row, "history/")).sees("2026-06")


def test_reviewer_cannot_decide_on_their_own_company(
    visit: Visit, acme: Partner, rita: Any, rob: Any, review_request: Integration
) -> None:
    Membership.objects.create(partner=acme, user=rob, role="editor", joined_at=timezone.now())
    own = visit(rob).go("/queue/").sees("Your company").does_not_see("Claim review Rocket")
    own.go(build_path(review_request, "review/")).sees(
        "You are a member of Acme. Another reviewer must decide."
    ).does_not_see("Claim")
    own.does_not_see("Add finding").go(build_path(review_request, "transitions/approve/"))
    expect(own.page.get_by_role("button", name="Approve")).to_have_count(0)
    visit(rita).go(build_path(review_request, "assign/")).sees("Rita Reyes").does_not_see("Rob Roth")


def test_two_findings_from_templates_are_requested_within_five_clicks(
    visit: Visit, rita: Any, review_request: Integration, record_property: RecordProperty
) -> None:
    reviewer = visit(rita).go(build_path(review_request, "review/"))
    titles = [each.title for each in list_templates(review_request)[:2]]
    clicks = reviewer.clicks
    for title in titles:
        reviewer.tick(title)
    reviewer.press("Add and request changes").sees("Subject").press("Request changes")
    used_clicks = reviewer.clicks - clicks
    record_property(FIGURE_PROPERTY, f"{used_clicks} clicks to request changes with two template findings")
    review_request.refresh_from_db()
    assert (used_clicks <= MAX_REQUEST_CLICKS, review_request.findings.count(), review_request.review_state) == (
        True,
        2,
        "changes",
    )


def test_reviewer_assigns_a_page_with_four_clicks_and_opens_approval_with_one_key(
    visit: Visit, acme: Partner, alice: Any, rita: Any, rob: Any, record_property: RecordProperty
) -> None:
    now = timezone.now()
    for number in range(20):
        advance_to_stage(
            create_integration(acme, alice, now=now, name=f"Rocket {number}"),
            "review",
            partner=alice,
            reviewer=rita,
            now=now,
        )
    reviewer = visit(rita).go("/queue/")
    boxes = reviewer.page.locator("#results input[name=row]")
    clicks = reviewer.clicks
    boxes.first.click()
    boxes.last.click(modifiers=["Shift"])
    reviewer.choose("Reviewer", "Rob Roth").press("Assign reviewer").sees("Assigned 20 items.")
    used_clicks = reviewer.clicks - clicks + 2
    record_property(FIGURE_PROPERTY, f"{used_clicks} clicks to assign 20 items")
    assert (used_clicks, Integration.objects.filter(reviewer=rob).count()) == (4, 20)
    expect(reviewer.page.locator("#results input[name=row]:checked")).to_have_count(20)
    reviewer.page.keyboard.press("a")
    reviewer.page.wait_for_url("**/transitions/approve/")


def test_clean_integration_is_approved_and_the_next_opens_with_three_keys(
    visit: Visit, acme: Partner, alice: Any, rita: Any, record_property: RecordProperty
) -> None:
    now = timezone.now()
    for name in ("First", "Second", "Third"):
        row = advance_to_stage(
            create_integration(acme, alice, now=now, name=name), "review", partner=alice, reviewer=rita, now=now
        )
        fulfill_requirements(row, None, now)
    reviewer = visit(rita).go("/queue/")
    keys = ["j", "a", "a"]
    reviewer.page.keyboard.press(keys[0])
    reviewer.page.keyboard.press(keys[1])
    reviewer.page.wait_for_url("**/transitions/approve/")
    reviewer.wait_for_page().page.keyboard.press(keys[2])
    reviewer.page.wait_for_url("**/review/?decided=*")
    record_property(FIGURE_PROPERTY, f"{len(keys)} keys to approve a clean integration and open the next item")
    reviewer.wait_for_page().sees("Second", "Approved: ")
    assert len(keys) <= MAX_KEYS_PER_APPROVAL
    assert [fetch_stage(row) for row in Integration.objects.order_by("name")] == ["release", "review", "review"]


def test_review_is_dragged_to_another_reviewer_or_assigned_by_its_link(
    visit: Visit, rita: Any, rob: Any, review_request: Integration
) -> None:
    reviewer = visit(rita).go(reverse("analytics:workload")).press("Rebalance reviews").sees("Reviews by reviewer")
    card = reviewer.page.locator("[data-reviewer]")
    reviewer.shot("rebalance").page.locator("[data-review]").drag_to(card.filter(has_text="Rob Roth"))
    reviewer.sees("Assigned 1 review.")
    expect(card.filter(has_text="Rob Roth")).to_contain_text("Rocket")
    assert Integration.objects.get(pk=review_request.pk).reviewer == rob
    reader = visit(rita, javascript=False).go("/queue/rebalance/").press("Change reviewer Rocket")
    reader.tick("Rita Reyes").press("Assign reviewer").sees("Assigned Rocket to Rita Reyes.")
    assert Integration.objects.get(pk=review_request.pk).reviewer == rita
