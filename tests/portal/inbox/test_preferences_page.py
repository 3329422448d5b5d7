"""Tests of the page of notification preferences."""

from typing import Any

import pytest

from portal.notifications import preferences

pytestmark = pytest.mark.django_db


def test_page_saves_preferences(sign_in: Any, alice: Any) -> None:
    client = sign_in(alice)
    form = client.get("/notifications/preferences/").context["form"]
    assert "reviews" not in form.fields
    assert "decisions" not in form.fields
    form_data = {name: field.initial for name, field in form.fields.items()} | {
        "messages": "weekly",
        "only_in_working_hours": "on",
    }
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
        "messages": ["finding.reply_sent_to_partner", "message.sent_to_partner", "message.mentioned"],
    }
    assert {name: fields[rita.email][name] for name in ("agreements", "messages")} == {
        "agreements": ["agreement.signed_by_partner", "agreement.completed", "agreement.uploaded"],
        "messages": ["finding.reply_sent_to_program", "message.sent_to_program", "message.mentioned"],
    }


def test_page_saves_an_event(sign_in: Any, alice: Any) -> None:
    client = sign_in(alice)
    address = "/notifications/preferences/"
    form_data = {name: field.initial for name, field in client.get(address).context["form"].fields.items()}
    del form_data["only_in_working_hours"]
    assert client.post(address, form_data | {"check.passed": "off"}).status_code == 302
    assert preferences.NotificationPreference.objects.get(user=alice).delivery == {"check.passed": "off"}
    assert client.post(address, form_data | {"check.passed": ""}).status_code == 302
    assert preferences.NotificationPreference.objects.get(user=alice).delivery == {}
