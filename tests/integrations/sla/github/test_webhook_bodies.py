"""Tests of webhook bodies that are too large, of another type, or invalid (D6 of the failure catalog)."""

import json
import os
import random
import resource

import pytest
from django.test import Client

from integrations.sla.github import delivery_processing, webhook_intake
from integrations.sla.models import GitHubDelivery
from tests.conftest import NOW
from tests.fakes.github.tracker import WebhookDelivery
from tests.integrations.sla.monitored_repository import (
    OPENED_AT,
    REPORTER,
    SECRET,
    build_tracker,
    list_delivery_ids,
    post_delivery,
)


def test_bodies_that_are_too_large_or_of_another_kind_are_refused(monitored_repository, opened_delivery):
    url = f"/inbound/github/{monitored_repository.uuid}/"
    headers = opened_delivery.build_headers(SECRET)

    def answer(kind: str, **more: str) -> int:
        return Client().post(url, opened_delivery.body, kind, headers=headers, **more).status_code

    assert (
        Client()
        .post(url, b"x" * (webhook_intake.MAX_PAYLOAD_BYTES + 1), "application/json", headers=headers)
        .status_code
        == 413
    )
    lengths = ("", "²", "9" * 12, "9" * 5000)
    assert [answer("application/json", CONTENT_LENGTH=text) for text in lengths] == [411, 411, 413, 413]
    assert answer("application/x-www-form-urlencoded") == 415
    assert answer("application/json; charset=utf-16") == 415
    assert answer("application/json", HTTP_CONTENT_ENCODING="gzip") == 415
    assert answer("application/json; charset=utf-8") == 202


def test_body_of_three_megabytes_is_accepted(monitored_repository):
    tracker = build_tracker(monitored_repository)
    tracker.open(REPORTER, "Long", OPENED_AT, body="x" * 3_000_000)
    assert post_delivery(monitored_repository, tracker.webhooks[0]) == 202


@pytest.mark.parametrize(
    "body",
    [
        b" ",
        b"[" * 100_000,
        b"nonsense",
        b"[]",
        b"null",
        b'"text"',
        b'{"a": ' * 50_000,
        b"\xff\xfe",
        b'{"repository": []}',
        b'{"repository": {"id": "x"}}',
        b'{"repository": {"id": true}}',
    ],
)
def test_signed_invalid_body_is_refused(monitored_repository, body):
    assert post_delivery(monitored_repository, WebhookDelivery("n", "issues", body)) in {400, 403}
    assert list_delivery_ids(monitored_repository) == []


def mutate(rng: random.Random, body: bytes) -> bytes:
    """Return a payload with one to five faults: wrong bytes, truncation, or values of another type at any depth."""
    if rng.random() < 0.3:
        mutated = bytearray(body)
        for _ in range(rng.randrange(1, 6)):
            mutated[rng.randrange(len(mutated))] = rng.randrange(256)
        return bytes(mutated[: rng.randrange(1, len(mutated))]) if rng.random() < 0.3 else bytes(mutated)
    payload = json.loads(body)
    odd = (None, [], {}, -1, 10**30, True, "", "x" * 5000, "\u0000", "\ud800", [[[]]], {"id": {}}, 1e308)
    for _ in range(rng.randrange(1, 6)):
        place = payload
        while True:
            key = rng.choice(list(place))
            if not (isinstance(place[key], dict) and place[key] and rng.random() < 0.7):
                break
            place = place[key]
        place[key] = rng.choice(odd)
    return json.dumps(payload).encode()


def test_mutated_bodies_break_neither_intake_nor_processing_and_use_no_memory(monitored_repository, caplog):
    """Set FUZZ_BODIES=2000 for a longer run."""
    rng = random.Random(6)
    tracker = build_tracker(monitored_repository)
    statuses = []
    number = tracker.open(REPORTER, "It crashes", OPENED_AT)
    tracker.comment(number, REPORTER, "Again", OPENED_AT)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for n in range(int(os.environ.get("FUZZ_BODIES", "200"))):
        delivery = rng.choice(tracker.webhooks)
        statuses.append(
            post_delivery(monitored_repository, WebhookDelivery(str(n), delivery.event, mutate(rng, delivery.body)))
        )
    delivery_processing.process_due_deliveries(NOW)
    growth_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert (set(statuses) <= {202, 400, 403, 429}, statuses.count(202) > 40, growth_mb < 50) == (True, True, True), (
        growth_mb
    )
    assert GitHubDelivery.objects.filter(read_at=None).count() == 0
    assert GitHubDelivery.objects.filter(outcome="failed").count() == 0
    assert "failed together" not in caplog.text
