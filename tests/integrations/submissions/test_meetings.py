"""Two sides find a time, calendars hear of it, and the program ticks what was shown."""

from datetime import UTC, datetime, timedelta

import pytest
from icalendar import Calendar

from integrations.submissions.models import Integration
from integrations.submissions.services import meetings
from integrations.submissions.services.meetings import Proposal, State
from integrations.submissions.workflow.states import Status
from portal.core.errors import NotAllowed
from tests.conftest import begin

DEMO = "NO-7"
WHERE = "https://meet.example/rocket"


@pytest.fixture
def times(now):
    return (now + timedelta(days=1), now + timedelta(days=2))


@pytest.fixture
def proposed(rocket, alice, now, times):
    return meetings.propose(rocket, DEMO, Proposal(times, WHERE, 45), by=alice, now=now)


@pytest.fixture
def agreed(proposed, rita, now, times):
    return meetings.accept(proposed, times[0], by=rita, now=now)


def told(row, requirement_id=DEMO):
    state = Integration.objects.get(pk=row.pk).states.get(requirement_id=requirement_id)
    return state.status, state.data.get("waits_for", "")


def calendar(row):
    return Calendar.from_ical(row.events.last().data["calendar"])


def test_company_proposes(rocket, proposed):
    assert (proposed.state, proposed.by_program, told(rocket)) == (State.PROPOSED, False, (Status.WAITING, "program"))
    assert rocket.events.last().data["times"] == ["2026-04-15T09:00+00:00", "2026-04-16T09:00+00:00"]


def test_program_proposes_others(rocket, proposed, rita, now, times):
    other = meetings.propose(rocket, DEMO, Proposal(times[:1], WHERE, 30), by=rita, now=now)
    assert (other.pk, other.by_program, told(rocket)) == (proposed.pk, True, (Status.WAITING, "partner"))


def test_proposal_sent_twice(rocket, proposed, alice, now, times):
    meetings.propose(rocket, DEMO, Proposal(times, WHERE, 45), by=alice, now=now)
    assert rocket.events.filter(verb="meeting_proposed").count() == 1


@pytest.mark.parametrize(
    ("days", "sentence"),
    [
        ((), "at least one"),
        ((1, 2, 3, 4, 5, 6), "at most 5"),
        ((1, 0), "in the future"),
        ((1, 400), "within the next year"),
    ],
)
def test_times_that_cannot_be(rocket, alice, now, days, sentence):
    times = tuple(now + timedelta(days=day) for day in days)
    with pytest.raises(NotAllowed, match=sentence):
        meetings.propose(rocket, DEMO, Proposal(times, "", 45), by=alice, now=now)


def test_time_is_agreed(rocket, agreed, times):
    invitation = calendar(rocket)
    event = invitation.walk("VEVENT")[0]
    assert (agreed.state, agreed.starts_at, told(rocket)) == (State.AGREED, times[0], (Status.WAITING, "program"))
    assert invitation["METHOD"] == "REQUEST"
    assert str(event["UID"]) == f"{agreed.uuid}@127.0.0.1"
    assert event["SEQUENCE"] == 0
    assert event.decoded("DTSTART") == datetime(2026, 4, 15, 9, tzinfo=UTC)
    assert event.decoded("DTEND") == datetime(2026, 4, 15, 9, 45, tzinfo=UTC)
    assert event["ORGANIZER"] == "mailto:Nomad-integration-dev@hashicorp.com"
    assert event["ATTENDEE"] == "mailto:alice@acme.example"


def test_reviewer_is_invited(rocket, proposed, alice, rita, now, times):
    Integration.objects.filter(pk=rocket.pk).update(reviewer=rita)
    meetings.accept(proposed, times[1], by=rita, now=now)
    attendees = calendar(rocket).walk("VEVENT")[0]["ATTENDEE"]
    assert attendees == ["mailto:alice@acme.example", "mailto:rita@program.example"]


def test_own_times_accepted(proposed, alice, now, times):
    with pytest.raises(NotAllowed, match="Your side proposed"):
        meetings.accept(proposed, times[0], by=alice, now=now)


def test_time_that_was_never_proposed(proposed, rita, now, times):
    with pytest.raises(NotAllowed, match="no longer proposed"):
        meetings.accept(proposed, times[0] + timedelta(hours=1), by=rita, now=now)


def test_time_that_has_passed_meanwhile(proposed, rita, times):
    with pytest.raises(NotAllowed, match="has passed"):
        meetings.accept(proposed, times[0], by=rita, now=times[0])


def test_accepted_twice(rocket, agreed, rita, now, times):
    meetings.accept(agreed, times[0], by=rita, now=now)
    assert rocket.events.filter(verb="meeting_agreed").count() == 1


def test_place_named_by_the_one_who_accepts(rocket, alice, rita, now, times):
    proposed = meetings.propose(rocket, DEMO, Proposal(times, "", 45), by=alice, now=now)
    assert meetings.accept(proposed, times[0], by=rita, now=now, place=WHERE).place == WHERE


def test_agreed_meeting_is_moved(rocket, agreed, alice, rita, now, times):
    meetings.propose(rocket, DEMO, Proposal(times[1:], WHERE, 45), by=alice, now=now)
    meetings.accept(agreed, times[1], by=rita, now=now)
    event = calendar(rocket).walk("VEVENT")[0]
    assert (event["SEQUENCE"], event.decoded("DTSTART")) == (1, times[1])
    assert str(event["UID"]) == f"{agreed.uuid}@127.0.0.1"


def test_agreed_meeting_is_cancelled(rocket, agreed, alice, now):
    meetings.cancel(agreed, reason="Nobody is well.", by=alice, now=now)
    invitation = calendar(rocket)
    event = invitation.walk("VEVENT")[0]
    assert (invitation["METHOD"], event["STATUS"], event["SEQUENCE"]) == ("CANCEL", "CANCELLED", 1)
    assert told(rocket) == (Status.OPEN, "")
    assert rocket.events.last().note == "Nobody is well."


def test_moved_and_then_cancelled_reaches_calendars(rocket, agreed, alice, now, times):
    moved = meetings.propose(rocket, DEMO, Proposal(times[1:], WHERE, 45), by=alice, now=now)
    meetings.cancel(moved, reason="Later.", by=alice, now=now)
    event = calendar(rocket).walk("VEVENT")[0]
    assert (event["SEQUENCE"], event.decoded("DTSTART")) == (2, times[0])


def test_proposal_taken_back_reaches_no_calendar(rocket, proposed, alice, now):
    meetings.cancel(proposed, reason="Not ready.", by=alice, now=now)
    assert "calendar" not in rocket.events.last().data


def test_new_meeting_after_a_cancelled_one(rocket, agreed, alice, now, times):
    meetings.cancel(agreed, reason="Later.", by=alice, now=now)
    again = meetings.propose(rocket, DEMO, Proposal(times, WHERE, 45), by=alice, now=now)
    assert (again.pk != agreed.pk, again.starts_at) == (True, None)


def test_held_before_it_began(agreed, rita, now):
    with pytest.raises(NotAllowed, match="has not begun"):
        meetings.hold(agreed, ["Live demonstration"], notes="", by=rita, now=now)


def test_held_and_everything_shown(rocket, agreed, rita, times):
    meetings.hold(agreed, ["Live demonstration"], notes="Went well.", by=rita, now=times[0])
    assert told(rocket) == (Status.GIVEN, "")
    assert rocket.events.last().verb == "meeting_held"


def test_held_by_the_company(agreed, alice, times):
    with pytest.raises(NotAllowed, match="Only a reviewer"):
        meetings.hold(agreed, ["Live demonstration"], notes="", by=alice, now=times[0])


@pytest.fixture
def three_items(acme, alice, rita, now, times):
    """A run task review, of which two items were shown."""
    row = begin(acme, alice, "terraform-run-task")
    requirement = next(r for r in row.edition.requirements() if len(r.meeting_items) == 3)
    proposed = meetings.propose(row, requirement.id, Proposal(times, WHERE, 45), by=alice, now=now)
    agreed = meetings.accept(proposed, times[0], by=rita, now=now)
    held = meetings.hold(agreed, requirement.meeting_items[:2], notes="", by=rita, now=times[0])
    return row, requirement, held


def test_items_left_keep_it_open(three_items):
    row, requirement, _ = three_items
    assert told(row, requirement.id) == (Status.WAITING, "program")
    assert row.events.last().data["left"] == [requirement.meeting_items[2]]


def test_item_ticked_later(three_items, rita, times):
    row, requirement, held = three_items
    meetings.hold(held, requirement.meeting_items[2:], notes="", by=rita, now=times[0])
    assert told(row, requirement.id) == (Status.GIVEN, "")


def test_second_meeting_for_what_was_not_shown(three_items, alice, rita, times):
    row, requirement, held = three_items
    later = times[1] + timedelta(days=1)
    again = meetings.propose(row, requirement.id, Proposal((later,), WHERE, 30), by=alice, now=times[0])
    agreed = meetings.accept(again, later, by=rita, now=times[0])
    meetings.hold(agreed, requirement.meeting_items[2:], notes="", by=rita, now=later)
    assert (again.pk != held.pk, told(row, requirement.id)) == (True, (Status.GIVEN, ""))
