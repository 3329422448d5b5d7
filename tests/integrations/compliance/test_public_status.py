"""Tests of suggested notices, suspensions, and the public status."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.db import connection
from django.test.utils import CaptureQueriesContext

from integrations.compliance import tasks
from integrations.compliance.evidence import collect_evidence
from integrations.sla.models import SlaBreach, SlaClock
from integrations.submissions.models import Integration
from integrations.submissions.services.creation import change_description
from integrations.submissions.services.transitions import perform_transition
from portal.notifications.models import EmailMessage, NotificationPreference
from tests.conftest import create_integration
from tests.integrations.compliance.transitions import DAY, REASON, get_next_action, get_refusal, perform_and_reload
from tests.integrations.database_rows import reload_row
from tests.integrations.page_text import parse
from tests.integrations.sla.rows import create_clock_row, create_issue_row
from verification.checks.models import CheckResult

pytestmark = pytest.mark.any_database


@pytest.mark.parametrize(
    ("state", "words", "listed_there"),
    [
        ("on_notice", "Verified", True),
        ("suspended", "Suspended", True),
        ("delisted", "No longer listed", False),
        ("unlisted", "Community", False),
    ],
)
def test_public_status_hides_notice(reach_state: Any, client: Any, state: str, words: str, listed_there: bool) -> None:
    row = reach_state(state)
    page = client.get(f"/directory/{row.uuid}/").text
    assert words in page
    assert "otice" not in page
    assert ("<strong>Verified</strong>" in page) == (state == "on_notice")
    assert (f"/directory/{row.uuid}/" in client.get("/directory/").text) == listed_there
    assert (f"/directory/{row.uuid}/" in client.get("/directory/?listing_status=former").text) != listed_there


def test_transition_page_shows_public_status(
    reach_state: Any, rob: Any, sign_in: Any, time_machine: Any, now: datetime
) -> None:
    row = reach_state("period_ended")
    time_machine.move_to(now + 31 * DAY, tick=False)
    page = sign_in(rob).get(f"/integrations/{row.uuid}/transitions/suspend/").text
    assert "Public listing after this action" in page
    assert "The program suspended this integration" in page
    assert "Subject" in page


def test_downgrade_to_community_ends_clocks(
    reach_state: Any, overdue_clock: SlaClock, alice: Any, now: datetime
) -> None:
    SlaClock.objects.update(state="running", next_at=now + DAY)
    row = perform_and_reload(overdue_clock.integration, "downgrade_to_community", alice, now)
    assert (row.listing_status, row.tier, row.responsible_party) == ("unlisted", "community", "portal")
    assert SlaClock.objects.get().next_at is None
    email = EmailMessage.objects.get(event__event_type="compliance.downgraded")
    assert "ended the support commitment for Rocket." in email.text


@pytest.mark.parametrize("program", ["terraform-provider", "nomad"])
def test_end_of_the_commitment_has_one_name_in_all_programs(
    integration_at: Any, alice: Any, sign_in: Any, program: str
) -> None:
    label = "End support commitment"
    row = integration_at("support", program=program)
    client = sign_in(alice)
    assert label in client.get(f"/integrations/{row.uuid}/compliance/").text
    page = BeautifulSoup(
        client.get(f"/integrations/{row.uuid}/transitions/downgrade_to_community/").text, "html.parser"
    )
    assert (page.h1.text.strip().startswith(label), page.select_one("main form .button").text.strip()) == (True, label)


def test_breaches_suggest_a_notice_once(
    reach_state: Any, overdue_clock: SlaClock, now: datetime, rita: Any, settings: Any
) -> None:
    assert tasks.advance_cases(now) == 0
    second = create_clock_row(
        create_issue_row(overdue_clock.monitored_repository, 8, now - 3 * DAY), now - DAY, state="late", next_at=None
    )
    breach = {"issue": second.issue, "integration": second.integration, "target_type": "resolve", "severity": "other"}
    SlaBreach.objects.create(clock=second, due_at=now - DAY, found_at=now + timedelta(hours=1), **breach)
    SlaBreach.objects.update(found_at=now + timedelta(hours=1))
    assert [tasks.advance_cases(now + DAY), tasks.advance_cases(now + DAY)] == [1, 0]
    row = reload_row(overdue_clock.integration)
    assert get_next_action(row) == (
        "listed",
        "program",
        "Decide on the compliance request “2 SLA breaches within 90 days”",
    )
    assert row.reasons == [{"code": "sla_breaches", "params": {"count": 2, "days": 90}}]
    perform_and_reload(row, "dismiss_request", rita, now + 2 * DAY)
    SlaClock.objects.update(state="met")
    assert tasks.advance_cases(now + 3 * DAY) == 0


def test_evidence_reads_all_breaches_at_once(overdue_clock: SlaClock, now: datetime) -> None:
    integration = Integration.objects.select_related("partner").get(pk=overdue_clock.integration_id)

    def count_queries() -> tuple[int, object]:
        with CaptureQueriesContext(connection) as queries:
            evidence = collect_evidence(integration, now)
        return len(queries), evidence["breach_count"]

    query_count, _ = count_queries()
    for number in range(8, 11):
        clock = create_clock_row(
            create_issue_row(overdue_clock.monitored_repository, number, now - 3 * DAY),
            now - DAY,
            state="late",
            next_at=None,
        )
        breach = {"issue": clock.issue, "integration": integration, "target_type": "resolve", "severity": "other"}
        SlaBreach.objects.create(clock=clock, due_at=now - DAY, found_at=now, **breach)
    assert count_queries() == (query_count, 4)


def test_long_overdue_issue_suggests_notice(overdue_clock: SlaClock, now: datetime) -> None:
    assert tasks.advance_cases(now + DAY - timedelta(minutes=1)) == 0
    assert tasks.advance_cases(now + DAY) == 1
    assert (
        get_next_action(overdue_clock.integration)[2]
        == "Decide on the compliance request “an issue took more than 2 times its target”"
    )


@pytest.mark.parametrize(("outcome", "count"), [("accepted", 0), ("waived", 0), ("", 1)])
def test_overdue_issue_suggests_no_notice_after_a_decision_about_its_breach(
    overdue_clock: SlaClock, now: datetime, outcome: str, count: int
) -> None:
    SlaBreach.objects.update(retracted_at=now, outcome=outcome)
    assert tasks.advance_cases(now + DAY) == count


@pytest.mark.parametrize(
    "facts", [{"repository": "acme/nomad-other", "repository_id": 99}, {"repository": "", "repository_id": None}]
)
def test_repository_left_with_an_open_issue_suggests_a_notice_until_it_is_reviewed(
    overdue_clock: SlaClock, rita: Any, alice: Any, sign_in: Any, now: datetime, facts: dict[str, Any]
) -> None:
    integration = Integration.objects.get(pk=overdue_clock.integration_id)
    left_at = now + timedelta(hours=1)
    integration = change_description(integration, facts, actor=alice, now=left_at)
    assert (tasks.advance_cases(left_at), tasks.advance_cases(left_at)) == (1, 0)
    row = reload_row(integration)
    assert row.compliance_request_label == "1 open issue in a repository that is no longer monitored"
    page = parse(sign_in(rita).get(f"/integrations/{row.uuid}/compliance/"))
    link = page.find("a", string=re.compile("View issues that are no longer monitored"))
    clocks = parse(sign_in(rita).get(link["href"])).select(".clocks tbody tr")
    assert [overdue_clock.issue.title in clock.text for clock in clocks] == [True]
    perform_and_reload(row, "dismiss_request", rita, now + DAY)
    assert tasks.advance_cases(now + 2 * DAY) == 0  # nor is the issue slow, because its clock ended


def test_program_gets_one_email_about_a_changed_repository_and_its_open_issue(
    overdue_clock: SlaClock, alice: Any, now: datetime
) -> None:
    integration = Integration.objects.get(pk=overdue_clock.integration_id)
    left_at = now + timedelta(hours=1)
    change_description(integration, {"repository": "acme/other", "repository_id": 99}, actor=alice, now=left_at)
    assert tasks.advance_cases(left_at) == 1
    email = EmailMessage.objects.get(to=integration.edition.mailbox, created_at=left_at)
    assert email.name == "repository_changed"
    assert f"Issue monitoring of {integration.repository} ended (open clocks: 1, overdue: 1)." in email.text
    assert "The portal suggests a notice. Issue it, or dismiss the request." in email.text


def test_person_who_turned_off_emails_about_reviews_gets_the_suggested_notice(
    overdue_clock: SlaClock, rita: Any, alice: Any, now: datetime
) -> None:
    integration = Integration.objects.get(pk=overdue_clock.integration_id)
    integration.reviewer = rita
    integration.save()
    NotificationPreference.objects.create(user=rita, delivery={"reviews": "off"})
    left_at = now + timedelta(hours=1)
    change_description(integration, {"repository": "acme/other", "repository_id": 99}, actor=alice, now=left_at)
    assert tasks.advance_cases(left_at) == 1
    emails = EmailMessage.objects.filter(person=rita, created_at=left_at).order_by("pk")
    assert [(email.name, email.state == "suppressed") for email in emails] == [
        ("repository_changed", True),
        ("compliance_changed", False),
    ]
    text = emails[1].text
    assert (
        "The portal suggests a notice for Rocket.\n\nReason: 1 open issue in a repository that is no longer monitored."
        in text
    )


def test_faulty_cases_do_not_prevent_suggestions(overdue_clock: SlaClock, acme: Any, alice: Any, now: datetime) -> None:
    for number in (1, 2):
        create_integration(acme, alice, name=f"faulty-{number}", repository=f"acme/{number}", repository_id=number)
    faulty_cases = Integration.objects.exclude(pk=overdue_clock.integration_id)
    faulty_cases.update(listing_status="on_notice", compliance_deadline_at=now, edition_date="1999-01")
    with pytest.raises(LookupError):
        tasks.advance_cases(now + DAY)
    assert reload_row(overdue_clock.integration).compliance_request == "slow_issue"


def test_transferred_repository_is_suspended_immediately_and_delisted_by_another_reviewer(
    listed_integration: Integration, rita: Any, rob: Any, alice: Any, client: Any, now: datetime
) -> None:
    assert get_refusal(listed_integration, "suspend_immediately", rita, now)
    hold = {"note": "acme/rocket now belongs to globex.", "waits_for": "program", "check": "repository.owner"}
    perform_transition(listed_integration, "put_on_hold", actor=None, now=now, **hold)
    CheckResult.objects.create(
        integration=listed_integration,
        key="repository.owner",
        version=1,
        outcome="fail",
        summary="The repository now belongs to globex.",
        inspected_revisions=[["new owner", "9"]],
        at=now,
    )
    # The new owner hides the repository.
    CheckResult.objects.create(
        integration=listed_integration, key="repository.owner", version=1, outcome="fail", summary="Not found.", at=now
    )
    for actor in (alice, None):
        assert get_refusal(listed_integration, "suspend_immediately", actor, now)
    row = perform_and_reload(listed_integration, "suspend_immediately", rita, now)
    assert (row.listing_status, row.enforced_by, row.compliance_deadline_at) == ("suspended", rita, now + 60 * DAY)
    email = EmailMessage.objects.get(event__event_type="compliance.suspended_immediately")
    assert (email.to, email.subject) == (alice.email, "Suspended immediately: Rocket")
    assert "the owner of its repository changed" in email.text
    assert "Suspended" in client.get(f"/directory/{row.uuid}/").content.decode()
    last = row.events.get(event_type="compliance.suspended_immediately")
    assert (last.note, last.data["evidence"]["listing_status"]) == (REASON, "listed")
    over = now + 61 * DAY
    perform_transition(reload_row(row), "resume", actor=rob, now=over)
    assert get_refusal(row, "delist", rita, over)
    assert perform_and_reload(row, "delist", rob, over).listing_status == "delisted"


def test_immediate_suspension_ends_an_appeal_and_tells_the_partner(
    reach_state: Any, rob: Any, alice: Any, now: datetime
) -> None:
    row = reach_state("appealed")
    then = now + 2 * DAY
    hold = {"note": "acme/rocket now belongs to globex.", "waits_for": "program", "check": "repository.owner"}
    perform_transition(row, "put_on_hold", actor=None, now=then, **hold)
    CheckResult.objects.create(
        integration=row,
        key="repository.owner",
        version=1,
        outcome="fail",
        summary="The repository now belongs to globex.",
        inspected_revisions=[["new owner", "9"]],
        at=then,
    )
    row = perform_and_reload(row, "suspend_immediately", rob, then)
    email = EmailMessage.objects.get(event__event_type="compliance.suspended_immediately")
    assert "The notice and the appeal against it have ended without a decision on the appeal." in email.text
    assert "or appeal the suspension." in email.text
    assert (row.deadline_pause_reason, row.compliance_deadline_at) == ("", then + 60 * DAY)
    assert perform_and_reload(row, "appeal", alice, then + DAY).deadline_pause_reason == "appeal"


def test_other_hold_does_not_allow_immediate_suspension(
    listed_integration: Integration, rita: Any, now: datetime
) -> None:
    perform_transition(listed_integration, "put_on_hold", actor=rita, note="The upstream project waits.", now=now)
    assert get_refusal(listed_integration, "suspend_immediately", rita, now)
