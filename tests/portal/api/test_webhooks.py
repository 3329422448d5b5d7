"""Tests of the API resource for webhooks and their deliveries."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from portal.webhooks import services
from portal.webhooks.models import WebhookDelivery
from tests.portal.api.client import create_api_client

State = WebhookDelivery.State


@pytest.fixture
def endpoint(acme: Any, alice: Any) -> Any:
    values = {
        "name": "Build",
        "event_types": ["integration.listed"],
        "url": "https://hooks.acme.com/in?key=secret-place",
    }
    return services.create_endpoint(acme, values, actor=alice, now=timezone.now() - timedelta(hours=1))[0]


def create_failed_message(endpoint: Any, **columns: Any) -> Any:
    now = timezone.now() - timedelta(minutes=5)
    message_fields = {
        "event_type": "integration.listed",
        "body": "{}",
        "created_at": now,
        "due_at": now,
        "state": State.FAILED,
    }
    return endpoint.deliveries.create(key=f"k{WebhookDelivery.objects.count()}", **message_fields | columns)


def test_webhook_is_paused_and_resumed_and_failed_messages_are_replayed(endpoint: Any, alice: Any) -> None:
    me = create_api_client(alice)
    place = f"/webhooks/{endpoint.uuid}"
    failed = create_failed_message(endpoint)
    assert me.post(f"{place}/pause").json()["pause"] == "manual"
    assert me.get("/webhooks").json()[0]["health"] == "Paused"
    assert me.post(f"{place}/resume", {"skip": False}).json()["message"].startswith("Webhook resumed")
    assert [each["state"] for each in me.get(f"{place}/deliveries?state=failed").json()["items"]] == ["failed"]
    since = (timezone.now() - timedelta(hours=1)).isoformat()
    assert me.post(f"{place}/replay", {"since": since}).json()["message"] == "1 delivery queued again."
    whole = me.get(f"{place}/deliveries/{failed.uuid}").json()
    assert (whole["state"], whole["webhook_id"], whole["attempts"]) == ("pending", failed.message_id, [])
    assert me.post(f"{place}/deliveries/{failed.uuid}/replay").status_code == 409
    far_future = me.post(f"{place}/replay", {"since": "7937-04-29T06:07:25+16:15"})
    assert (far_future.status_code, far_future.json()["message"]) == (200, "0 deliveries queued again.")


def test_log_is_filtered_by_event_type(endpoint: Any, alice: Any) -> None:
    me = create_api_client(alice)
    place = f"/webhooks/{endpoint.uuid}"
    create_failed_message(endpoint)
    me.post(f"{place}/test")
    assert [each["event_type"] for each in me.get(f"{place}/deliveries?event_type=portal.test").json()["items"]] == [
        "portal.test"
    ]


@pytest.mark.any_database
def test_log_is_filtered_by_state(endpoint: Any, alice: Any) -> None:
    me = create_api_client(alice)
    for state in State.values:
        create_failed_message(endpoint, state=state)
    for state in State.values:
        items = me.get(f"/webhooks/{endpoint.uuid}/deliveries?state={state}").json()["items"]
        assert [each["state"] for each in items] == [state]


@pytest.mark.any_database
# Partners must not learn which internal events exist.
@pytest.mark.parametrize("event_type", ["issue.breachd", "program.email_delivery_failed"])
def test_unknown_event_type_is_refused(endpoint: Any, alice: Any, event_type: str) -> None:
    response = create_api_client(alice).get(f"/webhooks/{endpoint.uuid}/deliveries?event_type={event_type}")
    assert (response.status_code, [each["field"] for each in response.json()["errors"]]) == (422, ["event_type"])


@pytest.mark.any_database
def test_webhook_is_changed_and_its_secret_url_never_shown(endpoint: Any, alice: Any) -> None:
    me = create_api_client(alice)
    place = f"/webhooks/{endpoint.uuid}"
    response = me.patch(place, {"event_types": ["review.requested"], "program": "nomad"})
    assert (response.json()["name"], response.json()["event_types"], response.json()["program"]) == (
        "Build",
        ["review.requested"],
        "nomad",
    )
    odd = me.patch(place, {"program": "x", "event_types": []}).json()["errors"]
    assert sorted(each["field"] for each in odd) == ["event_types", "program"]
    assert b"secret-place" not in response.content + me.get(place).content
    assert me.send("DELETE", place).json()["errors"][0]["field"] == "confirm_name"
    assert me.send("DELETE", f"{place}?confirm_name=Build").status_code == 200
    assert me.get(place).status_code == 404


def test_webhooks_are_visible_to_their_partner_only(endpoint: Any, bob: Any, charlie: Any) -> None:
    assert [create_api_client(who).get(f"/webhooks/{endpoint.uuid}").status_code for who in (bob, charlie)] == [
        404,
        404,
    ]
