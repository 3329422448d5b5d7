"""Tests of the feeds (same entries, stable IDs, status 304), the sitemap, and robots.txt."""

import json
import re
import xml.etree.ElementTree as ET
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.db.models.signals import pre_save
from django.test import Client

from integrations.sla.models import MonitoredRepository
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform_transition
from portal.directory import feeds, services
from portal.directory.feeds import parse_moment
from portal.directory.models import Listing, ListingChange

pytestmark = pytest.mark.any_database

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def listed_integration(integration_at: Any, alice: Any) -> Integration:
    return integration_at("support")


def list_items(client: Client, query: str = "") -> list[dict[str, Any]]:
    return list(client.get(f"/feeds/directory.json{query}").json()["items"])


def test_both_feeds_have_the_same_entries_newest_first(
    listed_integration: Integration, alice: Any, now: Any, client: Client
) -> None:
    perform_transition(listed_integration, "archive", actor=alice, note="Replaced.", now=now + timedelta(days=1))
    feed_items = list_items(client)
    assert [(item["title"], item["tags"][0]) for item in feed_items] == [
        ("Support ended: Rocket by Acme", "ended"),
        ("New: Rocket by Acme", "new"),
    ]
    root = ET.fromstring(client.get("/feeds/directory.atom").content)
    entries = root.findall(f"{ATOM}entry")
    assert [entry.findtext(f"{ATOM}id") for entry in entries] == [item["id"] for item in feed_items]
    assert [entry.findtext(f"{ATOM}title") for entry in entries] == [item["title"] for item in feed_items]
    assert list_items(client) == feed_items


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("?program=nomad", 1),
        ("?program=vault", 0),
        ("?partner=acme", 1),
        ("?partner=globex", 0),
        ("?since=2026-04-14", 1),
        ("?since=2026-04-15T00:00:00Z", 0),
        ("?since=yesterday", 1),
        ("?since=2026-99-99", 1),
        ("?program=%00&since=9999999-01-01", 1),
    ],
)
def test_feed_is_filtered(listed_integration: Integration, client: Client, query: str, count: int) -> None:
    assert len(list_items(client, query)) == count


def test_moment_without_a_zone_is_in_utc() -> None:
    assert str(parse_moment("2026-04-14T09:00:00")) == "2026-04-14 09:00:00+00:00"
    assert str(parse_moment("2026-4-5")) == "2026-04-05 00:00:00+00:00"
    assert str(parse_moment("2026-04-14T09:00:00 02:00")) == "2026-04-14 09:00:00+02:00"
    assert [parse_moment(text) for text in ("", "0001-01-01", "soon")] == [None, None, None]


def test_earlier_changes_are_on_further_pages(
    listed_integration: Integration, now: Any, client: Client, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.SITE_URL = "https://portal.example"
    monkeypatch.setattr(feeds, "MAX_ENTRIES", 2)
    row = Listing.objects.get()
    for number in range(4):  # pairs with the same time
        at = now + timedelta(days=number // 2)
        ListingChange.objects.create(listing=row, kind="changed", summary=f"Change {number}.", at=at)
    for form, read in (("json", read_json_page), ("atom", read_atom_page)):
        address = f"/feeds/directory.{form}?partner=acme&since=2026-01-01"
        feed_items = []
        while address:
            entries, following = read(client.get(address).content)
            assert len(entries) <= 2
            feed_items += entries
            own = f"https://portal.example/feeds/directory.{form}?partner=acme&since=2026-01-01&before="
            assert following.startswith(own) or not following
            address = following.removeprefix("https://portal.example")
        assert feed_items == ["Change 3.", "Change 2.", "Listed by the Nomad program.", "Change 1.", "Change 0."]


def test_id_of_a_feed_depends_only_on_its_filters(db: None, client: Client, settings: Any) -> None:
    settings.SITE_URL = "https://portal.example"
    filters = ("program=nomad&partner=acme", "partner=acme&program=nomad")
    queries = (*filters, "utm_source=x&since=&partner=acme&program=nomad")
    feed_ids = [
        ET.fromstring(client.get(f"/feeds/directory.atom?{query}").content).findtext(f"{ATOM}id") for query in queries
    ]
    assert feed_ids == ["https://portal.example/feeds/directory.atom?program=nomad&partner=acme"] * len(queries)


def read_json_page(content: bytes) -> tuple[list[str], str]:
    page = json.loads(content)
    return [item["content_text"] for item in page["items"]], page.get("next_url", "")


def read_atom_page(content: bytes) -> tuple[list[str], str]:
    root = ET.fromstring(content)
    following = [link.get("href", "") for link in root.findall(f"{ATOM}link") if link.get("rel") == "next"]
    return [entry.findtext(f"{ATOM}summary", "") for entry in root.findall(f"{ATOM}entry")], "".join(following)


@pytest.mark.parametrize(
    "before", ["", "_", "2026-04-14", "2026-04-14_x", "2026-04-14_²", f"2026-04-14_{'9' * 40}", "x_1"]
)
def test_invalid_page_is_the_first_page(listed_integration: Integration, client: Client, before: str) -> None:
    assert len(list_items(client, f"?before={before}")) == 1


@pytest.mark.parametrize("address", ["/feeds/directory.atom", "/feeds/directory.json"])
def test_unchanged_feed_is_not_modified(
    listed_integration: Integration, alice: Any, now: Any, client: Client, address: str
) -> None:
    first = client.get(address)
    assert first["Cache-Control"] == "public, max-age=30, must-revalidate"
    assert client.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 304
    assert client.get(address, headers={"If-Modified-Since": first["Last-Modified"]}).status_code == 304
    perform_transition(listed_integration, "archive", actor=alice, note="Replaced.", now=now + timedelta(days=1))
    assert client.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 200
    assert client.get(address, headers={"If-Modified-Since": first["Last-Modified"]}).status_code == 200


@pytest.mark.parametrize(
    "address",
    ["/feeds/directory.atom", "/feeds/directory.json", "/sitemap.xml", "/robots.txt", "/api/openapi.json"],
)
def test_response_for_shared_caches_does_not_depend_on_the_session(
    sign_in: Any, alice: Any, client: Client, address: str
) -> None:
    answers = [client.get(address), sign_in(alice).get(address)]
    assert answers[0].content == answers[1].content
    for answer in answers:
        assert ("public" in answer["Cache-Control"], "Cookie" in answer.get("Vary", "")) == (True, False)


def test_sitemap_contains_current_listings(
    listed_integration: Integration, alice: Any, now: Any, client: Client
) -> None:
    address = f"/directory/{listed_integration.uuid}/"
    index = client.get("/sitemap.xml").text
    sections = ("pages", "listings", "partners")
    assert re.findall(r"<loc>http://testserver(.*?)</loc>", index) == [f"/sitemap-{name}.xml" for name in sections]
    text = "".join(client.get(f"/sitemap-{name}.xml").text for name in sections)
    assert address in text
    assert "/partners/acme/" in text
    for page in (
        "/",
        "/help/glossary/",
        "/help/checks/release.signature/",
        "/status/",
        "/verify/",
        "/programs/choose/nomad/",
    ):
        assert f"{page}</loc>" in text
    perform_transition(listed_integration, "archive", actor=alice, note="Replaced.", now=now)
    assert address not in client.get("/sitemap-listings.xml").text
    assert "Sitemap: http" in client.get("/robots.txt").text


def test_undone_end_of_support_is_no_second_suspension(
    listed_integration: Integration, alice: Any, rita: Any, rob: Any, now: Any, client: Client
) -> None:
    later = now + timedelta(days=31)
    MonitoredRepository.objects.update(data_up_to=later)
    for name, actor, at in (
        ("issue_notice", rita, now),
        ("suspend", rob, later),
        ("archive", alice, later + timedelta(minutes=1)),
        ("undo_decision", alice, later + timedelta(minutes=2)),
    ):
        perform_transition(listed_integration, name, actor=actor, note="Reason.", now=at)
    assert [(item["title"], item["content_text"]) for item in list_items(client)][:3] == [
        ("Changed: Rocket by Acme", "The partner undid the end of support. The listing status is “Suspended” again."),
        ("Support ended: Rocket by Acme", "The partner ended support."),
        (
            "Suspended: Rocket by Acme",
            "The program suspended this integration because the partner missed its support commitment or the ownership"
            " changed.",
        ),
    ]


def test_feeds_with_special_characters_are_well_formed(listed_integration: Integration, client: Client) -> None:
    Listing.objects.update(name="<b>&]]>", publisher="O’“Brien” & Söhne")
    assert list_items(client)[0]["title"] == "New: <b>&]]> by O’“Brien” & Söhne"
    ET.fromstring(client.get("/feeds/directory.atom").content)


def test_summary_is_text_in_both_feeds(listed_integration: Integration, client: Client) -> None:
    ListingChange.objects.update(summary="Renamed to <b>A&B</b>.")
    root = ET.fromstring(client.get("/feeds/directory.atom").content)
    summary = root.find(f"{ATOM}entry/{ATOM}summary")
    assert list_items(client)[0]["content_text"] == "Renamed to <b>A&B</b>."
    assert summary is not None
    assert (summary.get("type"), unescape(summary.text or "")) == ("html", "Renamed to <b>A&B</b>.")
    assert "<b>" not in (summary.text or "")


def test_pages_of_an_atom_feed_share_an_id_and_filtered_feeds_do_not(
    listed_integration: Integration, client: Client, settings: Any
) -> None:
    settings.SITE_URL = "https://portal.example"
    address = "/feeds/directory.atom"
    queries = ("", "?before=2030-01-01_9", "?program=nomad", "?program=nomad&before=2030-01-01_9")
    ids = [ET.fromstring(client.get(f"{address}{query}").content).findtext(f"{ATOM}id") for query in queries]
    own_id = f"https://portal.example{address}"
    assert ids == [own_id, own_id, f"{own_id}?program=nomad", f"{own_id}?program=nomad"]


def test_private_change_keeps_the_time_of_a_release_found_meanwhile(integration_at: Any, now: Any) -> None:
    integration = integration_at("support")
    later = now + timedelta(hours=1)

    def record_release(**_: Any) -> None:
        Listing.objects.update(version="1.1.0", changed_at=later)

    pre_save.connect(record_release, sender=Listing)  # between the read and the update
    services.refresh_listing(Integration.objects.get(pk=integration.pk), now)
    pre_save.disconnect(record_release, sender=Listing)
    listing = Listing.objects.get()
    assert (listing.version, listing.changed_at) == ("1.1.0", later)
