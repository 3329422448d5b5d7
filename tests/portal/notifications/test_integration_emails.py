"""Tests of the content and the recipients of single emails about integrations."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.db import transaction

from integrations.partners.models import Membership, Partner
from integrations.reviews.services import claims
from integrations.submissions.models import Integration
from integrations.submissions.services import creation, findings, waivers
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from portal.audit.services import record_event
from portal.notifications.models import EmailMessage
from tests.conftest import advance_to_stage, create_integration, fulfill_requirements
from tests.integrations.database_rows import reload_row
from tests.portal.notifications.integration_events import MEETING_URL, record_sample_event

pytestmark = pytest.mark.any_database
CHANGED = "Alice Archer changed the repository of Rocket from acme/rocket to other/rocket."
OWNER_LEAD = "Action required: Check that the new repository belongs to Acme."


def test_changes_requested_email_lists_open_findings(
    integration_at: Any, alice: User, rita: User, now: datetime
) -> None:
    row = integration_at("review")
    fulfill_requirements(row, alice, now)
    for text in ("Sign the release.", "Add a license."):
        findings.raise_finding(row, row.edition.list_requirements()[0].id, text, actor=rita, now=now)
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


def test_requested_review_email_has_the_due_date(integration_at: Any, rita: User) -> None:
    row = integration_at("review")
    email = EmailMessage.objects.get(event__event_type="review.requested")
    assert email.to == row.edition.mailbox
    assert email.subject == "Review requested: Rocket by Acme, due Tue, Apr 28"
    assert "Action required: Review round 1 by Tue, Apr 28, 9:00 AM UTC." in email.text
    assert f"/integrations/{row.uuid}/review/" in email.text


@pytest.mark.parametrize(
    ("repository", "lead"),
    [
        ("acme/nomad-driver-rocket", "No action needed. We monitor this integration."),
        ("", "No action needed. We can't measure support until you enter a repository."),
    ],
)
def test_listed_email_says_whether_support_is_measured(
    integration_at: Any, alice: User, rita: User, repository: str, lead: str
) -> None:
    row = integration_at("release")
    Integration.objects.filter(pk=row.pk).update(repository=repository)
    advance_to_stage(reload_row(row), "support", partner=alice, reviewer=rita)
    assert EmailMessage.objects.get(name="integration_listed").text.startswith(lead)


@pytest.mark.parametrize(
    ("stage", "old", "new", "lead", "text"),
    [
        ("review", "acme/rocket", "other/rocket", "No action needed.", CHANGED),
        ("support", "acme/rocket", "other/rocket", OWNER_LEAD, CHANGED),
        ("support", "", "other/rocket", OWNER_LEAD, "Alice Archer added the repository other/rocket to Rocket."),
        (
            "support",
            "acme/rocket",
            "",
            "Action required: Decide whether Rocket stays listed without a repository.",
            "Alice Archer removed the repository acme/rocket from Rocket.",
        ),
    ],
    ids=["in review", "listed", "added", "removed"],
)
def test_program_learns_of_a_new_repository(
    integration_at: Any, alice: User, now: datetime, stage: str, old: str, new: str, lead: str, text: str
) -> None:
    row = integration_at(stage)
    Integration.objects.filter(pk=row.pk).update(repository=old)
    creation.change_description(row, {"repository": new}, actor=alice, now=now)
    email = EmailMessage.objects.get(name="repository_changed")
    assert email.to == row.edition.mailbox
    assert email.text.startswith(f"{lead}\n")
    assert text in email.text
    assert "open clocks" not in email.text


def test_program_learns_of_a_new_repository_once_it_had_something_to_decide(
    acme: Partner, alice: User, rita: User, now: datetime
) -> None:
    changed_names = []
    for name in ("New", "Assigned", "Requested", "Waived"):
        row = create_integration(acme, alice, now=now, name=name, repository=f"acme/{name}")
        id = row.edition.list_requirements()[0].id
        if name == "Assigned":
            claims.assign_reviewer(row, rita, actor=rita, now=now)
        elif name == "Requested":
            waivers.request_waiver(row, id, reason="Later.", actor=alice, now=now)
        elif name == "Waived":
            until = now + timedelta(days=9)
            waivers.waive_requirement(row, id, reason="Later.", expires_at=until, actor=rita, now=now)
        creation.change_description(row, {"repository": f"acme/{name}-next"}, actor=alice, now=now)
        if EmailMessage.objects.filter(name="repository_changed", integration=row).exists():
            changed_names.append(name)
    assert changed_names == ["Assigned", "Requested", "Waived"]


def test_times_are_in_the_zone_of_the_recipient(rocket: Integration, alice: User, sam: User, now: datetime) -> None:
    alice.zone = "Asia/Tokyo"
    alice.save()
    email = next(mail for mail in record_sample_event(rocket, "meeting.scheduled", sam, now) if mail.person == alice)
    assert email.subject == "Meeting scheduled: Live demo, Rocket, Mon, Apr 20, 11:00 PM JST"
    assert MEETING_URL in email.text


def test_due_day_is_in_the_zone_of_the_recipient(rocket: Integration, alice: User, sam: User, now: datetime) -> None:
    alice.zone = "Asia/Tokyo"
    alice.save()
    email = next(mail for mail in record_sample_event(rocket, "check.failed", sam, now) if mail.person == alice)
    assert email.text.startswith("Action required: Fix the failed check by Wed, Apr 29.\n")


def test_program_staff_who_belong_to_the_company_get_its_email(
    acme: Partner, rocket: Integration, rita: User, sam: User, now: datetime
) -> None:
    Membership.objects.create(partner=acme, user=rita, role="editor", joined_at=now)
    email = next(mail for mail in record_sample_event(rocket, "check.failed", sam, now) if mail.person == rita)
    assert email.text.startswith("Action required: Fix the failed check by")
    assert "because you are an owner or editor of Acme" in email.text


def test_email_links_to_the_page_of_each_side(
    rocket: Integration, alice: User, rita: User, sam: User, now: datetime
) -> None:
    claims.assign_reviewer(rocket, rita, actor=rita, now=now)
    text_by_address = {
        each.to: each.text
        for each in record_sample_event(Integration.objects.get(pk=rocket.pk), "integration.reopened", sam, now)
    }
    assert f"/integrations/{rocket.uuid}/review/" in text_by_address["rita@program.example"]
    assert f"/integrations/{rocket.uuid}/review/" not in text_by_address["alice@acme.example"]
    assert "because you are an owner or editor of Acme" in text_by_address["alice@acme.example"]
    assert "because you review Rocket, manage Acme" in text_by_address["rita@program.example"]


def test_introduction_email_names_no_one_before_both_agree(
    rocket: Integration, globex: Partner, alice: User, charlie: User, now: datetime
) -> None:
    with transaction.atomic():
        record_event(rocket, "introduction.requested", actor=charlie, now=now, note="Shall we talk?")
    email = EmailMessage.objects.get(event__event_type="introduction.requested")
    assert "Globex" not in email.text + email.html + email.subject
    assert "Charlie" not in email.text + email.html + email.subject


def test_both_sides_of_a_meeting_get_the_calendar_entry(
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


def test_waiver_email_has_reason_and_expiration(integration_at: Any, alice: User, rita: User, now: datetime) -> None:
    row = integration_at("review")
    requirement = row.edition.list_requirements()[0]
    until = datetime(2026, 6, 1, tzinfo=now.tzinfo)
    waivers.waive_requirement(
        row, requirement.id, reason="The registry is closed.", expires_at=until, actor=rita, now=now
    )
    email = EmailMessage.objects.get(event__event_type="requirement.waived")
    assert email.subject == f"Waiver granted until Jun 1, 2026: {requirement.title}, Rocket"
    assert "The registry is closed." in email.text


def test_email_of_a_revoked_waiver_has_reason_and_responsible_party(
    integration_at: Any, alice: User, rita: User, now: datetime
) -> None:
    row = integration_at("review")
    requirement = row.edition.list_requirements()[0]
    until = datetime(2026, 6, 1, tzinfo=now.tzinfo)
    waivers.waive_requirement(
        row, requirement.id, reason="The registry is closed.", expires_at=until, actor=rita, now=now
    )
    waivers.end_waiver(row, requirement.id, reason="The registry is open again.", actor=rita, now=now)
    email = EmailMessage.objects.get(event__event_type="requirement.waiver_ended")
    row.refresh_from_db()
    assert (email.to, email.subject) == (alice.email, f"Waiver ended: {requirement.title}, Rocket")
    assert "The registry is open again." in email.text
    assert "It was valid until Jun 1, 2026." in email.text
    assert row.next_action_label in email.text
