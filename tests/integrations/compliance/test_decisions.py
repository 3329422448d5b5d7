"""Tests of what each side is told before and after the decisions of the compliance procedure."""

from datetime import datetime
from functools import partial
from typing import Any

import pytest

from integrations.compliance import tasks
from integrations.submissions.email_previews import preview_emails
from integrations.submissions.models import Integration
from integrations.submissions.selectors.responsibility import describe_responsible
from integrations.submissions.services.transitions import perform_transition
from portal.notifications.models import EmailMessage
from tests.integrations.compliance.transitions import DAY, REASON, get_refusal, perform_and_reload
from tests.integrations.database_rows import reload_row
from tests.integrations.page_text import get_text
from tests.portal import pseudo_language

pytestmark = pytest.mark.any_database


def get_email(event_type: str) -> EmailMessage:
    return EmailMessage.objects.get(event__event_type=event_type)


def test_appeal_is_sent_to_someone_who_can_decide(reach_state: Any, rita: Any, alice: Any, now: datetime) -> None:
    row = reach_state("on_notice")
    Integration.objects.filter(pk=row.pk).update(reviewer=rita)
    assert row.notice_by == rita
    row = perform_and_reload(row, "appeal", alice, now + DAY)
    assert get_email("compliance.appealed").to == row.edition.mailbox
    assert describe_responsible(row) == "the program"


def test_preview_has_the_language_of_the_emails(reach_state: Any, alice: Any, now: datetime) -> None:
    row = reach_state("on_notice")
    appeal = partial(perform_transition, row, "appeal", actor=alice, note=REASON, now=now + DAY)
    with pseudo_language.activate_pseudo_language():
        emails = preview_emails(appeal, alice).emails
    assert [pseudo_language.OPEN in f"{email.subject}{email.text}" for email in emails] == [False]


def test_end_of_period_is_sent_to_someone_who_can_suspend(reach_state: Any, rita: Any, rob: Any, now: datetime) -> None:
    row = reach_state("on_notice")
    Integration.objects.filter(pk=row.pk).update(reviewer=rita)
    row.partner.alliances_manager = rob
    row.partner.save()
    tasks.advance_cases(now + 31 * DAY)
    assert get_email("compliance.deadline_expired").to == rob.email
    assert describe_responsible(reload_row(row)) == "the program"


def test_partner_has_time_until_delisting_after_suspension_without_recorded_end(
    reach_state: Any, rob: Any, now: datetime
) -> None:
    row = perform_and_reload(reach_state("on_notice"), "suspend", rob, now + 31 * DAY)
    assert (row.responsible_party, row.action_due_at) == ("partner", row.compliance_deadline_at)


def test_end_of_commitment_has_its_own_time(reach_state: Any, alice: Any, now: datetime) -> None:
    row = perform_and_reload(reach_state("listed"), "downgrade_to_community", alice, now + DAY)
    assert (row.next_action_code, row.responsible_since) == ("none_unlisted", now + DAY)


def test_emails_about_suspension_name_its_own_period(reach_state: Any, rob: Any, now: datetime) -> None:
    reach_state("suspended")
    assert "\nDelisting is possible from Mon, Jul 13, 9:00 AM UTC." in get_email("compliance.suspended").text
    tasks.advance_cases(now + 91 * DAY)
    text = get_email("compliance.deadline_expired").text
    assert "Delisting has been possible since Mon, Jul 13, 9:00 AM UTC." in text
    assert "otice period" not in text


def test_email_names_the_year_of_a_deadline_in_the_next_one(reach_state: Any, rob: Any, now: datetime) -> None:
    at = now + 250 * DAY
    perform_and_reload(reach_state("on_notice"), "suspend", rob, at)
    text = get_email("compliance.suspended").text
    deadline = "Thu, Feb 18, 2027, 9:00 AM UTC"
    assert text.startswith(f"Action required: Fix the issues that led to the suspension by {deadline}.\n")
    assert f"\nDelisting is possible from {deadline}.\n" in text


def test_email_about_ended_notice_period_is_in_the_past_tense(reach_state: Any, now: datetime) -> None:
    reach_state("on_notice")
    tasks.advance_cases(now + 31 * DAY)
    assert "\nThe notice period ended Thu, May 14, 9:00 AM UTC." in get_email("compliance.deadline_expired").text


def test_declined_reinstatement_is_named_in_the_email(reach_state: Any, rob: Any, alice: Any, now: datetime) -> None:
    row = perform_and_reload(reach_state("delisted"), "request_reinstatement", alice, now + 91 * DAY)
    perform_and_reload(row, "dismiss_request", rob, now + 92 * DAY)
    email = get_email("compliance.request_dismissed")
    assert (email.to, email.subject) == (alice.email, "Reinstatement declined: Rocket")
    assert "Rob Roth reviewed the request of Acme and didn't reinstate Rocket." in email.text
    assert "You can request reinstatement again." in email.text


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (29, ["Period ends Thu, May 14, 9:00 AM UTC", "The period ends Thu, May 14, 9:00 AM UTC ."]),
        (31, ["Period ended Thu, May 14, 9:00 AM UTC", "The period ended Thu, May 14, 9:00 AM UTC ."]),
    ],
)
def test_compliance_page_names_the_end_of_the_period_in_its_tense(
    reach_state: Any, alice: Any, sign_in: Any, time_machine: Any, now: datetime, days: int, expected: list[str]
) -> None:
    time_machine.move_to(now + days * DAY, tick=False)
    page = get_text(sign_in(alice).get(f"/integrations/{reach_state('on_notice').uuid}/compliance/"))
    assert [text in page for text in expected] == [True, True]


def test_compliance_page_of_an_ended_integration_says_who_ended_support(
    reach_state: Any, alice: Any, sign_in: Any, now: datetime
) -> None:
    row = perform_and_reload(reach_state("suspended"), "archive", alice, now + 40 * DAY)
    page = get_text(sign_in(alice).get(f"/integrations/{row.uuid}/compliance/"))
    assert ("Listing status The partner ended support. Since" in page, "Delisted" in page) == (True, False)


def test_refusal_names_listing_status(reach_state: Any, rita: Any, now: datetime) -> None:
    expected = "This action isn't available in the listing status “On notice”."
    assert get_refusal(reach_state("on_notice"), "reinstate", rita, now + DAY) == expected


@pytest.mark.parametrize(
    ("state", "transition", "expected"),
    [
        ("on_notice", "withdraw_notice", "The public listing and the tier don't change."),
        ("suspended", "reinstate", "Listed The public page shows the tier again."),
    ],
)
def test_preview_compares_public_status_with_current_one(
    reach_state: Any, rob: Any, sign_in: Any, state: str, transition: str, expected: str
) -> None:
    response = sign_in(rob).get(f"/integrations/{reach_state(state).uuid}/transitions/{transition}/")
    assert get_text(response, "#decision .panel-body") == expected


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        (
            "alice",
            "Action required: Respond to the notice Since Tue, Apr 14, 9:00 AM UTC ; due Thu, May 14, 9:00 AM UTC"
            " Respond to the overdue",
        ),
        (
            "rita",
            "Waiting for Acme: Respond to the notice Since Tue, Apr 14, 9:00 AM UTC"
            " ; expected by Thu, May 14, 9:00 AM UTC Actions Withdraw notice Suspend",
        ),
    ],
)
def test_compliance_page_says_who_must_act_and_how(
    reach_state: Any, alice: Any, rita: Any, sign_in: Any, role: str, expected: str, time_machine: Any, now: datetime
) -> None:
    time_machine.move_to(now, tick=False)
    person = {"alice": alice, "rita": rita}[role]
    response = sign_in(person).get(f"/integrations/{reach_state('on_notice').uuid}/compliance/")
    assert expected in get_text(response)


def test_action_is_required_only_of_a_reviewer_who_can_decide(
    reach_state: Any, rita: Any, rob: Any, sign_in: Any
) -> None:
    page = f"/integrations/{reach_state('appealed').uuid}/compliance/"
    texts = [get_text(sign_in(reviewer).get(page), ".next-action-text") for reviewer in (rita, rob)]
    assert texts == [
        "Waiting for the program: Decide on the appeal against the notice",
        "Action required: Decide on the appeal against the notice",
    ]
