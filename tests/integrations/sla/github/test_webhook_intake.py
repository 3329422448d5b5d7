"""Tests of the webhook intake: D1–D10 of the failure catalog. D6 is in `test_webhook_bodies`."""

import hashlib
import hmac
import json
import random
from dataclasses import replace
from datetime import timedelta

import pytest
import time_machine
from django.test import Client, RequestFactory

from integrations.sla.github import delivery_processing, quotas, webhook_intake
from integrations.sla.models import GitHubDelivery
from integrations.sla.services import monitoring
from portal import wsgi
from tests.conftest import NOW
from tests.fakes.github.tracker import Tracker, WebhookDelivery
from tests.integrations.sla.monitored_repository import (
    OPENED_AT,
    REPORTER,
    SECRET,
    build_tracker,
    create_listed_integration,
    list_delivery_ids,
    monitor_repository,
    post_delivery,
)

pytestmark = pytest.mark.any_database


def test_delivery_sent_100_times_is_one_row(monitored_repository, opened_delivery):
    assert [post_delivery(monitored_repository, opened_delivery) for _ in range(100)] == [202] * 100
    assert list_delivery_ids(monitored_repository) == [opened_delivery.id]


def test_delivery_is_stored_unchanged_with_two_statements_at_most(
    monitored_repository, opened_delivery, django_assert_max_num_queries
):
    with django_assert_max_num_queries(2):
        assert post_delivery(monitored_repository, opened_delivery) == 202
    with django_assert_max_num_queries(1):
        assert post_delivery(monitored_repository, replace(opened_delivery, id="another")) == 202
    row = GitHubDelivery.objects.get(delivery_id=opened_delivery.id)
    assert (bytes(row.body), row.event, row.read_at, row.attempts, row.outcome) == (
        opened_delivery.body,
        "issues",
        None,
        0,
        "",
    )
    assert row.digest == hashlib.sha256(opened_delivery.body).hexdigest()


@pytest.mark.every_database
def test_hook_id_is_recorded_from_any_delivery(monitored_repository, opened_delivery):
    post_delivery(monitored_repository, opened_delivery, **{"X-GitHub-Hook-ID": "no number"})
    monitored_repository.refresh_from_db()
    assert monitored_repository.hook_id is None
    for hook_id in ("78", "79"):  # a recreated hook has a new ID
        post_delivery(
            monitored_repository, replace(opened_delivery, id=f"from-{hook_id}"), **{"X-GitHub-Hook-ID": hook_id}
        )
        monitored_repository.refresh_from_db()
        assert monitored_repository.hook_id == int(hook_id)


@pytest.mark.every_database
def test_forgeries_only_increase_a_counter(monitored_repository, opened_delivery):
    rng = random.Random(4)
    url = f"/inbound/github/{monitored_repository.uuid}/"
    kinds = []
    good = opened_delivery.build_headers(SECRET)
    client = Client()
    for _ in range(60):
        body = bytearray(opened_delivery.body)
        headers = dict(good)
        if rng.random() < 0.5:
            body[rng.randrange(len(body))] ^= 1 << rng.randrange(8)
        else:
            signature = list(headers["X-Hub-Signature-256"])
            place = rng.randrange(len(signature))
            signature[place] = rng.choice([c for c in "0123456789abcdefé=" if c != signature[place]])
            headers["X-Hub-Signature-256"] = "".join(signature).encode().decode("latin-1")
        kinds.append(client.post(url, bytes(body), "application/json", headers=headers).status_code)
    assert (set(kinds), list_delivery_ids(monitored_repository)) == ({401}, [])
    monitored_repository.refresh_from_db()
    assert monitored_repository.refused >= 1


def test_mutated_signatures_are_never_accepted():
    rng = random.Random(5)
    body = b'{"zen": "Design for failure."}'
    key = b"key"
    good = "sha256=" + hmac.new(key, body, hashlib.sha256).hexdigest()
    assert webhook_intake.has_valid_signature(body, good, (b"another", key))
    for _ in range(10_000):
        place = rng.randrange(len(good))
        forged_signature = (
            good[:place] + rng.choice([c for c in "0123456789abcdef" if c != good[place]]) + good[place + 1 :]
        )
        assert not webhook_intake.has_valid_signature(body, forged_signature, (key,))
    assert not any(
        webhook_intake.has_valid_signature(body, s, (key,)) for s in ("", "sha256=", good[7:], good.upper(), good + " ")
    )


def test_no_signature_sha1_alone_or_another_secret_is_refused(monitored_repository, opened_delivery):
    sha1 = "sha1=" + hmac.new(SECRET.encode(), opened_delivery.body, hashlib.sha1).hexdigest()
    assert post_delivery(monitored_repository, opened_delivery, **{"X-Hub-Signature-256": ""}) == 401
    assert (
        post_delivery(monitored_repository, opened_delivery, **{"X-Hub-Signature-256": "", "X-Hub-Signature": sha1})
        == 401
    )
    assert post_delivery(monitored_repository, opened_delivery, secret="another") == 401
    assert list_delivery_ids(monitored_repository) == []


def test_repository_of_another_partner_is_refused_with_either_secret(acme, opened_delivery, monitored_repository):
    other = create_listed_integration(acme, "Other", repository="acme/other", repository_id=4712)
    second = monitor_repository(other, secret="second")
    foreign = Tracker("acme/other", 4712)
    foreign.open(REPORTER, "Elsewhere", OPENED_AT)
    assert post_delivery(monitored_repository, foreign.webhooks[0], SECRET) == 403
    assert post_delivery(second, foreign.webhooks[0], SECRET) == 401
    assert post_delivery(second, opened_delivery, "second") == 403
    assert post_delivery(second, foreign.webhooks[0], "second") == 202
    assert (list_delivery_ids(monitored_repository), list_delivery_ids(second)) == ([], [foreign.webhooks[0].id])


@pytest.mark.every_database
def test_bodies_are_deleted_after_a_week_and_replays_are_still_recognized(monitored_repository, opened_delivery):
    assert post_delivery(monitored_repository, opened_delivery) == 202
    then = NOW + timedelta(days=8)
    assert webhook_intake.delete_old_bodies(then) == 0  # it was not processed yet
    GitHubDelivery.objects.update(received_at=NOW)
    delivery_processing.process_due_deliveries(NOW)
    assert [webhook_intake.delete_old_bodies(NOW + timedelta(days=7)), webhook_intake.delete_old_bodies(then)] == [0, 1]
    row = GitHubDelivery.objects.get()
    assert (bytes(row.body), row.digest, row.outcome, row.forgotten_at) == (
        b"",
        hashlib.sha256(opened_delivery.body).hexdigest(),
        "read",
        then,
    )
    post_delivery(monitored_repository, replace(opened_delivery, id="again"))
    delivery_processing.process_due_deliveries(then)
    assert GitHubDelivery.objects.get(delivery_id="again").outcome == "replay"
    assert webhook_intake.delete_old_bodies(then) == 0


@pytest.mark.parametrize(
    "headers", [{"X-GitHub-Delivery": ""}, {"X-GitHub-Event": ""}, {"X-GitHub-Delivery": "x" * 81}]
)
def test_delivery_without_its_headers_is_refused(monitored_repository, opened_delivery, headers):
    assert post_delivery(monitored_repository, opened_delivery, **headers) == 400


def test_flood_of_one_repository_is_limited(monitored_repository, opened_delivery, monkeypatch):
    monkeypatch.setattr(quotas, "DELIVERIES", replace(quotas.DELIVERIES, limit=5))
    with time_machine.travel(NOW, tick=False):  # the limit is that of a minute
        statuses = [post_delivery(monitored_repository, replace(opened_delivery, id=f"flood-{n}")) for n in range(8)]
    assert statuses == [202] * 5 + [429] * 3
    assert len(list_delivery_ids(monitored_repository)) == 5


@pytest.mark.every_database
def test_forgeries_do_not_count_against_the_limit(monitored_repository, opened_delivery, monkeypatch):
    monkeypatch.setattr(quotas, "DELIVERIES", replace(quotas.DELIVERIES, limit=2))
    assert [post_delivery(monitored_repository, opened_delivery, secret="wrong") for _ in range(5)] == [401] * 5
    assert post_delivery(monitored_repository, opened_delivery) == 202


def test_both_secrets_are_valid_for_a_day_after_a_rotation(monitored_repository, opened_delivery):
    fingerprint = monitoring.get_secret_fingerprint(monitored_repository)
    new_secret = monitoring.rotate_secret(
        monitored_repository, actor=None, now=NOW, expected_fingerprint=fingerprint
    ).value
    webhook_intake.clear_cached_repository(monitored_repository.uuid)

    def post_with_both() -> tuple[int, int]:
        return post_delivery(monitored_repository, opened_delivery, SECRET), post_delivery(
            monitored_repository, opened_delivery, new_secret
        )

    with time_machine.travel(NOW + timedelta(hours=23, minutes=59), tick=False):
        assert post_with_both() == (202, 202)
    with time_machine.travel(NOW + timedelta(hours=24), tick=False):
        assert post_with_both() == (401, 202)


def test_ping_and_unknown_events_are_accepted(monitored_repository):
    tracker = build_tracker(monitored_repository)
    unknown = WebhookDelivery("u", "sponsorship", json.dumps({"repository": tracker.build_repository()}).encode())
    assert [post_delivery(monitored_repository, tracker.ping()), post_delivery(monitored_repository, unknown)] == [
        202,
        202,
    ]


def test_unknown_or_ended_hook_is_not_found(monitored_repository, opened_delivery):
    missing = f"/inbound/github/{monitored_repository.integration.uuid}/"
    headers = opened_delivery.build_headers(SECRET)
    assert Client().post(missing, opened_delivery.body, "application/json", headers=headers).status_code == 404
    monitoring.stop_monitoring(monitored_repository.integration, NOW)
    webhook_intake.clear_cached_repository(monitored_repository.uuid)
    assert post_delivery(monitored_repository, opened_delivery) == 404


def send_to_server(uuid, delivery):
    """Send a delivery as a web server does, without the handler of Django that the test client uses."""
    path = f"/inbound/github/{uuid}/"
    headers = delivery.build_headers(SECRET)
    answers = []
    request = RequestFactory().post(path, delivery.body, "application/json", headers=headers)
    content = b"".join(
        wsgi.answer_webhooks(fail_if_called)(
            request.environ, lambda status, headers, exc_info=None: answers.append((status, dict(headers)))
        )
    )
    (status, answer_headers) = answers[0]
    assert answer_headers == {"Content-Type": "text/plain", "Content-Length": str(len(content))}
    return status, content


def fail_if_called(environ, start_response):
    raise AssertionError("Django's handler was asked")


def test_server_answers_deliveries_without_the_handler_of_django(monitored_repository, opened_delivery, caplog):
    assert send_to_server(monitored_repository.uuid, opened_delivery) == ("202 Accepted", b"Accepted.")
    assert caplog.messages == []
    missing = monitored_repository.integration.uuid
    assert send_to_server(missing, opened_delivery) == ("404 Not Found", b"Webhook not found.")
    assert caplog.messages == [f"Not Found: /inbound/github/{missing}/"]
    assert list_delivery_ids(monitored_repository) == [opened_delivery.id]


def test_hook_accepts_only_post(monitored_repository):
    assert Client().get(f"/inbound/github/{monitored_repository.uuid}/").status_code == 405


def test_secret_is_stored_encrypted_and_shown_once(monitored_repository, alice, sign_in):
    page = f"/integrations/{monitored_repository.integration.uuid}/monitoring/"
    client = sign_in(alice)
    secret_response = client.get(page)
    after = secret_response.context["after"]
    assert client.post(page, {"after": after})["Location"] == page
    response = client.get(page)
    secret = response.context["secret"]
    assert (len(secret), secret in response.text, secret in client.get(page).text) == (64, True, False)
    monitored_repository.refresh_from_db()
    assert secret.encode() not in bytes(monitored_repository.secret)
    again = client.post(page, {"after": after})
    assert (again.status_code, again["Location"]) == (302, page)
    assert monitoring.decrypt_secrets(monitored_repository).current == secret.encode()


def test_page_shows_that_no_webhook_has_arrived(monitored_repository, alice, charlie, sign_in):
    page = f"/integrations/{monitored_repository.integration.uuid}/monitoring/"
    text = " ".join(sign_in(alice).get(page).text.split())
    assert "No webhook delivery yet. We check the repository every 5 minutes." in text
    assert f"/inbound/github/{monitored_repository.uuid}/" in text
    assert sign_in(charlie).get(page).status_code == 404
