"""The drill: after a suspension and a removal, who still sees the old badge a minute later? Nobody."""

import base64
import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from integrations.sla.models import Watch
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform
from portal.directory.badges import signing_keys
from portal.directory.badges.statements import Verdict, verify

DAY, MINUTE = timedelta(days=1), timedelta(seconds=60)
OLDEST = timedelta(seconds=60)
FORMS = ("badge.svg", "badge.svg?style=large", "badge.json", "badge.shields.json", "statement.json", "", "badge/")


class Cache:
    """Somebody's cache, that keeps as long as it may and then asks whether it is still so."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.kept: dict[str, tuple[datetime, timedelta, Any]] = {}
        self.revalidated = 0

    def get(self, address: str, at: datetime) -> str:
        """What a reader behind this cache sees at a moment."""
        if address in self.kept:
            since, life, answer = self.kept[address]
            if at - since < life:
                return str(answer.text)
            fresh = self.client.get(address, headers={"If-None-Match": answer.get("ETag", "")})
            if fresh.status_code == 304:
                self.revalidated += 1
                self.kept[address] = (at, life, answer)
                return str(answer.text)
        else:
            fresh = self.client.get(address)
        assert fresh.status_code == 200, address
        self.kept[address] = (at, life_of(fresh), fresh)
        return str(fresh.text)


def life_of(answer: Any) -> timedelta:
    """How long an answer may be kept; one that does not say so is not kept."""
    said = answer.get("Cache-Control", "")
    found = re.search(r"max-age=(\d+)", said)
    if not found:
        return timedelta()
    assert "must-revalidate" in said
    return timedelta(seconds=int(found[1]))


def claims(statement: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(base64.urlsafe_b64decode(json.loads(statement)["payload"] + "=="))
    return told


@pytest.fixture
def drill(
    at: Any, rita: Any, rob: Any, now: datetime, client: Client
) -> tuple[Integration, Cache, Callable[..., None]]:
    """A listed provider, a cache in front of the portal, and take(step, after so many days)."""
    row = at("support", program="terraform-provider")
    Watch.objects.filter(integration=row).update(data_up_to=now + 3650 * DAY)

    def take(step: str, days: int, by: Any) -> None:
        perform(Integration.objects.get(pk=row.pk), step, by=by, note="Because.", now=now + days * DAY)

    return row, Cache(client), take


def test_everybody_sees_it_within_a_minute(drill: Any, rita: Any, rob: Any, now: datetime) -> None:
    row, cache, take = drill
    page = f"/listed/{row.uuid}/"
    before = {form: cache.get(page + form, now) for form in FORMS}
    assert all(life <= OLDEST / 2 for _, life, _ in cache.kept.values())
    assert ("Partner" in before["badge.svg"], claims(before["statement.json"])["standing"]) == (True, "listed")
    take("give_notice", 0, rita)
    unchanged = cache.get(page + "badge.svg", now + MINUTE)
    assert (unchanged, cache.revalidated) == (before["badge.svg"], 1)

    for step, days, by, word, key in (
        ("suspend", 30, rob, "Suspended", "suspended"),
        ("remove", 90, rita, "No longer listed", "removed"),
    ):
        moment = now + days * DAY
        for form in FORMS:
            cache.get(page + form, moment - timedelta(seconds=1))
        take(step, days, by)
        for form in FORMS:
            seen = cache.get(page + form, moment + OLDEST - timedelta(seconds=1))
            if form == "statement.json":
                assert (claims(seen)["standing"], claims(seen)["tier"]) == (key, "")
            elif form == "badge.json":
                assert (json.loads(seen)["standing"]["key"], json.loads(seen)["tier"]) == (key, None)
            else:
                assert word in seen, form
    listed = cache.get("/listed/", now + 90 * DAY + OLDEST)
    assert f"/listed/{row.uuid}/" not in listed


ATOM, JSON = "/feeds/listed.atom", "/feeds/listed.json"
AROUND = ("/partners/acme/", ATOM, JSON, "/sitemap.xml", "/api/v1/directory?standing=any")


def test_whatever_names_it_tells_it_within_a_minute(drill: Any, rita: Any, rob: Any, now: datetime) -> None:
    row, cache, take = drill
    take("give_notice", 0, rita)
    for step, days, by, words in (
        ("suspend", 30, rob, ("Suspended", "Suspended: Rocket", "Suspended: Rocket", row.uuid, '"suspended"')),
        ("remove", 90, rita, ("No longer listed", "Removed: Rocket", "Removed: Rocket", "", '"removed"')),
    ):
        moment = now + days * DAY
        for address in AROUND:
            cache.get(address, moment - timedelta(seconds=1))
        take(step, days, by)
        for address, word in zip(AROUND, words, strict=True):
            assert str(word) in cache.get(address, moment + OLDEST - timedelta(seconds=1)), address
    assert str(row.uuid) not in cache.get("/sitemap.xml", now + 91 * DAY)
    assert all(life <= OLDEST / 2 for _, life, _ in cache.kept.values())


def test_run_task_leaves_its_page_within_a_minute(at: Any, rob: Any, rita: Any, now: datetime, client: Client) -> None:
    row, cache = at("support", program="terraform-run-task"), Cache(client)
    Watch.objects.filter(integration=row).update(data_up_to=now + 3650 * DAY)
    assert row.name in cache.get("/run-tasks/", now)
    perform(row, "give_notice", by=rita, note="Because.", now=now)
    perform(Integration.objects.get(pk=row.pk), "suspend", by=rob, note="Because.", now=now + 30 * DAY)
    assert row.name not in cache.get("/run-tasks/", now + OLDEST)


def test_statement_of_before_ends_by_itself_and_says_where_the_truth_is(
    drill: Any, rita: Any, rob: Any, now: datetime, client: Client
) -> None:
    row, _, take = drill
    old = client.get(f"/listed/{row.uuid}/statement.json").text
    for step, days, by in (("give_notice", 0, rita), ("suspend", 30, rob), ("remove", 90, rita)):
        take(step, days, by)
    issued = datetime.fromtimestamp(claims(old)["iat"], now.tzinfo)
    published = signing_keys.public_keys(client.get("/.well-known/badge-keys.json").json())
    for after, verdict in ((timedelta(minutes=119), Verdict.GENUINE), (timedelta(hours=2), Verdict.EXPIRED)):
        assert verify(old, published, settings.SITE_URL, issued + after).verdict == verdict
    where = claims(old)["now"].removeprefix(settings.SITE_URL)
    assert client.get(where).json()["standing"]["key"] == "removed"
    assert "No longer so" in client.get("/verify/", {"statement": old}).text


def test_key_that_got_out_is_taken_away_at_once(at: Any, client: Client, settings: Any) -> None:
    settings.BADGE_KEYS = ["leaked"]
    old = client.get(f"/listed/{at('support').uuid}/statement.json").text
    settings.BADGE_KEYS = ["fresh", "leaked"]
    assert "it has not expired" in client.get("/verify/", {"statement": old}).text
    settings.BADGE_KEYS = ["fresh"]
    assert "Forged" in client.get("/verify/", {"statement": old}).text
