"""Tests of test account services."""

from datetime import timedelta
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from integrations.submissions.models import Integration, TestCredential, TestCredentialAccess
from integrations.submissions.services import credentials
from integrations.submissions.services.credentials import maintain_credentials
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.workflow.states import Status
from portal.core.crypto import Secret
from portal.core.errors import ActionRefused
from portal.notifications.models import EmailMessage
from tests.conftest import advance_to_stage, create_integration
from tests.integrations.database_rows import reload_row
from tests.portal import pseudo_language

pytestmark = pytest.mark.any_database

ACCOUNT_REQUIREMENT = "NO-6"
VALUE = "root\nc0rrect-h0rse-77"


def submit_account(row, by, now, *, label="Test tenant", permanent=False, requirement_id=ACCOUNT_REQUIREMENT, **more):
    more.setdefault("uuid", uuid4())
    return credentials.submit_credential(
        row, requirement_id, label, Secret(VALUE), permanent=permanent, actor=by, now=now, **more
    )


@pytest.fixture
def integration_in_review(integration_at, rita):
    row = integration_at("review")
    Integration.objects.filter(pk=row.pk).update(reviewer=rita)
    return Integration.objects.get(pk=row.pk)


def get_status(row):
    return Integration.objects.get(pk=row.pk).fulfillments.get(requirement_id=ACCOUNT_REQUIREMENT).status


def test_submitted_value_is_encrypted(rocket, alice, now):
    credential = submit_account(rocket, alice, now)
    assert get_status(rocket) == Status.SUBMITTED
    assert VALUE.encode() not in bytes(credential.encrypted_value)


@pytest.mark.every_database
def test_value_is_in_no_table_in_plain_text(integration_in_review, alice, rita, now):
    credential = submit_account(integration_in_review, alice, now)
    credentials.reveal_credential(credential, reason="To run it.", actor=rita, now=now)
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        tables_with_secret = []
        for table in tables:
            cursor.execute(f'SELECT * FROM "{table}"')
            tables_with_secret += [table for row in cursor.fetchall() if "c0rrect-h0rse" in repr(row)]
    assert tables_with_secret == []


@pytest.mark.every_database
def test_account_sent_twice_is_stored_once(rocket, alice, now):
    uuid = uuid4()
    first = submit_account(rocket, alice, now, uuid=uuid)
    assert submit_account(rocket, alice, now, uuid=uuid) == first
    assert rocket.events.filter(event_type="credential.added").count() == 1


def test_form_of_a_withdrawn_account_stores_no_other(rocket, alice, now):
    uuid = uuid4()
    submit_account(rocket, alice, now, uuid=uuid)
    credentials.withdraw_credential(rocket, ACCOUNT_REQUIREMENT, uuid, actor=alice, now=now)
    with pytest.raises(ActionRefused, match="Reload the page and submit the test account again"):
        submit_account(rocket, alice, now, uuid=uuid)


def test_uuid_of_an_account_of_another_partner_is_refused(rocket, globex, alice, charlie, now):
    theirs = submit_account(create_integration(globex, charlie), charlie, now)
    with pytest.raises(ActionRefused, match="Reload the page"):
        submit_account(rocket, alice, now, uuid=theirs.uuid)


def test_permanent_account_is_refused_if_the_program_does_not_accept_it(acme, alice, now):
    row = create_integration(acme, alice, "vault")
    requirement = next((r for r in row.edition.list_requirements() if r.kind == "credentials"), None)
    if requirement is None:
        row = create_integration(acme, alice, "packer", name="Bundler")
        requirement = next(r for r in row.edition.list_requirements() if r.kind == "credentials")
    with pytest.raises(ActionRefused, match="doesn't accept permanent test accounts"):
        submit_account(row, alice, now, permanent=True, requirement_id=requirement.id)


def test_replaced_value_is_deleted(rocket, alice, now):
    old = submit_account(rocket, alice, now)
    new = submit_account(rocket, alice, now, replaces=str(old.uuid))
    assert credentials.list_current_credentials(rocket, ACCOUNT_REQUIREMENT) == [new]
    assert (bytes(reload_row(old).encrypted_value), reload_row(old).end_reason) == (b"", "It was replaced.")


def test_withdrawal_opens_the_requirement(rocket, alice, now):
    credential = submit_account(rocket, alice, now)
    credentials.withdraw_credential(rocket, ACCOUNT_REQUIREMENT, str(credential.uuid), actor=alice, now=now)
    assert (get_status(rocket), bytes(reload_row(credential).encrypted_value)) == (Status.OPEN, b"")


def test_account_is_revealed_to_the_assigned_reviewer(integration_in_review, alice, rita, now):
    credential = submit_account(integration_in_review, alice, now)
    secret = credentials.reveal_credential(credential, reason="To run the acceptance tests.", actor=rita, now=now)
    event = integration_in_review.events.last()
    assert secret == Secret(VALUE)
    assert list(TestCredentialAccess.objects.values_list("kind", "accessed_by", "reason")) == [
        ("reveal", rita.pk, "To run the acceptance tests.")
    ]
    assert (event.event_type, event.note, event.data["label"]) == (
        "credential.accessed",
        "To run the acceptance tests.",
        "Test tenant",
    )
    assert list(EmailMessage.objects.filter(event=event).values_list("to", flat=True)) == ["alice@acme.example"]


@pytest.mark.parametrize("who", ["rob", "alice", "sam", "charlie"])
def test_account_is_revealed_to_no_one_else(integration_in_review, alice, now, who, request):
    credential = submit_account(integration_in_review, alice, now)
    with pytest.raises(ActionRefused, match="Only the assigned reviewer"):
        credentials.reveal_credential(credential, reason="Let me see.", actor=request.getfixturevalue(who), now=now)
    assert TestCredentialAccess.objects.count() == 0


def test_account_is_not_revealed_without_a_reason(integration_in_review, alice, rita, now):
    credential = submit_account(integration_in_review, alice, now)
    with pytest.raises(ActionRefused, match="Enter a reason"):
        credentials.reveal_credential(credential, reason="  ", actor=rita, now=now)


@pytest.mark.every_database
def test_value_moved_to_another_row_cannot_be_decrypted(integration_in_review, alice, rita, now):
    credential = submit_account(integration_in_review, alice, now)
    other = submit_account(integration_in_review, alice, now, label="Other")
    TestCredential.objects.filter(pk=other.pk).update(encrypted_value=bytes(credential.encrypted_value))
    with pytest.raises(ActionRefused, match="are damaged"):
        credentials.reveal_credential(other, reason="Let me see.", actor=rita, now=now)
    assert TestCredentialAccess.objects.count() == 0


@pytest.mark.every_database
def test_use_by_a_sandbox_run_is_recorded(integration_in_review, alice, now):
    credential = submit_account(integration_in_review, alice, now)
    assert credentials.open_for_sandbox(credential, actor=None, reason="Test run 12", now=now) == VALUE
    assert list(TestCredentialAccess.objects.values_list("kind", "accessed_by", "reason")) == [
        ("sandbox", None, "Test run 12")
    ]
    assert integration_in_review.events.last().event_type == "credential.used_in_sandbox"


def approve_integration(row, rita, alice, now):
    return advance_to_stage(row, "release", partner=alice, reviewer=rita, now=now)


def test_temporary_account_ends_with_review(integration_in_review, alice, rita, now):
    one = submit_account(integration_in_review, alice, now)
    credential = submit_account(integration_in_review, alice, now, label="Stays", permanent=True)
    approve_integration(integration_in_review, rita, alice, now)
    assert maintain_credentials(now + timedelta(minutes=11)) == 1
    assert (reload_row(one).end_reason, bytes(reload_row(one).encrypted_value)) == ("The review has ended.", b"")
    assert reload_row(credential).ended_at is None
    assert get_status(integration_in_review) == Status.SUBMITTED


def test_temporary_account_stays_during_undo_window(integration_in_review, alice, rita, now):
    one = submit_account(integration_in_review, alice, now)
    approve_integration(integration_in_review, rita, alice, now)
    assert maintain_credentials(now + timedelta(minutes=9)) == 0
    assert credentials.reveal_credential(
        one, reason="Last look.", actor=rita, now=now + timedelta(minutes=9)
    ) == Secret(VALUE)


def test_temporary_account_is_unavailable_after_the_review_before_maintenance(integration_in_review, alice, rita, now):
    one = submit_account(integration_in_review, alice, now)
    approve_integration(integration_in_review, rita, alice, now)
    with pytest.raises(ActionRefused, match=r"^We no longer store this test account\. The review has ended\.$"):
        credentials.reveal_credential(one, reason="Let me see.", actor=rita, now=now + timedelta(minutes=11))


def test_reason_why_an_account_is_unavailable_is_translated(integration_in_review, alice, rita, now):
    one = submit_account(integration_in_review, alice, now)
    approve_integration(integration_in_review, rita, alice, now)
    with pseudo_language.activate_pseudo_language(), pytest.raises(ActionRefused, match=r"⟦The review has ended\.⟧"):
        credentials.reveal_credential(one, reason="Let me see.", actor=rita, now=now + timedelta(minutes=11))
    assert maintain_credentials(now + timedelta(minutes=11)) == 1
    assert reload_row(one).end_reason == "The review has ended."


def test_temporary_account_submitted_before_the_review_stays(rocket, alice, now):
    one = submit_account(rocket, alice, now)
    assert (maintain_credentials(now + timedelta(days=400)), reload_row(one).ended_at) == (0, None)


@pytest.mark.every_database
def test_permanent_account_ends_with_the_integration(integration_in_review, alice, now):
    credential = submit_account(integration_in_review, alice, now, permanent=True)
    perform_transition(integration_in_review, "withdraw", actor=alice, now=now)
    later = now + timedelta(minutes=10)
    assert (maintain_credentials(now), maintain_credentials(later)) == (0, 1)
    assert reload_row(credential).end_reason == "The integration is withdrawn."


@pytest.mark.every_database
def test_requirement_is_open_again_if_an_ended_integration_is_reopened(integration_in_review, alice, now):
    credential = submit_account(integration_in_review, alice, now)
    perform_transition(integration_in_review, "withdraw", actor=alice, note="Later.", now=now)
    maintain_credentials(now + timedelta(hours=1))
    perform_transition(integration_in_review, "reopen", actor=alice, now=now + timedelta(days=1))
    fulfillment = reload_row(integration_in_review).fulfillments.get(requirement_id=ACCOUNT_REQUIREMENT)
    assert (fulfillment.status, fulfillment.summary) == (Status.OPEN, "")
    assert bytes(reload_row(credential).encrypted_value) == b""


def test_requirement_stays_fulfilled_after_the_review(integration_in_review, alice, rita, now):
    submit_account(integration_in_review, alice, now)
    approve_integration(integration_in_review, rita, alice, now)
    perform_transition(integration_in_review, "withdraw", actor=alice, note="Later.", now=now + timedelta(days=1))
    maintain_credentials(now + timedelta(days=2))
    perform_transition(integration_in_review, "reopen", actor=alice, now=now + timedelta(days=3))
    assert get_status(integration_in_review) == Status.SUBMITTED


def test_maintaining_credentials_twice_changes_nothing(integration_in_review, alice, rita, now):
    submit_account(integration_in_review, alice, now)
    approve_integration(integration_in_review, rita, alice, now)
    later = now + timedelta(minutes=11)
    assert (maintain_credentials(later), maintain_credentials(later)) == (1, 0)
    assert integration_in_review.events.filter(event_type="credential.deleted").count() == 1


def list_reminders(row):
    return list(row.events.filter(event_type="credential.rotation_requested").values_list("at", flat=True))


@pytest.mark.every_database
def test_rotation_is_requested_once_per_due_date(rocket, alice, now):
    submit_account(rocket, alice, now, permanent=True)
    due = now + timedelta(days=90)
    for moment in (due - timedelta(minutes=1), due, due + timedelta(days=1), due + timedelta(days=30)):
        maintain_credentials(moment)
    assert list_reminders(rocket) == [due, due + timedelta(days=30)]


def test_account_rotated_in_time_needs_no_reminder(rocket, alice, now):
    old = submit_account(rocket, alice, now, permanent=True)
    submit_account(rocket, alice, now + timedelta(days=80), permanent=True, replaces=str(old.uuid))
    assert maintain_credentials(now + timedelta(days=90)) == 0


def test_key_rotation_makes_the_old_key_unnecessary(integration_in_review, alice, rita, now, settings):
    settings.ENCRYPTION_KEYS = ["old"]
    credential = submit_account(integration_in_review, alice, now)
    settings.ENCRYPTION_KEYS = ["new", "old"]
    output = StringIO()
    call_command("rotate_encryption_keys", stdout=output)
    settings.ENCRYPTION_KEYS = ["new"]
    assert "Re-encrypted test credentials: 1." in output.getvalue().splitlines()
    assert credentials.reveal_credential(credential, reason="Still there?", actor=rita, now=now) == Secret(VALUE)


@pytest.mark.every_database
def test_key_rotation_without_the_key_of_an_account_is_refused(rocket, alice, now, settings):
    settings.ENCRYPTION_KEYS = ["lost"]
    submit_account(rocket, alice, now)
    settings.ENCRYPTION_KEYS = ["new"]
    with pytest.raises(CommandError, match="No configured key decrypts: Test tenant of Rocket"):
        call_command("rotate_encryption_keys", stdout=StringIO())
