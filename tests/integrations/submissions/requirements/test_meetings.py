"""Tests of meetings on the requirement page."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from bs4 import BeautifulSoup
from django.conf import settings
from icalendar import Calendar

from integrations.submissions.models import Meeting
from integrations.submissions.services import waivers
from integrations.submissions.workflow.states import Status
from portal.notifications.models import EmailMessage
from tests.integrations.page_text import get_text
from tests.integrations.submissions.requirements.pages import get_state, get_url, submit_action
from tests.integrations.submissions.test_meetings import DEMO, WHERE

pytestmark = pytest.mark.any_database

TIMES = {"time_1": "2026-04-15T11:00", "time_2": "2026-04-16T11:00", "minutes": "45", "place": WHERE}


def test_times_are_those_of_the_reader(rocket, alice, rita, sign_in):
    alice.zone = "Europe/Berlin"
    alice.save()
    submit_action(sign_in(alice), rocket, DEMO, "propose", **TIMES)
    assert Meeting.objects.get().times == ["2026-04-15T09:00+00:00", "2026-04-16T09:00+00:00"]
    assert "Wed, Apr 15, 9:00 AM" in get_text(sign_in(rita).get(get_url(rocket, DEMO)))
    assert "Wed, Apr 15, 11:00 AM" in get_text(sign_in(alice).get(get_url(rocket, DEMO)))
    assert "Europe/Berlin" in get_text(sign_in(alice).get(get_url(rocket, DEMO)))


def test_time_in_the_past_is_refused_with_field_error(rocket, alice, sign_in):
    response = submit_action(sign_in(alice), rocket, DEMO, "propose", **(TIMES | {"time_2": "2026-04-13T11:00"}))
    page = BeautifulSoup(response.content, "html.parser")
    assert response.status_code == 422
    assert page.find(id="propose-time_2_error").get_text(strip=True) == "Enter a time in the future."
    assert page.find("input", {"name": "time_1"})["value"] == "2026-04-15T11:00"


def test_nonexistent_hour_is_refused(rocket, alice, sign_in):
    alice.zone = "Europe/Berlin"
    alice.save()
    response = submit_action(sign_in(alice), rocket, DEMO, "propose", **(TIMES | {"time_1": "2027-03-28T02:30"}))
    assert (response.status_code, Meeting.objects.count()) == (422, 0)


def test_error_of_a_group_of_choices_links_to_the_group(rocket, alice, rita, sign_in):
    submit_action(sign_in(alice), rocket, DEMO, "propose", **TIMES)
    response = submit_action(sign_in(rita), rocket, DEMO, "accept")
    page = BeautifulSoup(response.content, "html.parser")
    assert [link["href"] for link in page.select("#error-summary a")] == ["#accept-time"]
    assert page.find(id="accept-time").find("input", {"name": "time"}) is not None


def test_scheduled_meeting_has_a_calendar_file(rocket, alice, rita, sign_in):
    submit_action(sign_in(alice), rocket, DEMO, "propose", **TIMES)
    submit_action(sign_in(rita), rocket, DEMO, "accept", time="2026-04-15T11:00:00+00:00")
    meeting = Meeting.objects.get()
    response = sign_in(alice).get(f"/meetings/{meeting.uuid}.ics")
    assert meeting.state == "scheduled"
    assert response.headers["Content-Type"] == "text/calendar; method=PUBLISH; charset=utf-8"
    (event,) = Calendar.from_ical(response.content).walk("VEVENT")
    page = f"{settings.SITE_URL}/integrations/{rocket.uuid}/requirements/{DEMO}/"
    assert event["DTSTART"].dt == datetime(2026, 4, 15, 11, tzinfo=UTC)
    assert "ATTENDEE" not in event  # RFC 5546, section 3.2.1
    assert event["DESCRIPTION"] == f"Agenda:\n- Live demo\n\n{page}"
    for name in ("meeting_proposed", "meeting_agreed"):
        assert "Agenda:\n\n- Live demo\n" in EmailMessage.objects.filter(name=name).first().text


def test_calendar_file_of_another_partner_is_not_found(rocket, alice, rita, charlie, sign_in):
    submit_action(sign_in(alice), rocket, DEMO, "propose", **TIMES)
    submit_action(sign_in(rita), rocket, DEMO, "accept", time="2026-04-15T11:00:00+00:00")
    assert sign_in(charlie).get(f"/meetings/{Meeting.objects.get().uuid}.ics").status_code == 404


@pytest.mark.parametrize(("times", "selected"), [(TIMES, 0), (TIMES | {"time_2": ""}, 1)])
def test_single_time_is_selected(rocket, alice, rita, sign_in, times, selected):
    submit_action(sign_in(alice), rocket, DEMO, "propose", **times)
    page = BeautifulSoup(sign_in(rita).get(get_url(rocket, DEMO)).content, "html.parser")
    assert len(page.select('input[type="radio"][name="time"][checked]')) == selected


def test_waived_meeting_waits_for_no_one(rocket, alice, rita, sign_in, now):
    submit_action(sign_in(alice), rocket, DEMO, "propose", **TIMES)
    waivers.waive_requirement(rocket, DEMO, reason="x", expires_at=now + timedelta(days=9), actor=rita, now=now)
    words = get_text(sign_in(rita).get(get_url(rocket, DEMO)))
    assert ("Rita Reyes waived this requirement" in words, "Waiting for the program" in words) == (True, False)


def test_outdated_time_cannot_be_accepted(rocket, alice, rita, sign_in):
    submit_action(sign_in(alice), rocket, DEMO, "propose", **TIMES)
    response = submit_action(sign_in(rita), rocket, DEMO, "accept", time="2026-04-17T11:00:00+00:00")
    assert response.status_code == 422
    assert "This time is no longer available. Select another one." in get_text(response)


def test_missing_meeting_cannot_be_accepted_or_canceled(rocket, alice, sign_in):
    assert submit_action(sign_in(alice), rocket, DEMO, "accept", time="x").status_code == 422
    assert submit_action(sign_in(alice), rocket, DEMO, "cancel", reason="x").status_code == 409


def test_meeting_is_completed_after_it_began(rocket, alice, rita, sign_in, now):
    submit_action(sign_in(alice), rocket, DEMO, "propose", **TIMES)
    submit_action(sign_in(rita), rocket, DEMO, "accept", time="2026-04-15T11:00:00+00:00")
    assert 'value="hold"' not in sign_in(rita).get(get_url(rocket, DEMO)).content.decode()
    with time_machine.travel(now + timedelta(days=2), tick=False):
        submit_action(sign_in(rita), rocket, DEMO, "hold", shown="Live demo", notes="Well.")
    assert get_state(rocket, DEMO).status == Status.SUBMITTED
