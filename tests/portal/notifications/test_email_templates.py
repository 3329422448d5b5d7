"""Tests of emails about integrations."""

import re
from datetime import datetime
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.db import transaction

from integrations.partners.models import Partner
from integrations.reviews.services import claims
from integrations.submissions import notices
from integrations.submissions.models import Integration
from integrations.submissions.services import findings, waivers
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from portal.audit.catalog import EMAILS
from portal.audit.services import record_event
from portal.notifications.models import EmailMessage
from tests.conftest import meet

pytestmark = pytest.mark.any_database

PLACE = "https://meet.example/rocket"
NEWS = {
    "issues": [
        {
            "issue": "00000000-0000-4000-8000-000000000000",
            "name": "acme/rocket#7",
            "title": "It does not start",
            "url": "https://github.com/acme/rocket/issues/7",
            "target_type": "resolve",
            "severity": "critical",
            "due": "2026-04-15T09:00:00+00:00",
            "share": 75,
            "last_commenter_role": "reporter",
            "alert": "7:warned",
        }
    ],
    "count": 1,
}
DECISION_DATA = {"issue": NEWS["issues"][0]["issue"], "name": "acme/rocket#7", "title": "It does not start"}  # type: ignore[index]
# Data of event types, beyond what every event has.
DATA: dict[str, dict[str, Any]] = {
    "check.failed": {"requirement": "R", "title": "License", "finding": 1, "due_day": "Tue, Apr 28"},
    "check.passed": {"requirement": "R", "title": "License", "finding": 1},
    "check.disagreed": {"requirement": "R", "title": "License", "commit": "9f3c1e0a77b2"},
    "requirement.waived": {
        "requirement": "R",
        "title": "Internal support documentation",
        "until": "2026-06-01T00:00:00+00:00",
    },
    "requirement.waiver_ended": {
        "requirement": "R",
        "title": "Internal support documentation",
        "until": "2026-06-01T00:00:00+00:00",
    },
    "check.accepted": {"check": "repository.owner", "title": "Same owner", "thing": "new owner", "value": "9"},
    "agreement.signed_by_partner": {"requirement": "R", "title": "Technology Partner Agreement", "version": "3"},
    "agreement.signed_by_program": {"requirement": "R", "title": "Technology Partner Agreement", "version": "3"},
    "agreement.completed": {"requirement": "R", "title": "Technology Partner Agreement", "version": "3"},
    "meeting.proposed": {
        "requirement": "R",
        "title": "Live demo",
        "times": ["2026-04-20T14:00+00:00"],
        "starts_at": "",
    },
    "meeting.scheduled": {
        "requirement": "R",
        "title": "Live demo",
        "starts_at": "2026-04-20T14:00+00:00",
        "place": PLACE,
    },
    "meeting.canceled": {"requirement": "R", "title": "Live demo"},
    "credential.accessed": {"requirement": "R", "title": "Test account", "label": "Sandbox"},
    "credential.rotation_requested": {"requirement": "R", "title": "Test account", "label": "Sandbox"},
    "issue.warning_sent": NEWS,
    "issue.breached": NEWS,
    "issue.breach_retracted": NEWS,
    "issue.severity_reduction_requested": DECISION_DATA,
    "issue.disputed": DECISION_DATA,
    "issue.dispute_dismissed": DECISION_DATA,
    "issue.severity_reduced": DECISION_DATA,
    "issue.excluded": DECISION_DATA,
    "program.notice_suggested": {"reason": "2 SLA breaches within 90 days"},
    "compliance.deadline_paused": {
        "activities": [{"key": "release", "summary": "A new release was seen: 1.2.0", "at": "", "url": ""}]
    },
    "tier.requested": {"tier": "verified"},
    "tier.granted": {"tier": "verified"},
    "tier.declined": {"tier": "verified"},
    "integration.edition_moved": {"was": "2021-04", "to": "2026-06", "added": ["An SBOM"], "dropped": ["A form"]},
}
WITHOUT_A_NOTE = (
    "integration.created",
    "credential.rotation_requested",
    "introduction.declined",
    "issue.warning_sent",
    "issue.breached",
    "issue.breach_retracted",
)
SUBJECTS = {
    "integration.created": "Integration created: Rocket in Nomad",
    "review.requested": "Review requested: Rocket by Acme",
    "review.requested_again": "Review requested: Rocket by Acme",
    "review.changes_requested": "Changes requested: Rocket",
    "integration.approved": "Approved: Rocket",
    "integration.declined": "Declined: Rocket",
    "integration.listed": "Now listed: Rocket",
    "integration.put_on_hold": "On hold: Rocket",
    "integration.resumed": "Hold removed: Rocket",
    "integration.archived": "Support ended: Rocket",
    "integration.withdrawn": "Withdrawn: Rocket by Acme",
    "integration.reopened": "Reopened: Rocket",
    "tier.requested": "Tier requested: Rocket by Acme (Verified)",
    "tier.granted": "Tier granted: Rocket (Verified)",
    "tier.declined": "Tier declined: Rocket (Verified)",
    "check.failed": "Check failed: License, Rocket",
    "check.passed": "Check passed: License, Rocket",
    "check.disagreed": "CI results contradicted: Rocket at 9f3c1e0a77b2",
    "message.sent_to_partner": "New message from Sam Stone: Rocket",
    "message.sent_to_program": "New message from Sam Stone: Rocket",
    "requirement.waived": "Waived until 2026-06-01: Internal support documentation, Rocket",
    "requirement.waiver_ended": "Waiver ended: Internal support documentation, Rocket",
    "check.accepted": "Deviation accepted: Rocket (new owner)",
    "agreement.signed_by_partner": "Signature required: Technology Partner Agreement with Acme",
    "agreement.signed_by_program": "Signature required: Technology Partner Agreement",
    "agreement.completed": "Agreement complete: Technology Partner Agreement with Acme",
    "meeting.proposed": "Meeting times proposed: Live demo, Rocket",
    "meeting.scheduled": "Meeting scheduled: Live demo, Rocket, Mon, Apr 20, 2:00 PM UTC",
    "meeting.canceled": "Meeting canceled: Live demo, Rocket",
    "credential.accessed": "Test account viewed: Rocket",
    "credential.rotation_requested": "Test account rotation due: Rocket",
    "introduction.requested": "Introduction requested: similar work to Rocket",
    "introduction.accepted": "Introduction accepted: Rocket",
    "introduction.declined": "Introduction declined: Rocket",
    "compliance.notice_issued": "Notice issued: Rocket",
    "program.notice_suggested": "Notice suggested: Rocket by Acme",
    "compliance.request_dismissed": "Request dismissed: Rocket",
    "compliance.deadline_paused": "Deadline paused: Rocket",
    "compliance.deadline_resumed": "Deadline resumed: Rocket",
    "compliance.deadline_expired": "Decision required: Rocket by Acme, notice period ended",
    "compliance.suspended": "Suspended: Rocket",
    "compliance.suspended_immediately": "Suspended immediately: Rocket",
    "compliance.delisted": "Delisted: Rocket",
    "compliance.appealed": "Appeal: Rocket by Acme",
    "compliance.appeal_upheld": "Appeal upheld: Rocket",
    "compliance.appeal_dismissed": "Appeal dismissed: Rocket",
    "compliance.notice_withdrawn": "Notice withdrawn: Rocket",
    "compliance.reinstated": "Reinstated: Rocket",
    "compliance.reinstatement_requested": "Reinstatement requested: Rocket by Acme",
    "compliance.downgraded": "Now a community integration: Rocket",
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
}
EVENT_TYPES = [key for key, email in EMAILS.items() if email.audience in notices.FINDERS]
ACTIONS = (
    "Action required: ",
    "Waiting for ",
    "No action needed",
    "If you know about this review, no action is needed.",
)


def tell(row: Integration, event_type: str, by: User, now: datetime, note: str = "Because.") -> list[EmailMessage]:
    with transaction.atomic():
        who = None if EMAILS[event_type].is_anonymous else by
        event = record_event(row, event_type, actor=who, now=now, note=note, **DATA.get(event_type, {}))
    return list(EmailMessage.objects.filter(event=event).order_by("pk"))


def test_every_notice_has_its_subject_here() -> None:
    assert set(SUBJECTS) == set(EVENT_TYPES)


@pytest.mark.parametrize("event_type", list(EVENT_TYPES))
def test_email_starts_with_the_next_action_and_has_one_button(
    rocket: Integration, sam: User, now: datetime, settings: Any, event_type: str
) -> None:
    mails = tell(rocket, event_type, sam, now)
    assert mails
    for each in mails:
        assert each.subject == SUBJECTS[event_type]
        page = BeautifulSoup(each.html, "html.parser")
        action = " ".join(page.select_one("p.action").text.split())
        assert action in " ".join(each.text.split())
        assert action.startswith(ACTIONS)
        (button,) = page.select("td.text a.button")
        assert button["href"].startswith(f"{settings.SITE_URL}/")
        assert f"\n{button.text}: {button['href']}\n" in each.text
        assert page.select_one("h1").text == each.subject
        assert ("Because." in each.text) == (event_type not in WITHOUT_A_NOTE)


@pytest.mark.parametrize("event_type", list(EVENT_TYPES))
def test_email_keeps_text_as_text(
    acme: Partner, rocket: Integration, sam: User, now: datetime, event_type: str
) -> None:
    rocket.name = 'R<b>x</b> & "Co"'
    rocket.save()
    for each in tell(rocket, event_type, sam, now, note="<img src=x> & more\nsecond line"):
        assert "<b>x" not in each.html
        assert "<img" not in each.html
        assert "&amp;" not in each.subject + each.text
        assert "&quot;" not in each.subject + each.text
        assert "{{" not in each.subject + each.text + each.html
        assert "\n\n\n" not in each.text
        assert "\n" not in each.subject


@pytest.mark.parametrize("event_type", [event_type for event_type in EVENT_TYPES if event_type not in DATA])
def test_email_is_whole_without_a_note(rocket: Integration, sam: User, now: datetime, event_type: str) -> None:
    for each in tell(rocket, event_type, sam, now, note=""):
        assert not re.search(r"^(Comment|Reason|Message)", each.text, re.MULTILINE)
        assert not re.search(r"\]\(|>", each.text)
        assert "None" not in each.text


def test_changes_requested_lists_the_findings_that_wait(at: Any, alice: User, rita: User, now: datetime) -> None:
    row = at("review")
    meet(row, alice, now)
    for text in ("Sign the release.", "Add a license."):
        findings.raise_finding(row, row.edition.requirements()[0].id, text, actor=rita, now=now)
    perform_transition(row, "request_changes", actor=rita, note="Nearly there.", now=now)
    email = EmailMessage.objects.get(event__event_type="review.changes_requested")
    assert email.to == "alice@acme.example"
    assert email.subject == "Changes requested: Rocket"
    assert email.text.startswith("Action required: Respond to 2 findings.\n")
    assert "Finding 1:\n\n> Sign the release.\n" in email.text
    assert "Finding 2:\n\n> Add a license.\n" in email.text
    assert "Comment:\n\n> Nearly there.\n" in email.text
    quotes = [quote.text.strip() for quote in BeautifulSoup(email.html, "html.parser").select("blockquote")]
    assert quotes == ["Sign the release.", "Add a license.", "Nearly there."]


def test_requested_review_says_by_when(at: Any, rita: User) -> None:
    row = at("review")
    email = EmailMessage.objects.get(event__event_type="review.requested")
    assert email.to == row.edition.mailbox
    assert email.subject == "Review requested: Rocket by Acme, due Tue, Apr 28"
    assert "Action required: Review round 1 by Tue, Apr 28, 9:00 AM UTC." in email.text
    assert f"/integrations/{row.uuid}/review/" in email.text


def test_moments_appear_in_the_zone_of_anyone_who_reads(
    rocket: Integration, alice: User, sam: User, now: datetime
) -> None:
    alice.zone = "Asia/Tokyo"
    alice.save()
    email = next(mail for mail in tell(rocket, "meeting.scheduled", sam, now) if mail.person == alice)
    assert email.subject == "Meeting scheduled: Live demo, Rocket, Mon, Apr 20, 11:00 PM JST"
    assert PLACE in email.text


def test_each_side_is_led_to_its_own_page(
    rocket: Integration, alice: User, rita: User, sam: User, now: datetime
) -> None:
    claims.assign_reviewer(rocket, rita, actor=rita, now=now)
    text_by_address = {
        each.to: each.text for each in tell(Integration.objects.get(pk=rocket.pk), "integration.reopened", sam, now)
    }
    assert f"/integrations/{rocket.uuid}/review/" in text_by_address["rita@program.example"]
    assert f"/integrations/{rocket.uuid}/review/" not in text_by_address["alice@acme.example"]
    assert "because you are an owner or editor of Acme" in text_by_address["alice@acme.example"]
    assert "because you review Rocket, manage Acme" in text_by_address["rita@program.example"]


def test_introduction_names_no_one_before_both_agree(
    rocket: Integration, globex: Partner, alice: User, charlie: User, now: datetime
) -> None:
    with transaction.atomic():
        record_event(rocket, "introduction.requested", actor=charlie, now=now, note="Shall we talk?")
    email = EmailMessage.objects.get(event__event_type="introduction.requested")
    assert "Globex" not in email.text + email.html + email.subject
    assert "Charlie" not in email.text + email.html + email.subject


def test_anyone_who_agrees_on_a_time_gets_the_calendar_entry_too(
    rocket: Integration, alice: User, rita: User, sam: User, now: datetime
) -> None:
    claims.assign_reviewer(rocket, rita, actor=rita, now=now)
    row = Integration.objects.get(pk=rocket.pk)
    for event_type in ("meeting.scheduled", "meeting.canceled"):
        with transaction.atomic():
            record_event(row, event_type, actor=alice, now=now, calendar="BEGIN:VCALENDAR")
        emails = EmailMessage.objects.filter(event__event_type=event_type).order_by("to")
        assert [mail.to for mail in emails] == ["alice@acme.example", "rita@program.example"]
    with transaction.atomic():
        record_event(row, "meeting.proposed", actor=alice, now=now)
    assert [mail.to for mail in EmailMessage.objects.filter(event__event_type="meeting.proposed")] == [
        "rita@program.example"
    ]


def test_waiver_names_reason_and_end(at: Any, alice: User, rita: User, now: datetime) -> None:
    row = at("review")
    requirement = row.edition.requirements()[0]
    until = datetime(2026, 6, 1, tzinfo=now.tzinfo)
    waivers.waive_requirement(
        row, requirement.id, reason="The registry is closed.", expires_at=until, actor=rita, now=now
    )
    email = EmailMessage.objects.get(event__event_type="requirement.waived")
    assert email.subject == f"Waived until 2026-06-01: {requirement.title}, Rocket"
    assert "The registry is closed." in email.text


def test_waiver_ended_early_is_reported_with_its_reason_and_whose_turn_it_is(
    at: Any, alice: User, rita: User, now: datetime
) -> None:
    row = at("review")
    requirement = row.edition.requirements()[0]
    until = datetime(2026, 6, 1, tzinfo=now.tzinfo)
    waivers.waive_requirement(
        row, requirement.id, reason="The registry is closed.", expires_at=until, actor=rita, now=now
    )
    waivers.end_waiver(row, requirement.id, reason="The registry is open again.", actor=rita, now=now)
    email = EmailMessage.objects.get(event__event_type="requirement.waiver_ended")
    row.refresh_from_db()
    assert (email.to, email.subject) == (alice.email, f"Waiver ended: {requirement.title}, Rocket")
    assert "The registry is open again." in email.text
    assert "It was valid until 2026-06-01." in email.text
    assert row.next_action_label in email.text
