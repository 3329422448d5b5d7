"""Tests of meeting services and calendar invitations."""

from datetime import UTC, datetime, timedelta

import pytest
from icalendar import Calendar

from integrations.submissions.models import Integration
from integrations.submissions.services import meetings
from integrations.submissions.services.meetings import MeetingProposal, State
from integrations.submissions.workflow.states import Status
from portal.core.errors import ActionRefused
from tests.conftest import create_integration
from tests.integrations.page_text import get_text
from tests.replay import replay_fixture

pytestmark = pytest.mark.any_database

DEMO = "NO-7"
WHERE = "https://meet.example/rocket"


@pytest.fixture
def times(now):
    return (now + timedelta(days=1), now + timedelta(days=2))


@pytest.fixture
@replay_fixture
def proposed_meeting(rocket, alice, now, times):
    return meetings.propose_times(rocket, DEMO, MeetingProposal(times, WHERE, 45), actor=alice, now=now)


@pytest.fixture
def scheduled_meeting(proposed_meeting, rita, now, times):
    return meetings.accept_time(proposed_meeting, times[0], actor=rita, now=now)


def get_status(row, requirement_id=DEMO):
    state = Integration.objects.get(pk=row.pk).fulfillments.get(requirement_id=requirement_id)
    return state.status, state.data.get("waits_for", "")


def get_calendar(row):
    return Calendar.from_ical(row.events.last().data["calendar"])


def test_deactivated_manager_is_not_invited(rocket, alice, rita):
    rocket.partner.alliances_manager = rita
    assert meetings.list_invitees(rocket) == [alice, rita]
    rita.is_active = False
    assert meetings.list_invitees(rocket) == [alice]


def test_partner_proposes_times(rocket, proposed_meeting):
    assert (proposed_meeting.state, proposed_meeting.by_program, get_status(rocket)) == (
        State.PROPOSED,
        False,
        (Status.AWAITING_OTHER_PARTY, "program"),
    )
    assert rocket.events.last().data["times"] == ["2026-04-15T09:00+00:00", "2026-04-16T09:00+00:00"]


def test_program_proposes_other_times(rocket, proposed_meeting, rita, now, times):
    other = meetings.propose_times(rocket, DEMO, MeetingProposal(times[:1], WHERE, 30), actor=rita, now=now)
    assert (other.pk, other.by_program, get_status(rocket)) == (
        proposed_meeting.pk,
        True,
        (Status.AWAITING_OTHER_PARTY, "partner"),
    )


def test_page_says_whose_turn_it_is(rocket, proposed_meeting, alice, rita, sign_in, now, times):
    page = f"/integrations/{rocket.uuid}/requirements/{DEMO}/"
    assert "Waiting for the program Alice Archer" in get_text(sign_in(alice).get(page))
    meetings.propose_times(rocket, DEMO, MeetingProposal(times[:1], WHERE, 30), actor=rita, now=now)
    assert "Waiting for you Rita Reyes" in get_text(sign_in(alice).get(page))
    assert "Waiting for Acme Rita Reyes" in get_text(sign_in(rita).get(page))


@pytest.mark.every_database
def test_proposal_sent_twice_is_recorded_once(rocket, proposed_meeting, alice, now, times):
    meetings.propose_times(rocket, DEMO, MeetingProposal(times, WHERE, 45), actor=alice, now=now)
    assert rocket.events.filter(event_type="meeting.proposed").count() == 1


@pytest.mark.parametrize(
    ("days", "message"),
    [
        ((), "at least one"),
        ((1, 2, 3, 4, 5, 6), "up to 5"),
        ((1, 0), "times in the future"),
        ((1, 400), "within the next year"),
    ],
)
def test_invalid_times_are_refused(rocket, alice, now, days, message):
    times = tuple(now + timedelta(days=day) for day in days)
    with pytest.raises(ActionRefused, match=message):
        meetings.propose_times(rocket, DEMO, MeetingProposal(times, "", 45), actor=alice, now=now)


def test_meeting_time_is_accepted(rocket, scheduled_meeting, times):
    invitation = get_calendar(rocket)
    event = invitation.walk("VEVENT")[0]
    assert (scheduled_meeting.state, scheduled_meeting.starts_at, get_status(rocket)) == (
        State.SCHEDULED,
        times[0],
        (Status.AWAITING_OTHER_PARTY, "program"),
    )
    assert invitation["METHOD"] == "REQUEST"
    assert str(event["UID"]) == f"{scheduled_meeting.uuid}@127.0.0.1"
    assert event["SEQUENCE"] == 0
    assert event.decoded("DTSTART") == datetime(2026, 4, 15, 9, tzinfo=UTC)
    assert event.decoded("DTEND") == datetime(2026, 4, 15, 9, 45, tzinfo=UTC)
    assert event["ORGANIZER"] == "mailto:Nomad-integration-dev@hashicorp.com"
    assert event["ATTENDEE"] == "mailto:alice@acme.example"


def test_reviewer_is_invited(rocket, proposed_meeting, alice, rita, now, times):
    Integration.objects.filter(pk=rocket.pk).update(reviewer=rita)
    meetings.accept_time(proposed_meeting, times[1], actor=rita, now=now)
    attendees = get_calendar(rocket).walk("VEVENT")[0]["ATTENDEE"]
    assert attendees == ["mailto:alice@acme.example", "mailto:rita@program.example"]


def test_own_times_cannot_be_accepted(proposed_meeting, alice, now, times):
    with pytest.raises(ActionRefused, match="Your side proposed"):
        meetings.accept_time(proposed_meeting, times[0], actor=alice, now=now)


def test_time_that_was_not_proposed_cannot_be_accepted(proposed_meeting, rita, now, times):
    with pytest.raises(ActionRefused, match="no longer available"):
        meetings.accept_time(proposed_meeting, times[0] + timedelta(hours=1), actor=rita, now=now)


def test_past_time_cannot_be_accepted(proposed_meeting, rita, times):
    with pytest.raises(ActionRefused, match="has passed"):
        meetings.accept_time(proposed_meeting, times[0], actor=rita, now=times[0])


@pytest.mark.every_database
def test_second_acceptance_changes_nothing(rocket, scheduled_meeting, rita, now, times):
    meetings.accept_time(scheduled_meeting, times[0], actor=rita, now=now)
    assert rocket.events.filter(event_type="meeting.scheduled").count() == 1


def test_place_can_be_named_on_acceptance(rocket, alice, rita, now, times):
    meeting = meetings.propose_times(rocket, DEMO, MeetingProposal(times, "", 45), actor=alice, now=now)
    assert meetings.accept_time(meeting, times[0], actor=rita, now=now, place=WHERE).place == WHERE


def test_scheduled_meeting_is_moved(rocket, scheduled_meeting, alice, rita, now, times):
    meetings.propose_times(rocket, DEMO, MeetingProposal(times[1:], WHERE, 45), actor=alice, now=now)
    meetings.accept_time(scheduled_meeting, times[1], actor=rita, now=now)
    event = get_calendar(rocket).walk("VEVENT")[0]
    assert (event["SEQUENCE"], event.decoded("DTSTART")) == (1, times[1])
    assert str(event["UID"]) == f"{scheduled_meeting.uuid}@127.0.0.1"


def test_scheduled_meeting_is_canceled(rocket, scheduled_meeting, alice, now):
    meetings.cancel_meeting(scheduled_meeting, reason="Nobody is well.", actor=alice, now=now)
    invitation = get_calendar(rocket)
    event = invitation.walk("VEVENT")[0]
    assert (invitation["METHOD"], event["STATUS"], event["SEQUENCE"]) == ("CANCEL", "CANCELLED", 1)
    assert get_status(rocket) == (Status.OPEN, "")
    assert rocket.events.last().note == "Nobody is well."


def test_canceling_a_moved_meeting_updates_the_calendar_event(rocket, scheduled_meeting, alice, now, times):
    meeting = meetings.propose_times(rocket, DEMO, MeetingProposal(times[1:], WHERE, 45), actor=alice, now=now)
    meetings.cancel_meeting(meeting, reason="Later.", actor=alice, now=now)
    event = get_calendar(rocket).walk("VEVENT")[0]
    assert (event["SEQUENCE"], event.decoded("DTSTART")) == (2, times[0])


@pytest.mark.every_database
def test_canceled_proposal_sends_no_calendar_event(rocket, proposed_meeting, alice, now):
    meetings.cancel_meeting(proposed_meeting, reason="Not ready.", actor=alice, now=now)
    assert "calendar" not in rocket.events.last().data


def test_meeting_can_be_proposed_after_a_canceled_one(rocket, scheduled_meeting, alice, now, times):
    meetings.cancel_meeting(scheduled_meeting, reason="Later.", actor=alice, now=now)
    again = meetings.propose_times(rocket, DEMO, MeetingProposal(times, WHERE, 45), actor=alice, now=now)
    assert (again.pk != scheduled_meeting.pk, again.starts_at) == (True, None)


def test_meeting_cannot_be_completed_before_it_begins(scheduled_meeting, rita, now):
    with pytest.raises(ActionRefused, match="has not started"):
        meetings.complete_meeting(scheduled_meeting, ["Live demo"], notes="", actor=rita, now=now)


def test_completed_meeting_fulfills_the_requirement(rocket, scheduled_meeting, rita, times):
    meetings.complete_meeting(scheduled_meeting, ["Live demo"], notes="Went well.", actor=rita, now=times[0])
    assert get_status(rocket) == (Status.SUBMITTED, "")
    assert rocket.events.last().event_type == "meeting.completed"


def test_partner_cannot_complete_a_meeting(scheduled_meeting, alice, times):
    with pytest.raises(ActionRefused, match="Only reviewers"):
        meetings.complete_meeting(scheduled_meeting, ["Live demo"], notes="", actor=alice, now=times[0])


@pytest.fixture
@replay_fixture
def partly_completed_meeting(acme, alice, rita, now, times):
    """A meeting of a run task review in which two of three items were shown."""
    row = create_integration(acme, alice, "terraform-run-task")
    requirement = next(r for r in row.edition.list_requirements() if len(r.meeting_items) == 3)
    proposal = meetings.propose_times(row, requirement.id, MeetingProposal(times, WHERE, 45), actor=alice, now=now)
    agreed_meeting = meetings.accept_time(proposal, times[0], actor=rita, now=now)
    completed_meeting = meetings.complete_meeting(
        agreed_meeting, requirement.meeting_items[:2], notes="", actor=rita, now=times[0]
    )
    return row, requirement, completed_meeting


def test_remaining_items_keep_the_requirement_open(partly_completed_meeting):
    row, requirement, _ = partly_completed_meeting
    assert get_status(row, requirement.id) == (Status.AWAITING_OTHER_PARTY, "program")
    assert row.events.last().data["left"] == [requirement.meeting_items[2]]


def test_remaining_item_can_be_completed_later(partly_completed_meeting, rita, times):
    row, requirement, earlier_meeting = partly_completed_meeting
    meetings.complete_meeting(earlier_meeting, requirement.meeting_items[2:], notes="", actor=rita, now=times[0])
    assert get_status(row, requirement.id) == (Status.SUBMITTED, "")


@pytest.mark.every_database
def test_second_meeting_covers_the_remaining_item(partly_completed_meeting, alice, rita, times):
    row, requirement, earlier_meeting = partly_completed_meeting
    later = times[1] + timedelta(days=1)
    again = meetings.propose_times(row, requirement.id, MeetingProposal((later,), WHERE, 30), actor=alice, now=times[0])
    meeting = meetings.accept_time(again, later, actor=rita, now=times[0])
    meetings.complete_meeting(meeting, requirement.meeting_items[2:], notes="", actor=rita, now=later)
    assert (again.pk != earlier_meeting.pk, get_status(row, requirement.id)) == (True, (Status.SUBMITTED, ""))
