"""Tests that breaches are reported and pages work without Redis. `bin/bench limits` measures the delay."""

import socket
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from integrations.sla.models import SlaBreach
from integrations.submissions.models import Integration
from portal.accounts.models import User
from portal.core.cache import FaultTolerantRedisCache
from portal.jobs.periodic import run_job
from portal.jobs.registry import JOBS
from portal.notifications.models import EmailMessage
from tests.conftest import PASSWORD
from tests.integrations.sla.rows import create_clock_row, create_issue_row, create_repository_row
from tests.servers.broker import use_broker
from verification.checks.services import runs

HOUR = timedelta(hours=1)


@pytest.fixture(params=["closed", "silent"])
def unavailable_redis(request: pytest.FixtureRequest, settings: Any) -> Iterator[str]:
    """URL of a Redis that is stopped, or that accepts connections and never answers."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))  # refuses connections until it listens
    address = f"redis://127.0.0.1:{listener.getsockname()[1]}/0"
    if request.param == "silent":
        listener.listen()
    settings.CACHES = {"default": {"BACKEND": "portal.core.cache.FaultTolerantRedisCache", "LOCATION": address}}
    settings.REDIS_URL = address
    FaultTolerantRedisCache.retry_at = 0.0
    with use_broker(address, broker_transport_options=settings.CELERY_BROKER_TRANSPORT_OPTIONS):
        yield address
    FaultTolerantRedisCache.retry_at = 0.0
    listener.close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.postgres
def test_breach_is_found_and_reported(rocket: Integration, unavailable_redis: str) -> None:
    now = timezone.now()
    create_clock_row(create_issue_row(create_repository_row(rocket, now), 1, now - 49 * HOUR), now - HOUR)
    for job in JOBS:
        run_job(job, now)
    assert (SlaBreach.objects.count(), EmailMessage.objects.filter(name="issues_breached").count()) == (1, 2)


@pytest.mark.django_db(transaction=True)
@pytest.mark.postgres
def test_pages_answer_without_redis(rocket: Integration, alice: User, unavailable_redis: str) -> None:
    browser = Client()
    sign_in = {"login": alice.email, "password": PASSWORD}
    assert browser.post(reverse("account_login"), sign_in).status_code == 302
    assert browser.get(reverse("submissions:detail", args=[rocket.uuid])).status_code == 200


@pytest.mark.django_db(transaction=True)
@pytest.mark.postgres
def test_checks_are_requested_without_redis(
    rocket: Integration, alice: User, unavailable_redis: str, caplog: pytest.LogCaptureFixture
) -> None:
    run = runs.request_check_run(rocket, alice, timezone.now())
    assert run
    assert "Jobs that could not be published and start later: 1." in caplog.text


@pytest.mark.parametrize("unavailable_redis", ["closed"], indirect=True)
def test_cache_without_redis_stores_nothing_and_raises_nothing(unavailable_redis: str) -> None:
    assert (cache.add("k", 1), cache.get("k", "unknown"), cache.get_many(["k"])) == (True, "unknown", {})
    assert (cache.set("k", 1), cache.has_key("k"), cache.delete("k")) == (None, False, False)  # type: ignore[func-returns-value]
    with pytest.raises(ValueError, match="not found"):
        cache.incr("k")


def test_cache_with_redis_stores_values(settings: Any) -> None:
    if not settings.REDIS_URL:
        pytest.skip("needs a real Redis")
    settings.CACHES = {
        "default": {"BACKEND": "portal.core.cache.FaultTolerantRedisCache", "LOCATION": settings.REDIS_URL}
    }
    cache.set("k", {"a": 1})
    assert (cache.get("k"), cache.add("k", 2), cache.incr("n") if cache.add("n", 1) else 0) == ({"a": 1}, False, 2)
    cache.delete_many(["k", "n"])
    assert cache.get("k") is None
