"""Tests that badges are current within a minute and the same for everyone."""

import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from integrations.sla.models import MonitoredRepository
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform_transition
from portal.directory.badges import rendering
from portal.directory.badges.glyph_widths import measure_text, truncate_text
from portal.directory.models import Listing
from tests.portal.directory.badges.sample_status import build_status
from tests.wcag import compute_contrast, decode_hex

pytestmark = pytest.mark.any_database

DAY = timedelta(days=1)
SVG = "{http://www.w3.org/2000/svg}"
SHOWN_ON = date(2026, 4, 14)
KEY_ADDRESS = "/.well-known/badge-keys/unknown.pem"
FORMS = ("badge.svg", "badge.svg?style=large", "badge.json", "badge.shields.json", "statement.json", "statement.jws")


def list_texts(svg: str) -> list[str]:
    return [str(each.text) for each in ET.fromstring(svg).iter(f"{SVG}text")]


@pytest.fixture
def provider_with_status(
    integration_at: Callable[..., Integration], alice: Any, rita: Any, rob: Any, now: datetime
) -> Callable[..., Integration]:
    """Return a function that brings a Terraform provider into a listing status through the services."""
    steps: dict[str, list[tuple[str, Any, int]]] = {
        "listed": [],
        "on_notice": [("issue_notice", rita, 0)],
        "suspended": [("issue_notice", rita, 0), ("suspend", rob, 30)],
        "delisted": [("issue_notice", rita, 0), ("suspend", rob, 30), ("delist", rita, 90)],
        "unlisted": [("downgrade_to_community", alice, 0)],
        "ended": [("archive", alice, 0)],
    }

    def reach(listing_status: str) -> Integration:
        row = integration_at("support", program="terraform-provider")
        MonitoredRepository.objects.filter(integration=row).update(data_up_to=now + 3650 * DAY)
        for step, by, after in steps[listing_status]:
            perform_transition(
                Integration.objects.get(pk=row.pk), step, actor=by, note="Because.", now=now + DAY * after
            )
        return Integration.objects.select_related("partner").get(pk=row.pk)

    return reach


@pytest.mark.parametrize(
    ("listing_status", "key", "word", "tier"),
    [
        ("listed", "listed", "Verified", "verified"),
        ("on_notice", "listed", "Verified", "verified"),
        ("suspended", "suspended", "Suspended", None),
        ("delisted", "delisted", "No longer listed", None),
        ("unlisted", "community", "Community", None),
        ("ended", "ended", "No longer supported", None),
    ],
)
def test_badge_shows_every_listing_status(
    provider_with_status: Any, client: Client, listing_status: str, key: str, word: str, tier: str | None
) -> None:
    page = f"/directory/{provider_with_status(listing_status).uuid}/"
    svg = client.get(f"{page}badge.svg").text
    assert list_texts(svg) == ["Terraform provider", word]
    assert (rendering.GOOD_COLOR in svg) == (key == "listed")
    full = client.get(f"{page}badge.json").json()
    assert (full["listing_status"]["key"], full["tier"] and full["tier"]["key"]) == (key, tier)
    assert bool(full["support"]) == (key == "listed")
    shields = client.get(f"{page}badge.shields.json").json()
    assert (shields["schemaVersion"], shields["label"], shields["message"]) == (1, "Terraform provider", word)


def test_badge_json_has_the_times_of_both_clocks(provider_with_status: Any, client: Client) -> None:
    row = provider_with_status("listed")
    times = {"median_hours": 3.5, "response_count": 2, "median_resolution_hours": 30, "resolution_count": 1}
    Listing.objects.filter(integration=row).update(**times)
    support = client.get(f"/directory/{row.uuid}/badge.json").json()["support"]
    names = ("median_hours_to_first_response", "responses", "median_hours_to_resolution", "resolutions")
    assert [support[name] for name in names] == list(times.values())


@pytest.mark.parametrize(
    ("program", "changes", "line"),
    [
        ("consul", {}, "Median first response 3.5 h · resolution 30.0 h"),
        ("consul", {"resolution_count": 4}, "Median first response 3.5 h"),
        ("consul", {"response_count": 4, "resolution_count": 4}, None),
        ("consul", {"measured_target": ""}, None),
        ("terraform-provider", {}, "Median resolution 30.0 h"),
    ],
)
def test_card_shows_the_clocks_of_the_program(
    integration_at: Any, client: Client, program: str, changes: dict[str, object], line: str | None
) -> None:
    row = integration_at("support", program=program)
    times = {"median_hours": 3.5, "response_count": 5, "median_resolution_hours": 30, "resolution_count": 5}
    Listing.objects.filter(integration=row).update(**times | {"measured_target": "Partners respond."} | changes)
    svg = client.get(f"/directory/{row.uuid}/badge.svg?style=large").text
    title = ET.fromstring(svg).findtext(f"{SVG}title") or ""
    assert [text for text in list_texts(svg) if text.startswith("Median")] == [line] * bool(line)
    assert (f". {line}, on" in title) == bool(line)


def test_suspended_listing_shows_no_clocks(provider_with_status: Any, client: Client) -> None:
    row = provider_with_status("suspended")
    Listing.objects.filter(integration=row).update(
        median_resolution_hours=30, resolution_count=9, measured_target="Text."
    )
    assert "Median" not in client.get(f"/directory/{row.uuid}/badge.svg?style=large").text


def test_badge_has_the_end_date_of_support(
    provider_with_status: Any, alice: Any, client: Client, now: datetime
) -> None:
    row = provider_with_status("listed")
    perform_transition(row, "archive", actor=alice, note="Because.", now=now + 5 * DAY)
    since = client.get(f"/directory/{row.uuid}/badge.json").json()["listing_status"]["began_at"]
    assert datetime.fromisoformat(since) == now + 5 * DAY
    assert Listing.objects.get(integration=row).listing_status_since == now + 5 * DAY


def test_badge_does_not_reveal_the_date_of_a_notice(
    provider_with_status: Any, client: Client, rita: Any, rob: Any, now: datetime
) -> None:
    row = provider_with_status("listed")

    def get_since_after(step: str, by: Any, days: int) -> datetime:
        perform_transition(Integration.objects.get(pk=row.pk), step, actor=by, note="Because.", now=now + days * DAY)
        status = client.get(f"/directory/{row.uuid}/badge.json").json()["listing_status"]
        return datetime.fromisoformat(status["began_at"])

    since = row.released_at.replace(microsecond=0)
    assert get_since_after("issue_notice", rita, 1) == since
    assert get_since_after("withdraw_notice", rob, 2) == since
    assert get_since_after("issue_notice", rita, 3) == since
    assert get_since_after("suspend", rob, 33) == now + 33 * DAY
    assert get_since_after("reinstate", rita, 40) == now + 40 * DAY
    assert get_since_after("issue_notice", rita, 50) == now + 40 * DAY


def test_unlisted_integration_has_no_badge(integration_at: Any, client: Client) -> None:
    page = f"/directory/{integration_at('review').uuid}/"
    assert [client.get(page + form).status_code for form in FORMS] == [404] * len(FORMS)


@pytest.mark.parametrize("address", ["/directory/00000000-0000-4000-8000-000000000000/badge.json", KEY_ADDRESS])
def test_other_sites_can_read_why_a_file_is_not_found(db: None, client: Client, address: str) -> None:
    answer = client.get(address)
    assert (answer.status_code, answer["Content-Type"]) == (404, "text/plain; charset=utf-8")
    assert (answer["Access-Control-Allow-Origin"], "Vary" in answer) == ("*", False)
    assert answer.text == ("Key not found.\n" if address == KEY_ADDRESS else "This integration was never listed.\n")


@pytest.mark.parametrize("form", FORMS)
def test_files_are_cached_for_30_seconds_and_equal_for_all_readers(
    integration_at: Any, client: Client, form: str
) -> None:
    address = f"/directory/{integration_at('support').uuid}/{form}"
    answer = client.get(address)
    assert answer["Cache-Control"] == "public, max-age=30, must-revalidate"
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert ("Vary" in answer, answer.cookies.output()) == (False, "")
    again = client.get(address, headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_badge_urls_refuse_post(integration_at: Any, client: Client) -> None:
    assert client.post(f"/directory/{integration_at('support').uuid}/badge.svg").status_code == 405


@pytest.mark.parametrize("style", rendering.RENDERERS_BY_STYLE)
def test_svg_has_a_text_alternative(style: str) -> None:
    svg = ET.fromstring(rendering.RENDERERS_BY_STYLE[style](build_status(), SHOWN_ON))
    assert svg.attrib["role"] == "img"
    assert svg.find(f"{SVG}title").attrib["id"] == svg.attrib["aria-labelledby"]  # type: ignore[union-attr]
    assert svg.findtext(f"{SVG}title") == "Rocket by Acme: Verified in the Nomad program, on Apr 14, 2026"


@pytest.mark.parametrize("style", rendering.RENDERERS_BY_STYLE)
def test_svg_has_no_scripts_and_no_external_references(style: str) -> None:
    svg = ET.fromstring(rendering.RENDERERS_BY_STYLE[style](build_status(), SHOWN_ON))
    assert {each.tag.removeprefix(SVG) for each in svg.iter()} <= {
        "svg",
        "title",
        "clipPath",
        "g",
        "rect",
        "path",
        "text",
    }
    names = {name for each in svg.iter() for name in each.attrib}
    assert not [name for name in names if name.startswith("on") or "href" in name or name == "style"]


@pytest.mark.parametrize("ground", [rendering.GOOD_COLOR, rendering.NEUTRAL_COLOR, rendering.INK_COLOR])
def test_text_of_a_badge_is_legible(ground: str) -> None:
    assert compute_contrast(decode_hex(rendering.PAPER_COLOR), decode_hex(ground)) >= 6
    assert compute_contrast(decode_hex(rendering.QUIET_COLOR), decode_hex(rendering.INK_COLOR)) >= 7


@pytest.mark.parametrize("page", ["#ffffff", "#0d1117"])
def test_edge_of_a_badge_is_visible_on_light_and_dark_pages(page: str) -> None:
    assert compute_contrast(decode_hex(rendering.EDGE_COLOR), decode_hex(page)) >= 3


def test_text_stays_within_the_badge() -> None:
    wide = build_status(integration="W" * 80, partner="社" * 80, program="Terraform run task", tier="Partner Premier")
    wide = replace(wide, support="Median first response 1234.5 h · resolution 12345.6 h")
    for draw in rendering.RENDERERS_BY_STYLE.values():
        svg = ET.fromstring(draw(wide, SHOWN_ON))
        for text in svg.iter(f"{SVG}text"):
            assert float(text.attrib["x"]) + float(text.attrib["textLength"]) < float(svg.attrib["width"])


def test_widths_are_those_of_helvetica() -> None:
    assert measure_text("Verified", 10) == 33.9
    assert measure_text("Verified", 10, bold=True) == 36.7
    assert measure_text("é", 10) == measure_text("e", 10)
    assert truncate_text("Rocket", 10, 24) == "Ro…"
    assert truncate_text("Rocket", 10, 100) == "Rocket"
