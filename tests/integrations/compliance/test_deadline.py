"""Tests of notices, their deadline, and the evidence."""

from datetime import UTC, datetime
from typing import Any

import pytest

from integrations.compliance import tasks
from integrations.compliance.evidence import collect_evidence, list_sent_emails
from integrations.partners.models import Membership, Partner
from integrations.sla.models import MonitoredRepository, SlaBreach, SlaClock, SupportIssue, SupportIssueEvent
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.notifications.models import EmailMessage
from tests.integrations.compliance.transitions import DAY, REASON, get_next_action, get_refusal, perform_and_reload
from tests.integrations.database_rows import reload_row
from tests.integrations.page_text import get_text
from tests.replay import replay_fixture
from verification.checks.models import Observation

pytestmark = pytest.mark.any_database


@pytest.fixture
@replay_fixture
def integration_on_notice(
    overdue_clock: SlaClock, listed_integration: Integration, rita: Any, now: datetime
) -> Integration:
    return perform_and_reload(listed_integration, "issue_notice", rita, now)


def list_activities(row: Integration) -> list[dict[str, str]]:
    last = row.events.last()
    assert last is not None
    return list(last.data["activities"])


def add_comment(
    clock: SlaClock,
    at: datetime,
    association: str = "MEMBER",
    number: int = 1,
    *,
    text: str = "Fixed in 1.2.",
    kind: str = "commented",
) -> None:
    SupportIssueEvent.objects.create(
        issue=clock.issue,
        key=f"comment:{number}",
        kind=kind,
        at=at,
        seen_at=at,
        source="webhook",
        actor_id=9,
        actor="dev",
        actor_type="User",
        association=association,
        text=text,
    )


def test_notice_email_has_reason_and_deadline(integration_on_notice: Integration, alice: Any) -> None:
    email = EmailMessage.objects.get(event__event_type="compliance.notice_issued")
    assert (email.to, email.subject) == (alice.email, "Notice issued: Rocket")
    for words in (
        REASON,
        "The notice period ends Thu, May 14, 9:00 AM UTC.",
        integration_on_notice.edition.removal,
        "Action required: Respond",
    ):
        assert words in email.text
    assert get_next_action(integration_on_notice) == ("on_notice", "partner", "Respond to the notice")
    assert integration_on_notice.action_due_at == integration_on_notice.compliance_deadline_at


@pytest.mark.every_database
def test_ended_period_notifies_program_once(integration_on_notice: Integration, now: datetime) -> None:
    moments = [now + 29 * DAY, now + 30 * DAY, now + 31 * DAY, now + 300 * DAY]
    assert [tasks.advance_cases(at) for at in moments] == [0, 1, 0, 0]
    assert get_next_action(integration_on_notice) == (
        "on_notice",
        "program",
        "Decide on the suspension",
    )
    assert reload_row(integration_on_notice).reasons == [{"code": "deadline_ended", "params": {}}]
    assert (
        EmailMessage.objects.get(event__event_type="compliance.deadline_expired").to
        == integration_on_notice.edition.mailbox
    )


@pytest.mark.every_database
def test_answer_on_breached_issue_pauses_deadline(
    integration_on_notice: Integration, overdue_clock: SlaClock, now: datetime, rita: Any, rob: Any
) -> None:
    add_comment(overdue_clock, now + 10 * DAY)
    assert [tasks.advance_cases(now + 10 * DAY), tasks.advance_cases(now + 11 * DAY)] == [1, 0]
    row = reload_row(integration_on_notice)
    assert (row.compliance_deadline_at, row.deadline_remaining, row.responsible_party) == (None, 20 * DAY, "program")
    assert (
        "Acme answered on acme/terraform-provider-rocket#7"
        in EmailMessage.objects.filter(event__event_type="compliance.deadline_paused")[0].text
    )
    assert "Review the response first" in get_refusal(row, "suspend", rob, now + 60 * DAY)
    row = perform_and_reload(row, "resume_deadline", rita, now + 40 * DAY)
    assert (row.compliance_deadline_at, row.deadline_pause_reason) == (now + 60 * DAY, "")
    add_comment(overdue_clock, now + 41 * DAY, number=2)
    assert tasks.advance_cases(now + 42 * DAY) == 0  # each issue pauses the deadline once
    assert perform_and_reload(row, "suspend", rob, now + 60 * DAY).listing_status == "suspended"


def test_unrecorded_activity_blocks_suspension(
    integration_on_notice: Integration, overdue_clock: SlaClock, now: datetime, rob: Any
) -> None:
    add_comment(overdue_clock, now + 30 * DAY)
    assert "Acme answered on" in get_refusal(integration_on_notice, "suspend", rob, now + 31 * DAY)


@pytest.mark.parametrize(("text", "kind"), [("+1", "commented"), ("", "closed")])
def test_empty_response_does_not_pause_deadline(
    integration_on_notice: Integration, overdue_clock: SlaClock, now: datetime, text: str, kind: str
) -> None:
    add_comment(overdue_clock, now + DAY, text=text, kind=kind)
    assert tasks.advance_cases(now + 2 * DAY) == 0


@pytest.mark.parametrize("association", ["NONE", "CONTRIBUTOR"])
def test_comment_of_outsider_does_not_pause_deadline(
    integration_on_notice: Integration, overdue_clock: SlaClock, now: datetime, association: str
) -> None:
    add_comment(overdue_clock, now + DAY, association)
    assert tasks.advance_cases(now + 2 * DAY) == 0


def test_release_and_retraction_pause_deadline(integration_on_notice: Integration, now: datetime, rita: Any) -> None:
    then = now + DAY
    Observation.objects.create(
        integration=integration_on_notice,
        key="release.newest",
        value="1.2.0",
        source="x",
        since=then,
        confirmed_at=then,
    )
    assert tasks.advance_cases(then) == 1
    assert list_activities(integration_on_notice)[0]["summary"] == "New release: 1.2.0"
    perform_and_reload(integration_on_notice, "resume_deadline", rita, then)
    SlaBreach.objects.update(retracted_at=then + DAY, retraction_reason="It came in time.")
    assert tasks.advance_cases(then + DAY) == 1
    assert list_activities(integration_on_notice)[-1]["summary"].endswith("#7 retracted")


def test_data_gap_blocks_suspension(integration_on_notice: Integration, now: datetime, rob: Any) -> None:
    MonitoredRepository.objects.update(data_up_to=now + 29 * DAY)
    assert "Our issue data ends Wed, May 13" in get_refusal(integration_on_notice, "suspend", rob, now + 31 * DAY)


def test_hidden_repository_does_not_block_suspension(
    integration_on_notice: Integration, now: datetime, rob: Any
) -> None:
    MonitoredRepository.objects.update(data_up_to=now + 29 * DAY, is_hidden=True)
    row = perform_and_reload(integration_on_notice, "suspend", rob, now + 31 * DAY)
    assert row.listing_status == "suspended"


def test_outage_after_a_hidden_repository_blocks_suspension(
    integration_on_notice: Integration, now: datetime, rob: Any
) -> None:
    """The partner can have shown the repository again, which the portal doesn't see during an outage of GitHub."""
    MonitoredRepository.objects.update(data_up_to=now + 29 * DAY, is_hidden=True, attempts=1)
    assert "Our issue data ends Wed, May 13" in get_refusal(integration_on_notice, "suspend", rob, now + 31 * DAY)


@pytest.mark.every_database
def test_appeal_pauses_deadline_and_needs_another_reviewer(
    integration_on_notice: Integration, now: datetime, alice: Any, rita: Any, rob: Any
) -> None:
    row = perform_and_reload(integration_on_notice, "appeal", alice, now + 29 * DAY)
    assert get_next_action(row) == ("on_notice", "program", "Decide on the appeal against the notice")
    assert "Decide on the open appeal first" in get_refusal(row, "suspend", rob, now + 90 * DAY)
    assert "Another reviewer must decide" in get_refusal(row, "dismiss_appeal", rita, now + 90 * DAY)
    row = perform_and_reload(row, "dismiss_appeal", rob, now + 90 * DAY)
    assert row.compliance_deadline_at == now + 91 * DAY
    assert "You already appealed." in get_refusal(row, "appeal", alice, now + 90 * DAY)


def test_evidence_explains_a_clock_as_it_was_at_the_end_of_monitoring(overdue_clock: SlaClock, now: datetime) -> None:
    SupportIssue.objects.update(ended_at=now)
    document = collect_evidence(overdue_clock.integration, now + 9 * DAY)
    assert document["breaches"][0]["clock"]["elapsed_seconds"] == (3 * DAY).total_seconds()


def test_breach_of_the_evidence_is_in_the_time_zone_of_its_clock(
    overdue_clock: SlaClock, sign_in: Any, alice: Any
) -> None:
    User.objects.update(zone="Asia/Tokyo", zone_chosen=True)
    SlaClock.objects.update(due_at=datetime(2026, 4, 13, 20, 0, tzinfo=UTC))
    SlaBreach.objects.update(due_at=datetime(2026, 4, 13, 20, 0, tzinfo=UTC))
    page = get_text(sign_in(alice).get(f"/integrations/{overdue_clock.integration.uuid}/compliance/"))
    assert "Resolution due Mon, Apr 13, 8:00 PM UTC · Not completed" in page
    assert "Times are in UTC." in page


@pytest.mark.every_database
def test_evidence_is_frozen_with_each_decision(
    integration_on_notice: Integration,
    overdue_clock: SlaClock,
    now: datetime,
    rob: Any,
    sign_in: Any,
    alice: Any,
    charlie: Any,
) -> None:
    SlaBreach.objects.update(retracted_at=now + DAY, retraction_reason="It came in time.")
    seq = integration_on_notice.events.get(event_type="compliance.notice_issued").seq
    frozen = sign_in(alice).get(f"/integrations/{integration_on_notice.uuid}/compliance/{seq}/evidence.json").json()
    live = sign_in(rob).get(f"/integrations/{integration_on_notice.uuid}/compliance/evidence.json").json()
    assert [len(frozen["breaches"]), len(frozen["retracted"])] == [1, 0]
    assert [len(live["breaches"]), len(live["retracted"])] == [0, 1]
    assert frozen["rule"] == integration_on_notice.edition.removal
    assert frozen["breaches"][0]["clock"]["explanation"][-1]
    page = sign_in(alice).get(f"/integrations/{integration_on_notice.uuid}/compliance/{seq}/")
    assert "Evidence at the time of a decision" in page.text
    assert sign_in(charlie).get(f"/integrations/{integration_on_notice.uuid}/compliance/").status_code == 404
    assert sign_in(alice).get(f"/integrations/{integration_on_notice.uuid}/compliance/1/").status_code == 404


@pytest.mark.every_database
def test_evidence_lists_emails_with_delivery_status(
    integration_on_notice: Integration, alice: Any, sign_in: Any
) -> None:
    EmailMessage.objects.filter(event__event_type="compliance.notice_issued").update(state="failed")
    data = (
        sign_in(alice)
        .get(f"/integrations/{integration_on_notice.uuid}/compliance/evidence.json")
        .json()["notifications"]
    )
    assert [(mail["subject"], mail["to"], mail["state"]) for mail in data] == [
        ("Notice issued: Rocket", alice.email, "Failed")
    ]


def test_evidence_hides_the_address_of_a_former_reviewer(
    integration_on_notice: Integration, alice: Any, rob: Any, sign_in: Any, now: datetime
) -> None:
    emails = EmailMessage.objects.filter(event__event_type="compliance.notice_issued")
    emails.update(person=rob, to=rob.email)
    User.objects.filter(pk=rob.pk).update(is_reviewer=False)
    integration_on_notice.partner.memberships.filter(user=alice).update(ended_at=now)
    EmailMessage.objects.create(
        key="alice",
        name="message",
        to=alice.email,
        person=alice,
        event=emails.get().event,
        integration=integration_on_notice,
        created_at=now,
    )
    assert [email["to"] for email in list_sent_emails(integration_on_notice)] == ["Program reviewers", alice.email]


def test_evidence_shows_the_address_of_a_former_member_of_a_merged_company(
    integration_on_notice: Integration, globex: Partner, alice: Any, now: datetime
) -> None:
    """A merge moves the integrations, but only the present members."""
    Membership.objects.filter(user=alice).update(partner=globex, ended_at=now)
    Partner.objects.filter(pk=globex.pk).update(merged_into=integration_on_notice.partner)
    assert [email["to"] for email in list_sent_emails(integration_on_notice)] == [alice.email]
