"""Tests of the reminders of waivers that end soon."""

from datetime import timedelta

import pytest

from integrations.submissions.models import Integration
from integrations.submissions.services import requirements, waivers
from integrations.submissions.services.transitions import perform_transition
from integrations.submissions.services.waiver_reminders import remind_of_ending_waivers
from integrations.submissions.workflow.states import Status
from portal.audit import services
from portal.audit.services import LISTENERS
from portal.notifications.models import EmailMessage
from tests.conftest import create_integration
from tests.integrations.reviews.queue_page import list_names
from tests.integrations.submissions.requirements.pages import CHECKED_REQUIREMENT, get_state, submit_action

pytestmark = pytest.mark.every_database
FORTY_DAYS = timedelta(days=40)
LAST_DAYS = timedelta(days=30)


def waive(row, rita, now, period=FORTY_DAYS, requirement_id=CHECKED_REQUIREMENT):
    waivers.waive_requirement(row, requirement_id, reason="Later.", expires_at=now + period, actor=rita, now=now)


@pytest.fixture
def waived_integration(acme, alice, rita, now):
    row = create_integration(acme, alice, category="storage")
    waive(row, rita, now)
    return row


@pytest.mark.django_db
def test_partner_is_reminded_once_in_the_last_two_weeks(waived_integration, alice, now):
    days = (25, 26, 27, 39, 41)
    assert [remind_of_ending_waivers(now + timedelta(days=day)) for day in days] == [0, 1, 0, 0, 0]
    event = waived_integration.events.get(event_type="requirement.waiver_ending")
    assert event.data["until"] == (now + FORTY_DAYS).isoformat()
    email = EmailMessage.objects.get(name="waiver_ending", to=alice.email)
    assert "Action required: Complete the requirement by May 24, 2026." in email.text


@pytest.fixture
def run_again(now):
    """Start another run of the job during the first reminder of a run, as after a lost lease."""

    def start_run(event):
        if event.event_type == "requirement.waiver_ending":
            LISTENERS.remove(start_run)
            remind_of_ending_waivers(now + LAST_DAYS)

    yield services.subscribe(start_run)
    if start_run in LISTENERS:
        LISTENERS.remove(start_run)


@pytest.mark.django_db
def test_partner_is_reminded_once_by_overlapping_runs(waived_integration, alice, rita, now, run_again):
    waive(waived_integration, rita, now, requirement_id="NO-3")
    assert remind_of_ending_waivers(now + LAST_DAYS) == 1
    assert waived_integration.events.filter(event_type="requirement.waiver_ending").count() == 2
    assert EmailMessage.objects.filter(name="waiver_ending", to=alice.email).count() == 2


@pytest.mark.django_db
def test_extended_waiver_has_another_reminder(waived_integration, rita, now):
    assert remind_of_ending_waivers(now + LAST_DAYS) == 1
    waive(waived_integration, rita, now + LAST_DAYS)
    assert [remind_of_ending_waivers(now + LAST_DAYS + timedelta(days=day)) for day in (1, 30)] == [0, 1]


@pytest.mark.django_db
def test_waiver_of_two_weeks_has_no_reminder(acme, alice, rita, now):
    waive(create_integration(acme, alice, category="storage"), rita, now, timedelta(days=14))
    assert remind_of_ending_waivers(now + timedelta(days=1)) == 0


@pytest.mark.django_db
def test_fulfilled_requirement_has_no_reminder(waived_integration, now):
    requirements.record_check_outcome(
        waived_integration, CHECKED_REQUIREMENT, outcome=Status.PASS, summary="", detail=[], retry_at=None, now=now
    )
    assert remind_of_ending_waivers(now + LAST_DAYS) == 0


@pytest.mark.django_db
def test_requirement_of_the_program_has_no_reminder(acme, alice, rita, now):
    waive(create_integration(acme, alice, "consul-nia"), rita, now, requirement_id="NI-9")
    assert remind_of_ending_waivers(now + LAST_DAYS) == 0


@pytest.mark.django_db
def test_requirement_of_another_category_has_no_reminder(waived_integration, now):
    Integration.objects.filter(pk=waived_integration.pk).update(category="monitoring")
    assert remind_of_ending_waivers(now + LAST_DAYS) == 0


@pytest.mark.django_db
def test_ended_integration_has_no_reminder(waived_integration, alice, now):
    perform_transition(waived_integration, "withdraw", actor=alice, now=now)
    assert remind_of_ending_waivers(now + LAST_DAYS) == 0


@pytest.mark.django_db
def test_waiver_that_ends_soon_can_be_renewed(waived_integration, alice, rita, now, sign_in, time_machine):
    row = waived_integration
    fields = {"reason": "The release follows in June.", "expires_on": "2026-06-30"}
    refused = submit_action(sign_in(alice), row, CHECKED_REQUIREMENT, "request_waiver", reason="Later.")
    time_machine.move_to(now + LAST_DAYS, tick=False)
    requested = submit_action(sign_in(alice), row, CHECKED_REQUIREMENT, "request_waiver", reason="Later.")
    requirements.record_check_outcome(
        row, CHECKED_REQUIREMENT, outcome=Status.FAIL, summary="", detail=[], retry_at=None, now=now + LAST_DAYS
    )
    assert list_names(sign_in(rita).get("/queue/?kind=waiver")) == [row.name]
    granted = submit_action(sign_in(rita), row, CHECKED_REQUIREMENT, "waive", **fields)
    assert [response.status_code for response in (refused, requested, granted)] == [409, 302, 302]
    state = get_state(row, CHECKED_REQUIREMENT)
    assert (state.waiver_expires_on.isoformat(), state.waiver_requested_at) == ("2026-06-30", None)
