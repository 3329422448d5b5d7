"""Tests of webhooks created by API: their secret signs messages and is shown once."""

from collections.abc import Iterator
from typing import Any

import pytest
from standardwebhooks import Webhook

from portal.api.models import IdempotencyRecord
from portal.webhooks.models import WebhookDeliveryAttempt, WebhookEndpoint
from portal.webhooks.services import MAX_PENDING_TESTS
from tests.fakes.receiver import Receiver
from tests.portal.api.client import ApiClient, add_second_factor, create_api_client
from tests.portal.api.test_tokens import dump_database, get_problem_type
from tests.portal.webhooks.conftest import send_due_deliveries

KEY = {"Idempotency-Key": "a-webhook"}
WEBHOOK_DATA = {
    "partner": "acme",
    "name": "Build",
    "url": "https://hooks.acme.com/in?key=place",
    "event_types": ["integration.listed"],
}


@pytest.fixture
def api(alice: Any) -> ApiClient:
    return create_api_client(alice)


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.ALLOW_LOOPBACK_HTTP = True
    server = Receiver()
    yield server
    server.slow.set()
    server.stop()


def test_secret_of_a_new_webhook_signs_what_is_sent(api: ApiClient, acme: Any, receiver: Receiver) -> None:
    response = api.post("/webhooks", WEBHOOK_DATA | {"url": receiver.url})
    assert (response.status_code, response.json()["health"], response["Cache-Control"]) == (
        201,
        "New",
        "private, no-store",
    )
    assert api.post(f"/webhooks/{response.json()['uuid']}/test").status_code == 201
    send_due_deliveries()
    (delivery,) = receiver.requests
    assert Webhook(response.json()["secret"]).verify(delivery.body, delivery.headers)["type"] == "portal.test"
    assert WebhookDeliveryAttempt.objects.get().status == 200


def test_same_key_creates_one_webhook_and_shows_its_secret_once(api: ApiClient, acme: Any) -> None:
    first = api.post("/webhooks", WEBHOOK_DATA, **KEY)
    second = api.post("/webhooks", WEBHOOK_DATA, **KEY)
    secret = first.json()["secret"]
    assert secret.startswith("whsec_")
    assert (second.status_code, second.json()) == (201, first.json() | {"secret": None})
    assert (WebhookEndpoint.objects.count(), IdempotencyRecord.objects.count()) == (1, 1)
    assert secret not in dump_database()
    assert "key=place" not in dump_database()
    assert "secret" not in api.get(f"/webhooks/{first.json()['uuid']}").json()


def test_rotated_secret_is_shown_once(api: ApiClient, acme: Any) -> None:
    data = api.post("/webhooks", WEBHOOK_DATA).json()
    place = f"/webhooks/{data['uuid']}/secret"
    first = api.post(place, **KEY)
    second = api.post(place, **KEY)
    assert first.json()["secret"] not in (None, data["secret"])
    assert second.json()["secret"] is None
    assert WebhookEndpoint.objects.get().old_secret_until is not None
    assert first.json()["secret"] not in dump_database()


def test_unknown_format_is_answered_with_the_known_ones(api: ApiClient, acme: Any) -> None:
    errors = [{"field": "format", "message": "Use one of: webhook, slack, teams."}]
    assert api.post("/webhooks", WEBHOOK_DATA | {"format": "pigeon"}).json()["errors"] == errors


def test_invalid_input_is_named_and_nothing_created(api: ApiClient, acme: Any) -> None:
    for odd, field in (
        ({"url": "http://hooks.acme.com/"}, "url"),
        ({"event_types": []}, "event_types"),
        ({"event_types": ["x"]}, "event_types"),
        ({"program": "x"}, "program"),
        ({"format": "pigeon"}, "format"),
        ({"format": "teams"}, "url"),
        ({"name": ""}, "name"),
        ({"event_types": ["program.action_overdue"]}, "event_types"),
    ):
        answer = api.post("/webhooks", WEBHOOK_DATA | odd, **{"Idempotency-Key": f"{field}{odd}"})
        assert (answer.status_code, [each["field"] for each in answer.json()["errors"]]) == (422, [field])
    assert WebhookEndpoint.objects.count() == 0


@pytest.mark.parametrize(
    ("format", "url"),
    [
        ("slack", "https://hooks.slack.com/services/T01/B02/verysecretpart"),
        ("teams", "https://prod-1.westus.logic.azure.com/workflows/a/triggers/manual/run?sig=verysecretpart"),
    ],
)
def test_message_for_a_chat_has_no_secret(api: ApiClient, acme: Any, format: str, url: str) -> None:
    response = api.post("/webhooks", WEBHOOK_DATA | {"format": format, "url": url})
    assert (response.status_code, response.json()["secret"], b"verysecret" in response.content) == (201, None, False)
    assert api.post(f"/webhooks/{response.json()['uuid']}/secret").status_code == 409


def test_webhook_is_created_with_permission_and_scope_only(
    api: ApiClient, acme: Any, alice: Any, bob: Any, charlie: Any, sam: Any, rita: Any
) -> None:
    assert create_api_client(charlie).post("/webhooks", WEBHOOK_DATA).status_code == 404
    others = [create_api_client(who).post("/webhooks", WEBHOOK_DATA) for who in (bob, add_second_factor(rita))]
    for response in (*others, api.post("/webhooks", WEBHOOK_DATA | {"partner": None, "event_types": ["unknown"]})):
        assert (response.status_code, response.json()["detail"]) == (
            403,
            "Only owners can manage the webhooks of a company, and only staff can manage those of the program.",
        )
    assert (
        get_problem_type(create_api_client(alice, ["webhooks:write"]).post("/webhooks", WEBHOOK_DATA))
        == "insufficient-scope"
    )
    own = create_api_client(add_second_factor(sam)).post("/webhooks", WEBHOOK_DATA | {"partner": None})
    assert (own.status_code, own.json()["partner"]) == (201, None)


def test_refusals_have_the_problem_types_of_their_causes(api: ApiClient, acme: Any, rocket: Any) -> None:
    place = f"/webhooks/{api.post('/webhooks', WEBHOOK_DATA).json()['uuid']}"
    deliveries = [api.post(f"{place}/test").json() for _ in range(MAX_PENDING_TESTS)]
    answers = [
        api.post(f"{place}/test"),
        api.post(f"{place}/deliveries/{deliveries[0]['uuid']}/replay"),
        api.post(f"/integrations/{rocket.uuid}/transitions/submit_for_review"),
        api.post(f"/integrations/{rocket.uuid}/transitions/publish"),
        api.post(f"/integrations/{rocket.uuid}/transitions/withdraw"),
    ]
    assert [(answer.status_code, get_problem_type(answer)) for answer in answers] == [
        (409, "limit-reached"),
        (409, "conflict"),
        (409, "requirements-not-met"),
        (403, "forbidden"),
        (422, "validation-error"),
    ]
