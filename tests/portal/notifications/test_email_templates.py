"""Tests of the emails of every event about integrations."""

import re
from datetime import datetime
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.db import transaction

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.audit.services import record_event
from tests.portal.notifications.integration_events import DATA, EVENT_TYPES, ISSUE_DATA, record_sample_event

pytestmark = pytest.mark.any_database

EVENTS_WITHOUT_NOTE = (
    "requirement.waiver_ending",
    "requirement.waiver_request_withdrawn",
    "integration.created",
    "credential.rotation_requested",
    "integration.repository_changed",
    "introduction.declined",
    "issue.warning_sent",
    "issue.breached",
    "issue.breach_retracted",
)
SUBJECTS = {
    "integration.created": "Integration created: Rocket in Nomad",
    "integration.repository_changed": "Repository changed: Rocket by Acme",
    "review.requested": "Review requested: Rocket by Acme",
    "review.requested_again": "Review requested: Rocket by Acme",
    "review.changes_requested": "Changes requested: Rocket",
    "review.first_approved": "Second review requested: Rocket by Acme",
    "review.first_approval_undone": "First approval undone: Rocket by Acme",
    "review.first_approval_withdrawn": "First approval withdrawn: Rocket by Acme",
    "integration.approved": "Approved: Rocket",
    "integration.declined": "Declined: Rocket",
    "integration.listed": "Now listed: Rocket",
    "integration.put_on_hold": "On hold: Rocket",
    "integration.resumed": "Hold removed: Rocket",
    "integration.archived": "Archived: Rocket",
    "integration.withdrawn": "Withdrawn: Rocket by Acme",
    "integration.reopened": "Reopened: Rocket",
    "tier.requested": "Tier requested: Rocket by Acme (Verified)",
    "tier.granted": "Tier granted: Rocket (Verified)",
    "tier.declined": "Tier declined: Rocket (Verified)",
    "check.failed": "Check failed: License, Rocket",
    "check.passed": "Check passed: License, Rocket",
    "check.disagreed": "CI results contradicted: Rocket at 9f3c1e0a77b2",
    "finding.reply_sent_to_partner": "New message from Sam Stone: Rocket",
    "finding.reply_sent_to_program": "New message from Sam Stone: Rocket",
    "message.reminder_sent": "Reminder from Sam Stone: Rocket",
    "message.sent_to_partner": "New message from Sam Stone: Rocket",
    "message.sent_to_program": "New message from Sam Stone: Rocket",
    "requirement.waived": "Waiver granted until Jun 1, 2026: Internal support documentation, Rocket",
    "requirement.waiver_requested": "Waiver requested: Internal support documentation, Rocket",
    "requirement.waiver_declined": "Waiver declined: Internal support documentation, Rocket",
    "requirement.waiver_ending": "Waiver ends on Jun 1, 2026: Internal support documentation, Rocket",
    "requirement.waiver_request_withdrawn": "Repository changed, waiver requests withdrawn: Rocket",
    "requirement.waiver_ended": "Waiver ended: Internal support documentation, Rocket",
    "check.accepted": "Deviation accepted: Rocket (new owner)",
    "agreement.signed_by_partner": "Signature required: Technology Partner Agreement with Acme",
    "agreement.signed_by_program": "Signature required: Technology Partner Agreement",
    "agreement.uploaded": "Confirm signed PDF: Partner Agreement, Acme",
    "agreement.upload_rejected": "Signed PDF rejected: Partner Agreement",
    "agreement.replaced": "Signature required: new version of Partner Agreement",
    "agreement.completed": "Agreement complete: Technology Partner Agreement with Acme",
    "meeting.proposed": "Meeting times proposed: Live demo, Rocket",
    "meeting.scheduled": "Meeting scheduled: Live demo, Rocket, Mon, Apr 20, 2:00 PM UTC",
    "meeting.canceled": "Meeting canceled: Live demo, Rocket",
    "credential.accessed": "Test account viewed: Rocket",
    "credential.rotation_requested": "Test account rotation due: Rocket",
    "introduction.requested": "Introduction requested: work similar to Rocket",
    "introduction.accepted": "Introduction accepted: Rocket",
    "introduction.declined": "Introduction declined: Rocket",
    "compliance.notice_issued": "Notice issued: Rocket",
    "program.notice_suggested": "Notice suggested: Rocket by Acme",
    "compliance.request_dismissed": "Compliance request dismissed: Rocket",
    "compliance.deadline_paused": "Deadline paused: Rocket",
    "compliance.deadline_resumed": "Deadline resumed: Rocket",
    "compliance.deadline_expired": "Decision required: Rocket by Acme, period ended",
    "compliance.suspended": "Suspended: Rocket",
    "compliance.suspended_immediately": "Suspended immediately: Rocket",
    "compliance.delisted": "Delisted: Rocket",
    "compliance.appealed": "Appeal: Rocket by Acme",
    "compliance.appeal_upheld": "Appeal upheld: Rocket",
    "compliance.appeal_dismissed": "Appeal dismissed: Rocket",
    "compliance.notice_withdrawn": "Notice withdrawn: Rocket",
    "compliance.reinstated": "Reinstated: Rocket",
    "compliance.reinstatement_requested": "Reinstatement requested: Rocket by Acme",
    "compliance.downgraded": "Support commitment ended: Rocket",
    "integration.edition_moved": "New edition 2026-06: Rocket",
    "issue.warning_sent": "Due soon: acme/rocket#7 (75% of SLA time used)",
    "issue.breached": "SLA breach: acme/rocket#7 (critical)",
    "issue.breach_retracted": "Breach retracted: acme/rocket#7",
    "label_policy.proposed": "Label policy proposed: Rocket",
    "label_policy.accepted": "Label policy accepted: Rocket",
    "label_policy.declined": "Label policy declined: Rocket",
    "issue.severity_reduction_requested": "Lower severity requested: acme/rocket#7",
    "issue.disputed": "Breach disputed: acme/rocket#7",
    "issue.dispute_dismissed": "Dispute dismissed: acme/rocket#7",
    "issue.severity_reduced": "Severity lowered: acme/rocket#7",
    "issue.excluded": "Issue excluded: acme/rocket#7",
    "issue.dispute_accepted": "Dispute accepted: acme/rocket#7",
    "issue.severity_corrected": "Severity corrected: acme/rocket#7",
    "issue.breach_waived": "Breach waived: acme/rocket#7",
}
ACTIONS = (
    "Action required: ",
    "Waiting for ",
    "No action needed",
    "If you know about this review, no action is needed.",
)


def test_every_notification_has_an_expected_subject() -> None:
    assert set(SUBJECTS) == set(EVENT_TYPES)


@pytest.mark.parametrize("event_type", list(EVENT_TYPES))
def test_email_starts_with_the_next_action_and_has_one_button(
    rocket: Integration, sam: User, now: datetime, settings: Any, event_type: str
) -> None:
    emails = record_sample_event(rocket, event_type, sam, now)
    assert emails
    for each in emails:
        assert each.subject == SUBJECTS[event_type]
        page = BeautifulSoup(each.html, "html.parser")
        action = " ".join(page.select_one("p.action").text.split())
        assert action in " ".join(each.text.split())
        assert action.startswith(ACTIONS)
        (button,) = page.select("td.text a.button")
        assert button["href"].startswith(f"{settings.SITE_URL}/")
        assert f"\n{button.text}: {button['href']}\n" in each.text
        assert page.select_one("h1").text == each.subject
        assert ("Because." in each.text) == (event_type not in EVENTS_WITHOUT_NOTE)


@pytest.mark.parametrize("event_type", list(EVENT_TYPES))
def test_email_escapes_user_text(acme: Partner, rocket: Integration, sam: User, now: datetime, event_type: str) -> None:
    rocket.name = 'R<b>x</b> & "Co"'
    rocket.save()
    for each in record_sample_event(rocket, event_type, sam, now, note="<img src=x> & more\nsecond line"):
        assert "<b>x" not in each.html
        assert "<img" not in each.html
        assert "&amp;" not in each.subject + each.text
        assert "&quot;" not in each.subject + each.text
        assert "{{" not in each.subject + each.text + each.html
        assert "\n\n\n" not in each.text
        assert "\n" not in each.subject


@pytest.mark.parametrize("event_type", [event_type for event_type in EVENT_TYPES if event_type not in DATA])
def test_email_without_a_note_is_complete(rocket: Integration, sam: User, now: datetime, event_type: str) -> None:
    for each in record_sample_event(rocket, event_type, sam, now, note=""):
        assert not re.search(r"^(Comment|Reason|Message)", each.text, re.MULTILINE)
        assert not re.search(r"\]\(|>", each.text)
        assert "None" not in each.text


@pytest.mark.parametrize(
    ("target_types", "action"),
    [
        (["respond"], "Respond on GitHub."),
        (["resolve"], "Resolve the issue."),
        (["respond", "resolve"], "Address these issues on GitHub."),
    ],
)
def test_email_about_breaches_asks_for_what_the_target_asks(
    rocket: Integration, alice: User, sam: User, now: datetime, target_types: list[str], action: str
) -> None:
    issues = [ISSUE_DATA["issues"][0] | {"target_type": target_type} for target_type in target_types]
    with transaction.atomic():
        event = record_event(rocket, "issue.breached", actor=None, now=now, issues=issues, count=len(issues))
    text = event.emails.get(to=alice.email).text
    assert text.startswith(f"Action required: {action} Each additional day counts in your support record.\n")
    # The escalation to the next contact says that the first one didn't respond.
    program_text = event.emails.get(to=rocket.edition.mailbox).text
    assert program_text.startswith("Action required: Write to Acme, add a note, or decide on the compliance of Rocket.")


def test_email_about_a_suggested_notice_gives_the_reason_as_a_sentence(
    rocket: Integration, sam: User, now: datetime
) -> None:
    (email,) = record_sample_event(rocket, "program.notice_suggested", sam, now)
    assert "\n\nReason: 2 SLA breaches within 90 days.\n\n" in email.text
