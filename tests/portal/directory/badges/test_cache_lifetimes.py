"""Tests that no one sees the old badge a minute after a suspension or removal."""

import base64
import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from integrations.sla.models import MonitoredRepository
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform_transition
from portal.directory.badges import signing_keys
from portal.directory.badges.statements import StatementVerdict, verify_statement

pytestmark = pytest.mark.any_database

DAY = timedelta(days=1)
MINUTE = timedelta(seconds=60)
MAX_AGE = timedelta(seconds=60)
FORMS = ("badge.svg", "badge.svg?style=large", "badge.json", "badge.shields.json", "statement.json", "", "badge/")


class Cache:
    """HTTP cache that stores responses as long as allowed and then revalidates them."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.responses: dict[str, tuple[datetime, timedelta, Any]] = {}
        self.revalidated = 0

    def get(self, address: str, at: datetime) -> str:
        """Return the response that a reader behind this cache sees at a time."""
        if address in self.responses:
            since, life, answer = self.responses[address]
            if at - since < life:
                return str(answer.text)
            fresh = self.client.get(address, headers={"If-None-Match": answer.get("ETag", "")})
            if fresh.status_code == 304:
                self.revalidated += 1
                self.responses[address] = (at, life, answer)
                return str(answer.text)
        else:
            fresh = self.client.get(address)
        assert fresh.status_code == 200, address
        self.responses[address] = (at, get_max_age(fresh), fresh)
        return str(fresh.text)


def get_max_age(answer: Any) -> timedelta:
    """Return how long a response may be stored: not at all without a max-age."""
    cache_control = answer.get("Cache-Control", "")
    match = re.search(r"max-age=(\d+)", cache_control)
    if not match:
        return timedelta()
    assert "must-revalidate" in cache_control
    return timedelta(seconds=int(match[1]))


def decode_claims(statement: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(base64.urlsafe_b64decode(json.loads(statement)["payload"] + "=="))
    return data


@pytest.fixture
def listing_with_cache(
    integration_at: Any, rita: Any, rob: Any, now: datetime, client: Client
) -> tuple[Integration, Cache, Callable[..., None]]:
    """Return a listed provider, a cache in front of the portal, and take(step, days)."""
    row = integration_at("support", program="terraform-provider")
    MonitoredRepository.objects.filter(integration=row).update(data_up_to=now + 3650 * DAY)

    def take(step: str, days: int, by: Any) -> None:
        perform_transition(Integration.objects.get(pk=row.pk), step, actor=by, note="Because.", now=now + days * DAY)

    return row, Cache(client), take


def test_cached_badges_and_pages_change_within_a_minute(
    listing_with_cache: Any, rita: Any, rob: Any, now: datetime
) -> None:
    row, cache, take = listing_with_cache
    page = f"/directory/{row.uuid}/"
    before = {form: cache.get(page + form, now) for form in FORMS}
    assert all(life <= MAX_AGE / 2 for _, life, _ in cache.responses.values())
    assert ("Verified" in before["badge.svg"], decode_claims(before["statement.json"])["listing_status"]) == (
        True,
        "listed",
    )
    take("issue_notice", 0, rita)
    cached_badge = cache.get(page + "badge.svg", now + MINUTE)
    assert (cached_badge, cache.revalidated) == (before["badge.svg"], 1)

    for step, days, by, word, key in (
        ("suspend", 30, rob, "Suspended", "suspended"),
        ("delist", 90, rita, "No longer listed", "delisted"),
    ):
        moment = now + days * DAY
        for form in FORMS:
            cache.get(page + form, moment - timedelta(seconds=1))
        take(step, days, by)
        for form in FORMS:
            cached_statement = cache.get(page + form, moment + MAX_AGE - timedelta(seconds=1))
            if form == "statement.json":
                assert (decode_claims(cached_statement)["listing_status"], decode_claims(cached_statement)["tier"]) == (
                    key,
                    "",
                )
            elif form == "badge.json":
                assert (
                    json.loads(cached_statement)["listing_status"]["key"],
                    json.loads(cached_statement)["tier"],
                ) == (
                    key,
                    None,
                )
            else:
                assert word in cached_statement, form
    directory_page = cache.get("/directory/", now + 90 * DAY + MAX_AGE)
    assert f"/directory/{row.uuid}/" not in directory_page


ATOM = "/feeds/directory.atom"
JSON = "/feeds/directory.json"
NEIGHBOR_PAGES = ("/partners/acme/", ATOM, JSON, "/sitemap-listings.xml", "/api/v1/directory?listing_status=any")


def test_feeds_and_pages_change_within_a_minute(listing_with_cache: Any, rita: Any, rob: Any, now: datetime) -> None:
    row, cache, take = listing_with_cache
    take("issue_notice", 0, rita)
    for step, days, by, words in (
        ("suspend", 30, rob, ("Suspended", "Suspended: Rocket", "Suspended: Rocket", row.uuid, '"suspended"')),
        ("delist", 90, rita, ("No longer listed", "Delisted: Rocket", "Delisted: Rocket", "", '"delisted"')),
    ):
        moment = now + days * DAY
        for address in NEIGHBOR_PAGES:
            cache.get(address, moment - timedelta(seconds=1))
        take(step, days, by)
        for address, word in zip(NEIGHBOR_PAGES, words, strict=True):
            assert str(word) in cache.get(address, moment + MAX_AGE - timedelta(seconds=1)), address
    assert str(row.uuid) not in cache.get("/sitemap-listings.xml", now + 91 * DAY)
    assert all(life <= MAX_AGE / 2 for _, life, _ in cache.responses.values())


def test_run_task_disappears_within_a_minute(
    integration_at: Any, rob: Any, rita: Any, now: datetime, client: Client
) -> None:
    row = integration_at("support", program="terraform-run-task")
    cache = Cache(client)
    MonitoredRepository.objects.filter(integration=row).update(data_up_to=now + 3650 * DAY)
    assert row.name in cache.get("/run-tasks/", now)
    perform_transition(row, "issue_notice", actor=rita, note="Because.", now=now)
    perform_transition(Integration.objects.get(pk=row.pk), "suspend", actor=rob, note="Because.", now=now + 30 * DAY)
    assert row.name not in cache.get("/run-tasks/", now + MAX_AGE)


def test_old_statement_expires_and_links_to_the_current_one(
    listing_with_cache: Any, rita: Any, rob: Any, now: datetime, client: Client
) -> None:
    row, _, take = listing_with_cache
    old = client.get(f"/directory/{row.uuid}/statement.json").text
    for step, days, by in (("issue_notice", 0, rita), ("suspend", 30, rob), ("delist", 90, rita)):
        take(step, days, by)
    issued_at = datetime.fromtimestamp(decode_claims(old)["iat"], now.tzinfo)
    public_keys = signing_keys.parse_public_keys(client.get("/.well-known/badge-keys.json").json())
    for after, verdict in (
        (timedelta(minutes=119), StatementVerdict.GENUINE),
        (timedelta(hours=2), StatementVerdict.EXPIRED),
    ):
        assert verify_statement(old, public_keys, settings.SITE_URL, issued_at + after).verdict == verdict
    where = decode_claims(old)["now"].removeprefix(settings.SITE_URL)
    assert client.get(where).json()["listing_status"]["key"] == "delisted"
    assert "Status changed" in client.get("/verify/", {"statement": old}).text


def test_leaked_key_is_removed_immediately(integration_at: Any, client: Client, settings: Any) -> None:
    settings.BADGE_SIGNING_KEYS = ["leaked"]
    old = client.get(f"/directory/{integration_at('support').uuid}/statement.json").text
    settings.BADGE_SIGNING_KEYS = ["fresh", "leaked"]
    assert "it has not expired" in client.get("/verify/", {"statement": old}).text
    settings.BADGE_SIGNING_KEYS = ["fresh"]
    assert "Forged" in client.get("/verify/", {"statement": old}).text
