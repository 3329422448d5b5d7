"""Tests of the responsible party when an approval waits for the partner's requirements."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from integrations.reviews.services import claims
from integrations.submissions.models import Finding, Integration
from integrations.submissions.notices import list_program_contacts, list_remaining_contacts, list_review_deciders
from integrations.submissions.selectors import context
from integrations.submissions.selectors.responsibility import describe_responsible
from integrations.submissions.services import findings, requirements
from integrations.submissions.services.changes import refresh_due_integrations
from integrations.submissions.services.transitions import perform_transition
from portal.accounts.models import User
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.conftest import advance_to_stage, create_integration, create_user, fulfill_requirements

pytestmark = pytest.mark.any_database

IntegrationAt = Callable[..., Integration]
AFTER_UNDO_PERIOD = timedelta(minutes=11)
ACCOUNTS = "Test infrastructure credentials"


@pytest.fixture
def row(acme: Any, alice: Any, rita: Any) -> Integration:
    """A Nomad integration in review with open requirements of the partner."""
    return advance_to_stage(create_integration(acme, alice, "nomad"), "review", partner=alice, reviewer=rita)


def get_next_action(row: Integration) -> tuple[str, str]:
    row = Integration.objects.get(pk=row.pk)
    return row.responsible_party, row.next_action_label


def list_open_titles(row: Integration, now: datetime) -> list[str]:
    return [item.title for item in context.list_partner_requirements(Integration.objects.get(pk=row.pk), now)]


def complete_requirements(row: Integration, by: Any, now: datetime) -> None:
    for item in context.list_partner_requirements(Integration.objects.get(pk=row.pk), now):
        requirements.submit_answer(row, item.id, {"met": "in a test"}, actor=by, now=now)


def test_reviewer_who_lost_the_program_is_no_contact(row: Integration, rita: Any, rob: Any, now: datetime) -> None:
    claims.assign_reviewer(row, rob, actor=rita, now=now)
    row = Integration.objects.get(pk=row.pk)
    assert (list_program_contacts(row), describe_responsible(row)) == ([rob, row.edition.mailbox], "Rob Roth")
    User.objects.filter(pk=rob.pk).update(program_roles=["reviewer:vault"])
    row = Integration.objects.get(pk=row.pk)
    assert (list_program_contacts(row), describe_responsible(row)) == ([row.edition.mailbox], "the program")


def test_person_with_the_address_of_the_mailbox_is_one_contact(
    row: Integration, rita: Any, rob: Any, now: datetime
) -> None:
    assert row.edition.mailbox == "Nomad-integration-dev@hashicorp.com"
    User.objects.filter(pk=rob.pk).update(email="nomad-integration-dev@hashicorp.com")
    claims.assign_reviewer(row, rob, actor=rita, now=now)
    row = Integration.objects.get(pk=row.pk)
    assert list_program_contacts(row) == [rob]
    assert list_remaining_contacts(row, [row.edition.mailbox]) == []


def test_changes_can_be_requested_without_a_finding(row: Integration, rita: Any, now: datetime) -> None:
    assert get_next_action(row) == ("program", "Review round 1")
    perform_transition(row, "request_changes", actor=rita, now=now)
    assert get_next_action(row) == ("portal", "The decision can be undone until Tue, Apr 14, 9:10 AM UTC")
    refresh_due_integrations(now + AFTER_UNDO_PERIOD)
    assert get_next_action(row) == ("partner", f"Add test account “{ACCOUNTS}”")
    assert Finding.objects.count() == 0


def test_findings_come_before_requirements_and_both_before_the_next_round(
    row: Integration, alice: Any, rita: Any, now: datetime
) -> None:
    finding = findings.raise_finding(row, "NO-3", "Add tests.", actor=rita, now=now)
    perform_transition(row, "request_changes", actor=rita, now=now)
    now += AFTER_UNDO_PERIOD
    refresh_due_integrations(now)
    first = list_open_titles(row, now)[0]
    assert get_next_action(row) == ("partner", "Respond to 1 finding")
    with pytest.raises(ActionRefused, match=f"Complete these requirements first: {first}"):
        perform_transition(row, "resubmit_for_review", actor=alice, now=now)
    findings.answer_finding(finding, "Added.", actor=alice, now=now)
    assert get_next_action(row) == ("partner", "Confirm “Review feedback addressed”")
    assert ACCOUNTS in list_open_titles(row, now)
    complete_requirements(row, alice, now)
    assert get_next_action(row) == ("partner", "Request another review")
    perform_transition(row, "resubmit_for_review", actor=alice, now=now)
    assert get_next_action(row) == ("program", "Review round 2")


def test_confirmation_of_the_responses_is_requested_after_them(
    row: Integration, alice: Any, rita: Any, now: datetime
) -> None:
    finding = findings.raise_finding(row, "NO-3", "Add tests.", actor=rita, now=now)
    perform_transition(row, "request_changes", actor=rita, now=now)
    complete_requirements(row, alice, now)
    refresh_due_integrations(now + AFTER_UNDO_PERIOD)
    assert get_next_action(row) == ("partner", "Respond to 1 finding")
    findings.answer_finding(finding, "Added.", actor=alice, now=now + AFTER_UNDO_PERIOD)
    assert get_next_action(row) == ("partner", "Confirm “Review feedback addressed”")


def test_request_without_open_requirements_needs_a_finding(
    row: Integration, alice: Any, rita: Any, now: datetime
) -> None:
    fulfill_requirements(row, alice, now)
    with pytest.raises(ActionRefused, match="Add at least one finding before you request changes"):
        perform_transition(row, "request_changes", actor=rita, now=now)


@pytest.mark.every_database
def test_requirements_of_the_program_do_not_block_a_resubmission(
    row: Integration, alice: Any, rita: Any, now: datetime
) -> None:
    perform_transition(row, "request_changes", actor=rita, now=now)
    now += AFTER_UNDO_PERIOD
    complete_requirements(row, alice, now)
    requirements.submit_answer(row, "NO-6", {}, actor=alice, now=now, status=requirements.Status.AWAITING_OTHER_PARTY)
    assert [r.id for r in context.list_missing_next(Integration.objects.get(pk=row.pk), now)] == ["NO-6"]
    perform_transition(row, "resubmit_for_review", actor=alice, now=now)
    assert get_next_action(row)[0] == "program"


@pytest.mark.every_database
def test_email_lists_the_requirements_that_wait(row: Integration, rita: Any, now: datetime) -> None:
    partner_requirements = context.list_partner_requirements(row, now)
    perform_transition(row, "request_changes", actor=rita, now=now)
    email = EmailMessage.objects.get(event__event_type="review.changes_requested")
    assert len(partner_requirements) == 3  # two of them are alternatives: the demo and the logs
    assert email.subject == "Changes requested: Rocket"
    assert [f"- {item.action_label}: {item.title}" in email.text for item in partner_requirements] == [True] * len(
        partner_requirements
    )
    assert "Finding" not in email.text
    assert "Complete the remaining requirements, then request another review." in email.text


def test_withdrawing_in_a_round_of_changes_is_reported(row: Integration, alice: Any, rita: Any, now: datetime) -> None:
    perform_transition(row, "request_changes", actor=rita, now=now)
    perform_transition(row, "withdraw", actor=alice, now=now + AFTER_UNDO_PERIOD)
    assert EmailMessage.objects.get(event__event_type="integration.withdrawn").subject == "Withdrawn: Rocket by Acme"


def test_email_marks_alternative_requirements(row: Integration, rita: Any, now: datetime) -> None:
    perform_transition(row, "request_changes", actor=rita, now=now)
    text = EmailMessage.objects.get(event__event_type="review.changes_requested").text
    lines = [line for line in text.splitlines() if line.endswith(" (one option is enough)")]
    assert lines == [
        "- Propose times: Integration demo (one option is enough)",
        "- Upload: Test logs (one option is enough)",
    ]


def test_email_names_requirements_and_findings_together(row: Integration, rita: Any, now: datetime) -> None:
    findings.raise_finding(row, "NO-3", "Add tests.", actor=rita, now=now)
    perform_transition(row, "request_changes", actor=rita, now=now)
    email = EmailMessage.objects.get(event__event_type="review.changes_requested")
    assert email.subject == "Changes requested: Rocket"
    assert "Finding 1:\n\n> Add tests.\n" in email.text
    assert "Complete the remaining requirements, respond to each finding" in email.text


def test_reviewer_sees_what_the_partner_still_has_to_do(
    row: Integration, rita: Any, now: datetime, sign_in: Any, time_machine: Any
) -> None:
    time_machine.move_to(now, tick=False)
    page = sign_in(rita).get(f"/integrations/{row.uuid}/review/").text
    assert "Open requirements for Acme:" in page
    assert "To return the integration to the partner, request changes." in page


@pytest.mark.every_database
def test_undo_returns_the_next_action_to_the_program(row: Integration, rita: Any, now: datetime) -> None:
    before = Integration.objects.get(pk=row.pk)
    perform_transition(row, "request_changes", actor=rita, now=now + timedelta(minutes=1))
    perform_transition(row, "undo_decision", actor=rita, now=now + timedelta(minutes=2))
    after = Integration.objects.get(pk=row.pk)
    assert (after.responsible_party, after.action_due_at) == ("program", before.action_due_at)
    assert [mail.state for mail in EmailMessage.objects.filter(event__event_type="review.changes_requested")] == [
        "canceled"
    ]


def test_mailbox_is_notified_if_only_the_first_approver_could_decide(
    row: Integration, acme: Any, rita: User, now: datetime
) -> None:
    acme.alliances_manager = rita
    acme.save()
    Integration.objects.filter(pk=row.pk).update(reviewer=None, first_approver=rita)
    row = Integration.objects.get(pk=row.pk)
    assert (list_program_contacts(row), list_review_deciders(row)) == ([row.edition.mailbox], [row.edition.mailbox])


def test_number_of_reviewers_adds_no_query(row: Integration, now: datetime, django_assert_num_queries: Any) -> None:
    for number in range(12):
        create_user(f"r{number}@program.example", f"R{number}", is_reviewer=True)
    integration = Integration.objects.select_related("partner").get(pk=row.pk)
    with django_assert_num_queries(2):  # reviewers and conflicts
        assert len(list_review_deciders(integration)) == 13
