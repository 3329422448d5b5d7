"""Byte quotas of webhook deliveries."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
import time_machine
from django.core.cache import cache
from django.core.cache.backends.locmem import LocMemCache
from django.http import HttpResponse
from django.test import Client

from integrations.sla.github import quotas, webhook_intake
from integrations.sla.github.quotas import Quota
from integrations.sla.models import GitHubDelivery, MonitoredRepository
from portal.core.client_ip import parse_trusted_proxies
from tests.conftest import NOW
from tests.fakes.github.tracker import WebhookDelivery
from tests.integrations.sla.monitored_repository import (
    OPENED_AT,
    REPORTER,
    SECRET,
    build_tracker,
    create_listed_integration,
    monitor_repository,
)

pytestmark = pytest.mark.any_database

GITHUB = "140.82.112.7"
OTHER_SENDER = "203.0.113.9"


class CacheOutage(LocMemCache):
    """Cache whose server is unavailable."""

    def _fail(self, *_: Any, **__: Any) -> Any:
        raise ConnectionError("the cache does not answer")

    add = get = get_many = incr = set = _fail


@pytest.fixture
def delivery(monitored_repository: MonitoredRepository) -> WebhookDelivery:
    tracker = build_tracker(monitored_repository)
    tracker.open(REPORTER, "It crashes", OPENED_AT)
    return tracker.webhooks[0]


@pytest.fixture(autouse=True)
def frozen_time() -> Any:
    """Keep all deliveries of a test in one window."""
    quotas._COUNTERS.clear()
    with time_machine.travel(NOW, tick=False):
        yield


def deliver(
    uuid: UUID, delivery: WebhookDelivery, secret: str = SECRET, sender: str = GITHUB, **more: Any
) -> HttpResponse:
    headers = delivery.build_headers(secret)
    url = f"/inbound/github/{uuid}/"
    return Client().post(url, delivery.body, "application/json", headers=headers, REMOTE_ADDR=sender, **more)


def limit_deliveries(monkeypatch: Any, name: str, deliveries: int, delivery: WebhookDelivery) -> None:
    """Set a quota to the size of this number of deliveries."""
    quota: Quota = getattr(quotas, name)
    monkeypatch.setattr(quotas, name, replace(quota, limit=deliveries * len(delivery.body)))


def test_accepted_bytes_of_a_hook_are_limited(monitored_repository, delivery, monkeypatch):
    limit_deliveries(monkeypatch, "ACCEPTED", 3, delivery)
    answers = [
        deliver(monitored_repository.uuid, replace(delivery, id=f"n{n}"), sender=f"192.0.2.{n}") for n in range(5)
    ]
    assert [response.status_code for response in answers] == [202, 202, 202, 429, 429]
    assert answers[-1].headers["Retry-After"] == "3600"
    assert GitHubDelivery.objects.count() == 3


def test_accepted_bytes_per_day_are_limited(monitored_repository, delivery, monkeypatch):
    limit_deliveries(monkeypatch, "ACCEPTED", 2, delivery)
    limit_deliveries(monkeypatch, "ACCEPTED_DAILY", 3, delivery)
    codes = []
    for hour in range(3):
        with time_machine.travel(NOW + timedelta(hours=hour), tick=False):
            webhook_intake.clear_cached_repository(monitored_repository.uuid)
            answers = [deliver(monitored_repository.uuid, replace(delivery, id=f"h{hour}n{n}")) for n in range(2)]
            codes.append([response.status_code for response in answers])
    assert codes == [[202, 202], [202, 429], [429, 429]]
    assert int(answers[-1].headers["Retry-After"]) > 3600


def test_quota_of_one_hook_does_not_affect_others(monitored_repository, delivery, globex, monkeypatch):
    limit_deliveries(monkeypatch, "ACCEPTED", 1, delivery)
    assert [deliver(monitored_repository.uuid, replace(delivery, id=f"n{n}")).status_code for n in range(2)] == [
        202,
        429,
    ]
    other = monitor_repository(create_listed_integration(globex, "Other"))
    assert deliver(other.uuid, delivery).status_code == 202


@pytest.mark.every_database
def test_quota_resets_in_the_next_window(monitored_repository, delivery, monkeypatch):
    limit_deliveries(monkeypatch, "ACCEPTED", 1, delivery)
    assert [deliver(monitored_repository.uuid, replace(delivery, id=f"n{n}")).status_code for n in range(2)] == [
        202,
        429,
    ]
    with time_machine.travel(NOW.timestamp() + quotas.ACCEPTED.seconds, tick=False):
        webhook_intake.clear_cached_repository(monitored_repository.uuid)
        assert deliver(monitored_repository.uuid, replace(delivery, id="later")).status_code == 202


def test_forged_bytes_of_a_sender_are_limited_before_they_are_read(monitored_repository, delivery, monkeypatch):
    limit_deliveries(monkeypatch, "REFUSED", 2, delivery)
    answers = [deliver(monitored_repository.uuid, delivery, "wrong", sender=OTHER_SENDER) for _ in range(4)]
    assert [response.status_code for response in answers] == [401, 401, 429, 429]
    assert answers[-1].headers["Retry-After"] == "60"
    assert deliver(monitored_repository.uuid, delivery, sender=GITHUB).status_code == 202


def test_forger_cannot_use_up_the_quota_of_a_hook(monitored_repository, delivery, monkeypatch):
    limit_deliveries(monkeypatch, "ACCEPTED", 1, delivery)
    assert {
        deliver(monitored_repository.uuid, delivery, "wrong", sender=OTHER_SENDER).status_code for _ in range(5)
    } == {401}
    assert deliver(monitored_repository.uuid, delivery).status_code == 202


def test_sender_of_unknown_hooks_is_limited_and_known_hooks_from_there_are_not(
    monitored_repository, delivery, monkeypatch
):
    """All hooks send from the addresses of GitHub, so invalid deliveries must not block other hooks."""
    limit_deliveries(monkeypatch, "REFUSED", 2, delivery)
    assert [deliver(uuid4(), delivery).status_code for _ in range(4)] == [404, 404, 429, 429]
    assert deliver(monitored_repository.uuid, delivery).status_code == 202


def test_payload_refused_by_its_headers_counts_too(monitored_repository, delivery, monkeypatch):
    limit_deliveries(monkeypatch, "REFUSED", 1, delivery)
    gzip_header = {"HTTP_CONTENT_ENCODING": "gzip"}
    assert [deliver(monitored_repository.uuid, delivery, **gzip_header).status_code for _ in range(2)] == [415, 429]


def test_senders_behind_a_proxy_are_distinguished(monitored_repository, delivery, monkeypatch, settings):
    settings.TRUSTED_PROXIES = parse_trusted_proxies("1")
    limit_deliveries(monkeypatch, "REFUSED", 1, delivery)

    def forge(sender: str) -> int:
        forwarded_for = f"{GITHUB}, {sender}"
        return deliver(
            monitored_repository.uuid, delivery, "wrong", "10.0.0.2", HTTP_X_FORWARDED_FOR=forwarded_for
        ).status_code

    assert [forge(OTHER_SENDER), forge(OTHER_SENDER), forge("203.0.113.10")] == [401, 429, 401]


def test_burst_of_github_is_accepted(monitored_repository):
    """Hundreds of large deliveries arrive at once, as after a bot updates every open issue."""
    tracker = build_tracker(monitored_repository)
    tracker.open(REPORTER, "Long", OPENED_AT, body="x" * 200_000)
    (long,) = tracker.webhooks
    answers = {deliver(monitored_repository.uuid, replace(long, id=f"burst-{n}")).status_code for n in range(300)}
    assert (answers, GitHubDelivery.objects.count()) == ({202}, 300)
    counted = cache.get(quotas.ACCEPTED.build_key(str(monitored_repository.uuid)))
    assert 0 <= 300 * len(long.body) - counted < quotas.ACCEPTED.limit / quotas.SYNCS_PER_QUOTA


@pytest.mark.every_database
def test_bytes_that_another_process_counted_are_known_after_a_hundredth_of_the_quota(
    monitored_repository, delivery, monkeypatch
):
    limit_deliveries(monkeypatch, "ACCEPTED", 300, delivery)
    assert deliver(monitored_repository.uuid, replace(delivery, id="first")).status_code == 202
    cache.set(quotas.ACCEPTED.build_key(str(monitored_repository.uuid)), quotas.ACCEPTED.limit)
    answers = [deliver(monitored_repository.uuid, replace(delivery, id=f"n{n}")).status_code for n in range(3)]
    assert answers == [202, 202, 429]


@pytest.mark.every_database
def test_new_process_knows_what_others_counted(monitored_repository, delivery):
    cache.set(quotas.ACCEPTED.build_key(str(monitored_repository.uuid)), quotas.ACCEPTED.limit)
    assert deliver(monitored_repository.uuid, delivery).status_code == 429


def test_outage_of_the_cache_loses_no_delivery(monitored_repository, delivery, settings):
    settings.CACHES = {"default": {"BACKEND": f"{__name__}.CacheOutage"}}
    answers = [deliver(monitored_repository.uuid, replace(delivery, id=f"n{n}")).status_code for n in range(3)]
    assert (answers, GitHubDelivery.objects.count()) == ([202] * 3, 3)
