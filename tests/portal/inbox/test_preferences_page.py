"""Tests of the page of notification preferences."""

from typing import Any

import pytest

from portal.notifications import preferences

pytestmark = pytest.mark.django_db


def read_initial_values(client: Any) -> dict[str, Any]:
    """Return the hidden initial values of the page by the names of their fields."""
    page = client.get("/notifications/preferences/")
    fields = [page.context["form"][name] for name in page.context["form"].fields]
    values = {field.html_initial_name: field.initial for field in fields if field.initial is not False}
    assert [name for name in values if f'name="{name}"' not in page.text] == []
    return values


def read_form_data(client: Any) -> dict[str, Any]:
    """Return what a browser sends if nothing is changed and working hours are not selected."""
    initial_values = read_initial_values(client)
    return initial_values | {name.removeprefix("initial-"): value for name, value in initial_values.items()}


def test_page_saves_preferences(sign_in: Any, alice: Any) -> None:
    client = sign_in(alice)
    form = client.get("/notifications/preferences/").context["form"]
    assert "reviews" not in form.fields
    assert "decisions" not in form.fields
    form_data = read_form_data(client) | {"messages": "weekly", "only_in_working_hours": "on"}
    assert client.post("/notifications/preferences/", form_data).status_code == 302
    wish = preferences.NotificationPreference.objects.get(user=alice)
    assert (wish.delivery, wish.only_in_working_hours) == ({"messages": "weekly"}, True)
    assert client.post("/notifications/preferences/", form_data | {"messages": "never"}).status_code == 422


def test_page_lists_the_events_that_a_person_receives(sign_in: Any, alice: Any, rita: Any) -> None:
    fields = {}
    for person in (alice, rita):
        form = sign_in(person).get("/notifications/preferences/").context["form"]
        fields[person.email] = {category.name: [each.name for each in events] for category, events in form.sections}
    assert {name: fields[alice.email][name] for name in ("agreements", "messages")} == {
        "agreements": [
            "agreement.signed_by_program",
            "agreement.completed",
            "agreement.upload_rejected",
            "agreement.replaced",
        ],
        "messages": [
            "finding.reply_sent_to_partner",
            "message.sent_to_partner",
            "message.reminder_sent",
            "message.mentioned",
        ],
    }
    assert {name: fields[rita.email][name] for name in ("agreements", "messages")} == {
        "agreements": ["agreement.signed_by_partner", "agreement.completed", "agreement.uploaded"],
        "messages": ["finding.reply_sent_to_program", "message.sent_to_program", "message.mentioned"],
    }


def test_page_saves_an_event(sign_in: Any, alice: Any) -> None:
    client = sign_in(alice)
    address = "/notifications/preferences/"
    assert client.post(address, read_form_data(client) | {"check.passed": "off"}).status_code == 302
    assert preferences.NotificationPreference.objects.get(user=alice).delivery == {"check.passed": "off"}
    assert client.post(address, read_form_data(client) | {"check.passed": ""}).status_code == 302
    assert preferences.NotificationPreference.objects.get(user=alice).delivery == {}


def test_page_opened_earlier_keeps_a_later_change(sign_in: Any, alice: Any) -> None:
    client = sign_in(alice)
    form_data = read_form_data(client)
    preferences.stop_category(alice, "messages")
    preferences.save_preferences(alice, {}, only_in_working_hours=True)
    answer = client.post("/notifications/preferences/", form_data | {"check.passed": "off"})
    assert answer.status_code == 302
    wish = preferences.NotificationPreference.objects.get(user=alice)
    assert (wish.delivery, wish.only_in_working_hours) == ({"messages": "portal", "check.passed": "off"}, True)


def test_cleared_checkbox_is_restored_after_sign_in(client: Any, sign_in: Any, alice: Any) -> None:
    preferences.save_preferences(alice, {}, only_in_working_hours=True)
    client.post("/notifications/preferences/", {"messages": "weekly", "initial-only_in_working_hours": "True"})
    answer = sign_in(alice).get("/notifications/preferences/")
    form = answer.context["form"]
    assert (answer.status_code, form["messages"].value(), form["only_in_working_hours"].value()) == (
        200,
        "weekly",
        False,
    )
