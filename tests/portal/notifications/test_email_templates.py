"""What do the mails about integrations say?"""

from datetime import datetime
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.db import transaction

from integrations.partners.models import Partner
from integrations.reviews.services import claims
from integrations.submissions.models import Integration
from integrations.submissions.notices import NOTIFICATION_RULES
from integrations.submissions.services import findings, waivers
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from portal.audit.models import AuditEvent
from portal.audit.services import record_event
from portal.notifications import email as mail
from portal.notifications.models import EmailMessage
from tests.conftest import meet

PLACE = "https://meet.example/rocket"
NEWS = {
    "issues": [
        {
            "issue": "00000000-0000-4000-8000-000000000000", "name": "acme/rocket#7",
            "title": "It does not start", "url": "https://github.com/acme/rocket/issues/7",
            "target_type": "resolve", "severity": "critical", "due": "2026-04-15T09:00:00+00:00", "share": 75,
            "last_commenter_role": "reporter", "alert": "7:warned",
        }
    ],
    "count": 1,
}  # fmt: skip
DECISION_DATA = {"issue": NEWS["issues"][0]["issue"], "name": "acme/rocket#7", "title": "It does not start"}  # type: ignore[index]
# What the events of these verbs hold beside what every event holds.
DATA: dict[str, dict[str, Any]] = {
    "check_failed": {"requirement": "R", "title": "License", "finding": 1, "due_day": "Tue 28 Apr"},
    "check_passed": {"requirement": "R", "title": "License", "finding": 1},
    "checks_disagree": {"requirement": "R", "title": "License", "commit": "9f3c1e0a77b2"},
    "waived": {"requirement": "R", "title": "Support dossier", "until": "2026-06-01T00:00:00+00:00"},
    "waiver_ended": {"requirement": "R", "title": "Support dossier", "until": "2026-06-01T00:00:00+00:00"},
    "accepted": {"check": "repository.owner", "title": "Same owner", "thing": "new owner", "value": "9"},
    "agreement_to_countersign": {"requirement": "R", "title": "Technology Partner Agreement", "version": "3"},
    "agreement_to_sign": {"requirement": "R", "title": "Technology Partner Agreement", "version": "3"},
    "agreement_complete": {"requirement": "R", "title": "Technology Partner Agreement", "version": "3"},
    "meeting_proposed": {
        "requirement": "R",
        "title": "Live demo",
        "times": ["2026-04-20T14:00+00:00"],
        "starts_at": "",
    },
    "meeting_agreed": {"requirement": "R", "title": "Live demo", "starts_at": "2026-04-20T14:00+00:00", "place": PLACE},
    "meeting_cancelled": {"requirement": "R", "title": "Live demo"},
    "credential_revealed": {"requirement": "R", "title": "Test account", "label": "Sandbox"},
    "credential_to_rotate": {"requirement": "R", "title": "Test account", "label": "Sandbox"},
    "issues_warned": NEWS,
    "issues_breached": NEWS,
    "breaches_retracted": NEWS,
    "severity_asked": DECISION_DATA,
    "breach_disputed": DECISION_DATA,
    "dispute_dismissed": DECISION_DATA,
    "severity_lowered": DECISION_DATA,
    "not_covered": DECISION_DATA,
    "suggest_notice": {"why": "2 SLA breaches within 90 days"},
    "pause_deadline": {"acts": [{"key": "release", "said": "A new release was seen: 1.2.0", "at": "", "url": ""}]},
    "edition_moved": {"was": "2021-04", "to": "2026-06", "added": ["An SBOM"], "dropped": ["A form"]},
}
WITHOUT_A_NOTE = (
    "created", "credential_to_rotate", "introduction_declined", "issues_warned", "issues_breached",
    "breaches_retracted",
)  # fmt: skip
SUBJECTS = {
    "created": "Begun: Rocket in Nomad",
    "submit_for_review": "Review 0 of Rocket by Acme",
    "resubmit_for_review": "Review 0 of Rocket by Acme",
    "request_changes": "0 findings to answer: Rocket",
    "approve": "Approved: Rocket",
    "decline": "Declined: Rocket",
    "publish": "Listed: Rocket",
    "put_on_hold": "On hold: Rocket",
    "resume": "Off hold: Rocket",
    "archive": "No longer supported: Rocket",
    "withdraw": "Withdrawn: Rocket by Acme",
    "reopen": "Open again: Rocket",
    "request_tier": "A tier asked for: Rocket by Acme",
    "grant_tier": "Tier granted: Rocket",
    "decline_tier": "Tier declined: Rocket",
    "check_failed": "No longer in order: License of Rocket",
    "check_passed": "In order again: License of Rocket",
    "checks_disagree": "Found otherwise than CI reported: Rocket at 9f3c1e0a77b2",
    "said_to_partner": "Sam Stone wrote about Rocket",
    "said_to_program": "Sam Stone wrote about Rocket",
    "waived": "Waived until 2026-06-01: Support dossier of Rocket",
    "waiver_ended": "Waiver ended: Support dossier of Rocket",
    "accepted": "Accepted: new owner of Rocket",
    "agreement_to_countersign": "To sign: Technology Partner Agreement with Acme",
    "agreement_to_sign": "To sign: Technology Partner Agreement with the program",
    "agreement_complete": "Signed by both: Technology Partner Agreement of Acme",
    "meeting_proposed": "Times proposed: Live demo for Rocket",
    "meeting_agreed": "Agreed: Live demo for Rocket, Mon 20 Apr, 14:00 UTC",
    "meeting_cancelled": "Cancelled: Live demo for Rocket",
    "credential_revealed": "Your test account was opened: Rocket",
    "credential_to_rotate": "Time for a new test account: Rocket",
    "introduction_asked": "Somebody works on the same thing as Rocket",
    "introduction_agreed": "You are introduced: Rocket",
    "introduction_declined": "No introduction: Rocket",
    "issue_notice": "Notice issued: Rocket",
    "suggest_notice": "Notice suggested: Rocket by Acme",
    "dismiss_request": "Request dismissed: Rocket",
    "pause_deadline": "Deadline paused: Rocket",
    "resume_deadline": "Deadline resumed: Rocket",
    "period_ended": "Decision required: Rocket by Acme, notice period ended",
    "suspend": "Suspended: Rocket",
    "suspend_immediately": "Suspended immediately: Rocket",
    "delist": "Delisted: Rocket",
    "appeal": "Appeal: Rocket by Acme",
    "uphold_appeal": "Appeal upheld: Rocket",
    "dismiss_appeal": "Appeal dismissed: Rocket",
    "withdraw_notice": "Notice withdrawn: Rocket",
    "reinstate": "Reinstated: Rocket",
    "request_reinstatement": "Reinstatement requested: Rocket by Acme",
    "downgrade_to_community": "Now a community integration: Rocket",
    "edition_moved": "New edition 2026-06: Rocket",
    "issues_warned": "75 % of the time is used: acme/rocket#7",
    "issues_breached": "Past due: acme/rocket#7 (critical)",
    "breaches_retracted": "Taken back: the breach of acme/rocket#7",
    "labels_proposed": "Labels proposed: Rocket",
    "labels_accepted": "Labels accepted: Rocket",
    "labels_declined": "Labels declined: Rocket",
    "severity_asked": "Asked to lower the severity: acme/rocket#7",
    "breach_disputed": "Disputed: acme/rocket#7",
    "dispute_dismissed": "Left as it is: acme/rocket#7",
    "severity_lowered": "Severity lowered: acme/rocket#7",
    "not_covered": "Not covered: acme/rocket#7",
}


def tell(row: Integration, event_type: str, by: User, now: datetime, note: str = "Because.") -> list[EmailMessage]:
    with transaction.atomic():
        who = None if NOTIFICATION_RULES[event_type].is_anonymous else by
        event = record_event(row, event_type, actor=who, now=now, note=note, **DATA.get(event_type, {}))
    return list(EmailMessage.objects.filter(event=event).order_by("pk"))


def test_every_notice_has_its_subject_here() -> None:
    assert set(SUBJECTS) == set(NOTIFICATION_RULES)


@pytest.mark.parametrize("event_type", list(NOTIFICATION_RULES))
def test_email_says_the_verdict_whose_turn_it_is_and_has_one_button(
    rocket: Integration, sam: User, now: datetime, settings: Any, event_type: str
) -> None:
    mails = tell(rocket, event_type, sam, now)
    assert mails
    for each in mails:
        assert each.subject == SUBJECTS[event_type]
        page = BeautifulSoup(each.html, "html.parser")
        first = page.select_one(".turn").text
        assert " ".join(first.split()) in " ".join(each.text.split())
        assert "turn" in first or "You have nothing to do" in first or "An answer" in first or "new time" in first
        button = page.select_one("td.text p a")
        assert button["href"].startswith(f"{settings.SITE_URL}/")
        assert f"{button.text}:\n{button['href']}" in each.text
        assert page.select_one("h1").text in each.text
        assert ("Because." in each.text) == (event_type not in WITHOUT_A_NOTE)


@pytest.mark.parametrize("event_type", list(NOTIFICATION_RULES))
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


@pytest.mark.parametrize("event_type", [event_type for event_type in NOTIFICATION_RULES if event_type not in DATA])
def test_email_is_whole_without_a_note(rocket: Integration, sam: User, now: datetime, event_type: str) -> None:
    for each in tell(rocket, event_type, sam, now, note=""):
        assert "They write" not in each.text
        assert "reason:" not in each.text
        assert "None" not in each.text


def test_changes_requested_lists_the_findings_that_wait(at: Any, alice: User, rita: User, now: datetime) -> None:
    row = at("review")
    meet(row, alice, now)
    for text in ("Sign the release.", "Add a license."):
        findings.raise_finding(row, row.edition.requirements()[0].id, text, actor=rita, now=now)
    perform_transition(row, "request_changes", actor=rita, note="Nearly there.", now=now)
    email = EmailMessage.objects.get(event__event_type="request_changes")
    assert email.to == "alice@acme.example"
    assert email.subject == "2 findings to answer: Rocket"
    assert "Your turn: Answer 2 findings." in email.text
    assert "1. Sign the release." in email.text
    assert "2. Add a license." in email.text
    assert "Nearly there." in email.text
    assert "They add:" in email.html


def test_requested_review_says_by_when(at: Any, rita: User) -> None:
    row = at("review")
    email = EmailMessage.objects.get(event__event_type="submit_for_review")
    assert email.to == row.edition.mailbox
    assert email.subject == "Review 1 of Rocket by Acme, due Tue 28 Apr"
    assert "Your turn: Review round 1, by Tue 28 Apr, 09:00 UTC." in email.text
    assert f"/integrations/{row.uuid}/review/" in email.text


def test_moments_appear_in_the_zone_of_anyone_who_reads(
    rocket: Integration, alice: User, sam: User, now: datetime
) -> None:
    alice.zone = "Asia/Tokyo"
    alice.save()
    email = next(mail for mail in tell(rocket, "meeting_agreed", sam, now) if mail.person == alice)
    assert email.subject == "Agreed: Live demo for Rocket, Mon 20 Apr, 23:00 JST"
    assert PLACE in email.text


def test_each_side_is_led_to_its_own_page(
    rocket: Integration, alice: User, rita: User, sam: User, now: datetime
) -> None:
    claims.assign_reviewer(rocket, rita, actor=rita, now=now)
    text_by_address = {each.to: each.text for each in tell(Integration.objects.get(pk=rocket.pk), "reopen", sam, now)}
    assert f"/integrations/{rocket.uuid}/review/" in text_by_address["rita@program.example"]
    assert f"/integrations/{rocket.uuid}/review/" not in text_by_address["alice@acme.example"]
    assert "because you are an owner or editor of Acme" in text_by_address["alice@acme.example"]
    assert "because you review it" in text_by_address["rita@program.example"]


def test_introduction_names_no_one_before_both_agree(
    rocket: Integration, globex: Partner, alice: User, charlie: User, now: datetime
) -> None:
    with transaction.atomic():
        record_event(rocket, "introduction_asked", actor=charlie, now=now, note="Shall we talk?")
    email = EmailMessage.objects.get(event__event_type="introduction_asked")
    assert "Globex" not in email.text + email.html + email.subject
    assert "Charlie" not in email.text + email.html + email.subject


def test_anyone_who_agrees_on_a_time_gets_the_calendar_entry_too(
    rocket: Integration, alice: User, rita: User, sam: User, now: datetime
) -> None:
    claims.assign_reviewer(rocket, rita, actor=rita, now=now)
    row = Integration.objects.get(pk=rocket.pk)
    for event_type in ("meeting_agreed", "meeting_cancelled"):
        with transaction.atomic():
            record_event(row, event_type, actor=alice, now=now, calendar="BEGIN:VCALENDAR")
        emails = EmailMessage.objects.filter(event__event_type=event_type).order_by("to")
        assert [mail.to for mail in emails] == ["alice@acme.example", "rita@program.example"]
    with transaction.atomic():
        record_event(row, "meeting_proposed", actor=alice, now=now)
    assert [mail.to for mail in EmailMessage.objects.filter(event__event_type="meeting_proposed")] == [
        "rita@program.example"
    ]


def test_waiver_names_reason_and_end(at: Any, alice: User, rita: User, now: datetime) -> None:
    row = at("review")
    requirement = row.edition.requirements()[0]
    until = datetime(2026, 6, 1, tzinfo=now.tzinfo)
    waivers.waive_requirement(
        row, requirement.id, reason="The registry is closed.", expires_at=until, actor=rita, now=now
    )
    email = EmailMessage.objects.get(event__event_type="waived")
    assert email.subject == f"Waived until 2026-06-01: {requirement.title} of Rocket"
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
    email = EmailMessage.objects.get(event__event_type="waiver_ended")
    row.refresh_from_db()
    assert (email.to, email.subject) == (alice.email, f"Waiver ended: {requirement.title} of Rocket")
    assert "The registry is open again." in email.text
    assert "was to last until 2026-06-01" in email.text
    assert row.next_action_text in email.text


def test_email_about_a_removed_moment_is_not_broken_by_an_old_event(rocket: Integration, now: datetime) -> None:
    event = AuditEvent(integration=rocket, event_type="meeting_agreed", at=now, data={})
    message = mail.render("meeting_agreed", {"person": None, "event": event, "integration": rocket, "data": {}})
    assert message.subject == "Agreed: a meeting for Rocket"
