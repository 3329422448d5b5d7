"""Tests of the API resource for notifications and their preferences."""

from typing import Any

from django.utils import timezone

from integrations.submissions.services import findings
from portal.notifications.models import NotificationPreference
from portal.notifications.preferences import save_preferences
from tests.portal.api.client import create_api_client


def test_preferences_are_saved_except_required_categories(acme: Any, alice: Any) -> None:
    me = create_api_client(alice)
    save_preferences(alice, {"checks": "weekly"})
    data = me.patch("/notifications/preferences", {"delivery": {"messages": "daily"}}).json()
    delivery = {category["key"]: category["delivery"] for category in data["categories"]}
    assert (delivery["messages"], delivery["checks"], delivery["decisions"]) == ("daily", "weekly", "immediate")
    assert {category["key"]: category["delivery_modes"] for category in data["categories"]}["decisions"] == [
        "immediate"
    ]
    data = me.patch("/notifications/preferences", {"delivery": {"check.passed": "off"}}).json()
    events = {category["key"]: category["events"] for category in data["categories"]}
    assert {each["key"]: each["delivery"] for each in events["checks"]} == {
        "check.failed": "",
        "check.passed": "off",
        "check.disagreed": "",
    }
    assert events["decisions"] == []
    response = me.patch("/notifications/preferences", {"delivery": {"decisions": "off"}})
    assert (response.status_code, response.json()["errors"][0]["field"]) == (422, "delivery.decisions")
    assert me.patch("/notifications/preferences", {"delivery": {"messages": "hourly"}}).json()["errors"][0][
        "field"
    ] == ("delivery.messages")


def test_only_the_sent_preferences_are_saved(alice: Any) -> None:
    me = create_api_client(alice)
    save_preferences(alice, {"checks": "weekly", "check.passed": "off"}, only_in_working_hours=True)
    assert me.patch("/notifications/preferences", {"delivery": {"check.passed": ""}}).status_code == 200
    preference = NotificationPreference.objects.get(user=alice)
    assert (preference.delivery, preference.only_in_working_hours) == ({"checks": "weekly"}, True)
    data = me.patch("/notifications/preferences", {"only_in_working_hours": False}).json()
    preference.refresh_from_db()
    assert (preference.delivery, preference.only_in_working_hours) == ({"checks": "weekly"}, False)
    assert data["only_in_working_hours"] is False


def test_silenced_notifications_are_not_listed(rocket: Any, alice: Any, rita: Any) -> None:
    me = create_api_client(alice)
    now = timezone.now()
    before = len(me.get("/notifications").json()["items"])
    save_preferences(alice, {"messages": "off"})
    findings.post_message(rocket, "Hello.", actor=rita, now=now)
    assert len(me.get("/notifications").json()["items"]) == before
    save_preferences(alice, {"messages": "immediate"})
    findings.post_message(rocket, "Hello again.", actor=rita, now=now)
    assert len(me.get("/notifications").json()["items"]) == before + 1
