"""Tests that a calendar feed contains the user's own deadlines and nothing else."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from icalendar import Calendar

from integrations.sla.services import monitoring
from integrations.submissions.models import Finding, Integration, Meeting
from portal.api.models import ApiToken
from portal.inbox import calendar_feed
from tests.conftest import NOW, advance_to_stage, create_integration
from tests.integrations.sla.pages.issues import create_issue

pytestmark = pytest.mark.django_db


def get_path(address: str) -> str:
    return "/" + address.split("/", 3)[3]


def list_entries(person: Any, now: Any = None) -> dict[str, Any]:
    """Return the entries of a user's calendar by title, parsed by icalendar."""
    calendar = Calendar.from_ical(calendar_feed.render_calendar(person, now or timezone.now()))
    return {str(event["summary"]): event for event in calendar.walk("VEVENT")}


@pytest.fixture
def listed_integration(acme: Any, alice: Any, rita: Any) -> Integration:
    return advance_to_stage(create_integration(acme, alice, name="Booster"), "support", partner=alice, reviewer=rita)


def test_sla_target_is_an_entry_until_it_is_met(listed_integration: Any, alice: Any, charlie: Any) -> None:
    issue = create_issue(
        listed_integration, "A private title", timezone.now() - timedelta(hours=1), labels=("critical",)
    )
    clock = issue.clocks.filter(is_committed=True).first()
    title = next(each for each in list_entries(alice) if f"issue {issue.number}" in each)
    entry = list_entries(alice)[title]
    assert title.startswith("Booster: ")
    assert entry.decoded("dtend") == clock.due_at.replace(microsecond=0)
    assert str(entry["status"]) == "CONFIRMED"
    assert "private" not in calendar_feed.render_calendar(alice, timezone.now())
    assert list_entries(charlie) == {}
    clock.state = "met"
    clock.stopped_at = timezone.now()
    issue.clocks.filter(pk=clock.pk).update(state="met", stopped_at=timezone.now())
    after = list_entries(alice)[title]
    assert (str(after["uid"]), str(after["status"])) == (str(entry["uid"]), "CANCELLED")
    assert after["sequence"] > entry["sequence"]


def test_sla_target_is_canceled_when_support_ends(listed_integration: Any, alice: Any) -> None:
    issue = create_issue(listed_integration, "It fails", timezone.now() - timedelta(hours=1), labels=("critical",))
    (before,) = (event for title, event in list_entries(alice).items() if f"issue {issue.number}" in title)
    monitoring.stop_monitoring(listed_integration, timezone.now())
    (after,) = (event for title, event in list_entries(alice).items() if f"issue {issue.number}" in title)
    assert (str(before["status"]), str(after["status"])) == ("CONFIRMED", "CANCELLED")
    assert after["sequence"] > before["sequence"]


@pytest.mark.any_database
def test_reviewer_sees_when_their_review_is_due(integration_at: Any, rita: Any, rob: Any) -> None:
    row = integration_at("review")
    assert list_entries(rita, NOW) == {}
    Integration.objects.filter(pk=row.pk).update(reviewer=rita)
    (entry,) = list_entries(rita, NOW).values()
    assert str(entry["summary"]) == "Rocket: review due"
    assert entry.decoded("dtend") == Integration.objects.get().action_due_at
    assert list_entries(rob, NOW) == {}


def test_repeated_action_is_newer_than_its_cancellation(integration_at: Any, rita: Any) -> None:
    row = integration_at("review")
    rows = Integration.objects.filter(pk=row.pk)
    numbers = []
    states = []
    for day, party in enumerate(("program", "partner", "program")):
        rows.update(reviewer=rita, responsible_party=party, responsible_since=NOW + timedelta(days=day))
        (entry,) = list_entries(rita, NOW + timedelta(days=3)).values()
        numbers.append(entry["sequence"])
        states.append(str(entry["status"]))
    assert states == ["CONFIRMED", "CANCELLED", "CONFIRMED"]
    assert numbers == sorted(set(numbers))


def test_url_is_secret_and_can_be_replaced(client: Any, alice: Any, listed_integration: Any) -> None:
    first = get_path(calendar_feed.create_feed(alice, NOW))
    assert client.get(first)["Content-Type"] == "text/calendar; charset=utf-8"
    second = get_path(calendar_feed.create_feed(alice, NOW))
    assert client.get(first).status_code == 404
    assert client.get(second).status_code == 200
    token = second.removeprefix("/calendar/").removesuffix(".ics")
    assert token not in str(calendar_feed.CalendarFeed.objects.values().get())
    calendar_feed.delete_feed(alice)
    assert client.get(second).status_code == 404


def test_deactivated_user_has_no_calendar(client: Any, alice: Any) -> None:
    address = get_path(calendar_feed.create_feed(alice, NOW))
    alice.is_active = False
    alice.save()
    assert client.get(address).status_code == 404


def test_unchanged_calendar_is_not_modified(client: Any, alice: Any, listed_integration: Any) -> None:
    create_issue(listed_integration, "Fails", timezone.now() - timedelta(hours=1), labels=("critical",))
    address = get_path(calendar_feed.create_feed(alice, NOW))
    answer = client.get(address)
    assert client.get(address, headers={"If-None-Match": answer["ETag"]}).status_code == 304
    create_issue(listed_integration, "Fails too", timezone.now(), labels=("critical",))
    assert client.get(address, headers={"If-None-Match": answer["ETag"]}).status_code == 200


def test_url_is_shown_once(sign_in: Any, alice: Any) -> None:
    client = sign_in(alice)
    assert client.post("/notifications/calendar/")["Location"] == "/notifications/preferences/"
    pages = [client.get("/notifications/preferences/") for _ in range(2)]
    assert [".ics" in page.content.decode() for page in pages] == [True, False]
    assert pages[0]["Cache-Control"] == "private, no-store"
    client.post("/notifications/calendar/", {"end": "1"})
    assert calendar_feed.CalendarFeed.objects.count() == 0


def test_due_finding_and_meeting_are_entries(listed_integration: Any, alice: Any, rita: Any) -> None:
    now = timezone.now()
    requirement = listed_integration.edition.list_requirements()[0].id
    finding_fields = {"integration": listed_integration, "requirement_id": requirement}
    due = now + timedelta(days=5)
    Finding.objects.create(
        **finding_fields, number=9, round=1, text="Private.", raised_at=now, due_at=due, state="open"
    )
    meeting = Meeting.objects.create(**finding_fields, starts_at=now, place="https://private.example", created_at=now)
    calendar_entries = list_entries(alice)
    assert calendar_entries["Booster: finding 9 is due"].decoded("dtend") == due.replace(microsecond=0)
    assert str(calendar_entries["Booster: meeting"]["transp"]) == "OPAQUE"
    assert "rivate" not in calendar_feed.render_calendar(alice, now)
    Meeting.objects.filter(pk=meeting.pk).update(state="canceled")
    Finding.objects.update(state="resolved", resolved_at=now)
    assert {str(each["status"]) for each in list_entries(alice).values()} == {"CANCELLED"}


def test_expiring_token_is_an_entry_of_its_owner(alice: Any, bob: Any) -> None:
    now = timezone.now()
    ApiToken.objects.create(name="Private", prefix="pp_1", digest="d", user=bob, created_at=now, expires_at=now)
    assert (list(list_entries(bob)), list_entries(alice)) == (["API token expires"], {})
