"""Tests of editing an integration's details."""

from typing import Any

from django.urls import reverse
from django.utils import timezone

from integrations.submissions.models import Integration
from integrations.submissions.services.creation import change_description
from integrations.submissions.services.transitions import perform_transition

FORM_DATA = {
    "repository_address": "https://github.com/acme/terraform-provider-rocket",
    "name": "Rocket two",
    "description": "Launches bigger rockets.",
    "category": "storage",
    "offerings": ["Open Source"],
    "homepage": "https://acme.example/two",
}


def test_old_and_new_values_appear_in_the_history(rocket: Integration, alice: Any, sign_in: Any) -> None:
    sign_in(alice).post(reverse("submissions:edit", args=[rocket.uuid]), FORM_DATA)
    row = Integration.objects.get()
    assert (row.name, row.category, row.homepage, row.repository_id) == (
        "Rocket two",
        "storage",
        "https://acme.example/two",
        4711,
    )
    event = row.events.get(event_type="integration.edited")
    assert event.data["changes"] == {
        "name": ["Rocket", "Rocket two"],
        "description": ["Launches rockets.", "Launches bigger rockets."],
        "category": ["", "storage"],
        "homepage": ["https://acme.example/rocket", "https://acme.example/two"],
    }


def test_partner_is_told_what_a_new_repository_causes(rocket: Integration, alice: Any, sign_in: Any) -> None:
    url = reverse("submissions:edit", args=[rocket.uuid])
    other_url = "https://github.com/acme/terraform-provider-skyrocket"
    page = sign_in(alice).post(url, FORM_DATA | {"repository_address": other_url}, follow=True)
    assert "Details saved." in page.text
    assert "Repository changed. The checks run again, and we notify the program." in page.text


def test_edit_retains_fields_that_a_colleague_changed(rocket: Integration, alice: Any, bob: Any, sign_in: Any) -> None:
    url = reverse("submissions:edit", args=[rocket.uuid])
    client = sign_in(alice)
    seen = {"name": "Rocket", "homepage": "https://acme.example/rocket", "category": ""}
    assert [name for name in seen if f'name="initial-{name}"' not in client.get(url).text] == []
    change_description(rocket, {"name": "Rocket by Bob"}, actor=bob, now=timezone.now())
    client.post(url, FORM_DATA | {"name": "Rocket"} | {f"initial-{name}": value for name, value in seen.items()})
    row = Integration.objects.get()
    assert (row.name, row.homepage) == ("Rocket by Bob", "https://acme.example/two")


def test_description_can_change_beside_a_name_that_is_no_longer_allowed(
    rocket: Integration, alice: Any, sign_in: Any
) -> None:
    Integration.objects.update(name="Rocket ✔")
    client = sign_in(alice)
    url = reverse("submissions:edit", args=[rocket.uuid])
    client.post(url, FORM_DATA | {"name": "Rocket ✔"})
    assert client.post(url, FORM_DATA | {"name": "Rocket ☑"}).status_code == 422
    row = Integration.objects.get()
    assert (row.name, row.description) == ("Rocket ✔", "Launches bigger rockets.")


def test_invalid_input_is_reported_and_kept(rocket: Integration, alice: Any, sign_in: Any) -> None:
    response = sign_in(alice).post(
        reverse("submissions:edit", args=[rocket.uuid]), FORM_DATA | {"category": "none", "name": "x" * 90}
    )
    page = response.content.decode()
    assert response.status_code == 422
    assert "Unknown category. Select another one." in page
    assert "x" * 90 in page
    assert Integration.objects.get().name == "Rocket"


def test_others_cannot_edit_and_ended_integrations_cannot_be_edited(
    rocket: Integration, alice: Any, rita: Any, charlie: Any, sign_in: Any
) -> None:
    address = reverse("submissions:edit", args=[rocket.uuid])
    assert sign_in(charlie).post(address, FORM_DATA).status_code == 404
    for send in (sign_in(rita).get, sign_in(rita).post):
        assert send(address, FORM_DATA).status_code == 403
    perform_transition(rocket, "withdraw", actor=alice)
    assert sign_in(alice).post(address, FORM_DATA).status_code == 302
    assert Integration.objects.get().name == "Rocket"
