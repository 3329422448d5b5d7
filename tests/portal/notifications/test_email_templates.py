"""What do the mails about integrations say?"""

import re
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
from portal.audit.services import record_event
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
    "check_failed": {"requirement": "R", "title": "License", "finding": 1, "due_day": "Tue, Apr 28"},
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
    "request_tier": {"tier": "verified"},
    "grant_tier": {"tier": "verified"},
    "decline_tier": {"tier": "verified"},
    "edition_moved": {"was": "2021-04", "to": "2026-06", "added": ["An SBOM"], "dropped": ["A form"]},
}
WITHOUT_A_NOTE = (
    "created", "credential_to_rotate", "introduction_declined", "issues_warned", "issues_breached",
    "breaches_retracted",
)  # fmt: skip
SUBJECTS = {
    "created": "Integration created: Rocket in Nomad",
    "submit_for_review": "Review requested: Rocket by Acme",
    "resubmit_for_review": "Review requested: Rocket by Acme",
    "request_changes": "Changes requested: Rocket",
    "approve": "Approved: Rocket",
    "decline": "Declined: Rocket",
    "publish": "Now listed: Rocket",
    "put_on_hold": "On hold: Rocket",
    "resume": "Hold removed: Rocket",
    "archive": "Support ended: Rocket",
    "withdraw": "Withdrawn: Rocket by Acme",
    "reopen": "Reopened: Rocket",
    "request_tier": "Tier requested: Rocket by Acme (Verified)",
    "grant_tier": "Tier granted: Rocket (Verified)",
    "decline_tier": "Tier declined: Rocket (Verified)",
    "check_failed": "Check failed: License, Rocket",
    "check_passed": "Check passed: License, Rocket",
    "checks_disagree": "CI results contradicted: Rocket at 9f3c1e0a77b2",
    "said_to_partner": "New message from Sam Stone: Rocket",
    "said_to_program": "New message from Sam Stone: Rocket",
    "waived": "Waived until 2026-06-01: Support dossier, Rocket",
    "waiver_ended": "Waiver ended: Support dossier, Rocket",
    "accepted": "Deviation accepted: Rocket (new owner)",
    "agreement_to_countersign": "Signature required: Technology Partner Agreement with Acme",
    "agreement_to_sign": "Signature required: Technology Partner Agreement",
    "agreement_complete": "Agreement complete: Technology Partner Agreement with Acme",
    "meeting_proposed": "Meeting times proposed: Live demo, Rocket",
    "meeting_agreed": "Meeting scheduled: Live demo, Rocket, Mon, Apr 20, 2:00 PM UTC",
    "meeting_cancelled": "Meeting canceled: Live demo, Rocket",
    "credential_revealed": "Test account viewed: Rocket",
    "credential_to_rotate": "Test account rotation due: Rocket",
    "introduction_asked": "Introduction requested: similar work to Rocket",
    "introduction_agreed": "Introduction accepted: Rocket",
    "introduction_declined": "Introduction declined: Rocket",
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
    "issues_warned": "Due soon: acme/rocket#7 (75% of SLA time used)",
    "issues_breached": "SLA breach: acme/rocket#7 (critical)",
    "breaches_retracted": "Breach retracted: acme/rocket#7",
    "labels_proposed": "Label policy proposed: Rocket",
    "labels_accepted": "Label policy accepted: Rocket",
    "labels_declined": "Label policy declined: Rocket",
    "severity_asked": "Lower severity requested: acme/rocket#7",
    "breach_disputed": "Breach disputed: acme/rocket#7",
    "dispute_dismissed": "Dispute dismissed: acme/rocket#7",
    "severity_lowered": "Severity lowered: acme/rocket#7",
    "not_covered": "Issue excluded: acme/rocket#7",
}
ACTIONS = (
    "Action required: ",
    "Waiting for ",
    "No action needed",
    "If you know about this review, no action is needed.",
)


def tell(row: Integration, event_type: str, by: User, now: datetime, note: str = "Because.") -> list[EmailMessage]:
    with transaction.atomic():
        who = None if NOTIFICATION_RULES[event_type].is_anonymous else by
        event = record_event(row, event_type, actor=who, now=now, note=note, **DATA.get(event_type, {}))
    return list(EmailMessage.objects.filter(event=event).order_by("pk"))


def test_every_notice_has_its_subject_here() -> None:
    assert set(SUBJECTS) == set(NOTIFICATION_RULES)


@pytest.mark.parametrize("event_type", list(NOTIFICATION_RULES))
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
        assert f"\n[{button.text}](<{button['href']}>)\n" in each.text
        assert page.select_one("h1").text == each.subject
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
        assert not re.search(r"^(Comment|Reason|Message)", each.text, re.MULTILINE)
        assert ">" not in re.sub(r"\(<\S+>\)", "", each.text)
        assert "None" not in each.text


def test_changes_requested_lists_the_findings_that_wait(at: Any, alice: User, rita: User, now: datetime) -> None:
    row = at("review")
    meet(row, alice, now)
    for text in ("Sign the release.", "Add a license."):
        findings.raise_finding(row, row.edition.requirements()[0].id, text, actor=rita, now=now)
    perform_transition(row, "request_changes", actor=rita, note="Nearly there.", now=now)
    email = EmailMessage.objects.get(event__event_type="request_changes")
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
    email = EmailMessage.objects.get(event__event_type="submit_for_review")
    assert email.to == row.edition.mailbox
    assert email.subject == "Review requested: Rocket by Acme, due Tue, Apr 28"
    assert "Action required: Review round 1 by Tue, Apr 28, 9:00 AM UTC." in email.text
    assert f"/integrations/{row.uuid}/review/" in email.text


def test_moments_appear_in_the_zone_of_anyone_who_reads(
    rocket: Integration, alice: User, sam: User, now: datetime
) -> None:
    alice.zone = "Asia/Tokyo"
    alice.save()
    email = next(mail for mail in tell(rocket, "meeting_agreed", sam, now) if mail.person == alice)
    assert email.subject == "Meeting scheduled: Live demo, Rocket, Mon, Apr 20, 11:00 PM JST"
    assert PLACE in email.text


def test_each_side_is_led_to_its_own_page(
    rocket: Integration, alice: User, rita: User, sam: User, now: datetime
) -> None:
    claims.assign_reviewer(rocket, rita, actor=rita, now=now)
    text_by_address = {each.to: each.text for each in tell(Integration.objects.get(pk=rocket.pk), "reopen", sam, now)}
    assert f"/integrations/{rocket.uuid}/review/" in text_by_address["rita@program.example"]
    assert f"/integrations/{rocket.uuid}/review/" not in text_by_address["alice@acme.example"]
    assert "because you are an owner or editor of Acme" in text_by_address["alice@acme.example"]
    assert "because you review Rocket, manage Acme" in text_by_address["rita@program.example"]


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
    email = EmailMessage.objects.get(event__event_type="waiver_ended")
    row.refresh_from_db()
    assert (email.to, email.subject) == (alice.email, f"Waiver ended: {requirement.title}, Rocket")
    assert "The registry is open again." in email.text
    assert "It was valid until 2026-06-01." in email.text
    assert row.next_action_text in email.text
