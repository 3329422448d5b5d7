"""Tests of the directory's search: parts of names in any script, counts of filters, and invalid parameters."""

import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from hypothesis import HealthCheck, given, settings, strategies as st

from integrations.partners.models import Partner
from integrations.submissions.models import Integration
from portal.core.name_matching import normalize_text
from portal.directory import facets, search
from portal.directory.models import Listing
from portal.directory.services import join_platforms
from tests.conftest import NOW

# name, company, program, category, tier, listing status, platforms, share on time, number of targets
LISTINGS = (
    ("Žluté Rakety", "Acme", "terraform-provider", "networking", "partner", "listed", ("linux_amd64",), 90.0, 20),
    ("Rocket scan", "Acme", "terraform-run-task", "audit", "verified", "listed", (), None, 0),
    ("Old Rocket", "Globex", "nomad", "storage", "", "delisted", (), None, 0),
    ("Proxy", "Globex", "terraform-provider", "networking", "", "suspended", ("linux_amd64", "darwin_arm64"), 40.0, 5),
    ("Volumes", "Globex", "nomad", "storage", "verified", "listed", ("linux_amd64",), 100.0, 2),
)
INVALID_VALUES = st.text(max_size=60) | st.sampled_from(
    ["%", "_", "\\", "'", "\x00", "-1", "../..", "ß", "İ", "9" * 400]
)


@pytest.fixture
def listings(acme: Partner, globex: Partner) -> None:
    for number, (name, company, program, category, tier, listing_status, platforms, share, settled_count) in enumerate(
        LISTINGS
    ):
        partner = acme if company == "Acme" else globex
        fields = {"program_key": program, "edition_date": "2026-06", "step": "support", "responsible_party": "portal"}
        row = Integration.objects.create(
            partner=partner, name=name, stage="support", created_at=NOW, released_at=NOW, **fields
        )
        rank = round(share * 10) if share is not None and settled_count >= 5 else -1
        Listing.objects.create(
            integration=row,
            uuid=row.uuid,
            partner=partner,
            publisher=company,
            publisher_slug=partner.slug,
            name=name,
            name_plain=normalize_text(name),
            program=program,
            product=program.split("-")[0].capitalize(),
            category=category,
            category_name=category.capitalize(),
            tier=tier,
            tier_name=tier.capitalize(),
            listing_status=listing_status,
            track={"terraform-provider": "infrastructure", "terraform-run-task": "workflow"}.get(program, ""),
            summary="It flies.",
            search_text=normalize_text(f"{name} {company} {category}"),
            is_public=True,
            listed_at=NOW + timedelta(days=number),
            changed_at=NOW,
            on_time_share=share,
            settled_count=settled_count,
            rank=rank,
            figures_at=NOW,
            platforms=join_platforms(platforms),
        )


def list_names(**query: str) -> list[str]:
    return [row.name for row in search.list_listings(search.parse_filters(query))]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, ["Volumes", "Proxy", "Rocket scan", "Žluté Rakety"]),
        ({"q": "zlute"}, ["Žluté Rakety"]),
        ({"q": "ŽLUTÉ rak"}, ["Žluté Rakety"]),
        ({"q": "ock"}, ["Rocket scan"]),
        ({"q": "globex storage"}, ["Volumes"]),
        ({"q": "%"}, []),
        ({"listing_status": "former"}, ["Old Rocket"]),
        ({"listing_status": "any", "q": "rocket"}, ["Rocket scan", "Old Rocket"]),
        ({"listing_status": "any", "q": "rocket", "sort": "best"}, ["Rocket scan", "Old Rocket"]),
        ({"listing_status": "any", "q": "rocket", "sort": "newest"}, ["Old Rocket", "Rocket scan"]),
        ({"listing_status": "any", "q": "o"}, ["Old Rocket", "Proxy", "Rocket scan", "Volumes", "Žluté Rakety"]),
        ({"listing_status": "any", "q": "r"}, ["Rocket scan", "Old Rocket", "Žluté Rakety", "Proxy", "Volumes"]),
        ({"listing_status": "suspended"}, ["Proxy"]),
        ({"listing_status": "listed", "product": "Terraform"}, ["Rocket scan", "Žluté Rakety"]),
        ({"track": "workflow"}, ["Rocket scan"]),
        ({"track": "infrastructure"}, ["Proxy", "Žluté Rakety"]),
        ({"tier": "verified"}, ["Volumes", "Rocket scan"]),
        ({"platform": "darwin_arm64"}, ["Proxy"]),
        ({"partner": "acme", "program": "terraform-provider"}, ["Žluté Rakety"]),
        ({"sort": "name"}, ["Proxy", "Rocket scan", "Volumes", "Žluté Rakety"]),
        ({"sort": "support"}, ["Žluté Rakety", "Proxy", "Volumes", "Rocket scan"]),
        (
            {"program": "no-such", "sort": "?", "listing_status": "?"},
            ["Volumes", "Proxy", "Rocket scan", "Žluté Rakety"],
        ),
    ],
)
def test_filters_select_listings(listings: None, query: dict[str, str], expected: list[str]) -> None:
    assert list_names(**query) == expected


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"q": "rocket"},
        {"program": "terraform-provider"},
        {"platform": "linux_amd64"},
        {"listing_status": "any", "track": "infrastructure"},
    ],
)
def test_each_count_is_the_number_of_results_of_its_option(listings: None, query: dict[str, str]) -> None:
    count, options_by_name = facets.count_facets(search.parse_filters(query))
    assert count == len(list_names(**query))
    for name, options in options_by_name.items():
        for option in options:
            assert (name, option.value, option.count) == (
                name,
                option.value,
                len(list_names(**query | {name: option.value})),
            )


def test_each_option_has_a_readable_label(listings: None) -> None:
    _, options_by_name = facets.count_facets(search.parse_filters({"listing_status": "any"}))
    labels = {name: [option.label for option in options] for name, options in options_by_name.items()}
    assert labels["listing_status"] == [label for label, _statuses in search.STATUS_FILTERS.values()]
    assert labels["track"] == ["Infrastructure partners", "Workflow partners"]
    assert labels["program"] == ["Nomad", "Terraform provider", "Terraform run task"]
    assert labels["platform"] == ["Linux amd64", "macOS arm64"]


def test_page_keeps_its_filters_in_the_url(listings: None, client: Client) -> None:
    page = client.get("/directory/?q=o&program=terraform-provider")
    assert 'href="?q=o&amp;program=terraform-provider&amp;listing_status=suspended"' in page.text
    assert 'href="?q=o"' in page.text
    assert '<input type="hidden" form="directory-search" name="program" value="terraform-provider">' in page.text
    assert page["Cache-Control"] == "no-cache"


def test_page_of_a_partner_names_it_and_links_to_all_listings(listings: None, client: Client) -> None:
    page = BeautifulSoup(client.get("/directory/?q=o&partner=acme").content, "html.parser")
    link = page.select_one("#f-partner a")
    assert link is not None
    assert (link["href"], " ".join(link.get_text(" ").split())) == (
        "?q=o",
        f"Acme {len(list_names(q='o', partner='acme'))}",
    )
    assert page.select_one("#f-partner summary").get_text() == "Partner"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ['value="" selected>Newest first', 'value="name">', 'value="support">']),
        ("?sort=newest", ['value="" selected>Newest first', 'value="name">', 'value="support">']),
        ("?q=o", ['value="" selected>Best match', 'value="newest">Newest first', 'value="name">', 'value="support">']),
        ("?q=o&sort=newest", ['value="">Best match', 'value="newest" selected>', 'value="name">', 'value="support">']),
    ],
)
def test_default_order_is_blank_and_depends_on_the_query(
    listings: None, client: Client, query: str, expected: list[str]
) -> None:
    for headers in ({}, {"HX-Request": "true", "HX-Trigger": "directory-search"}):
        page = client.get(f"/directory/{query}", headers=headers)
        assert page.text.count('id="directory-sort"') == 1
        options = page.text.partition('id="directory-sort"')[2].partition("</select>")[0].split("<option ")[1:]
        assert [option.startswith(begins) for option, begins in zip(options, expected, strict=True)] == [True] * len(
            expected
        )


def test_url_after_typing_has_no_blank_fields(listings: None, client: Client) -> None:
    htmx_headers = {"HX-Request": "true", "HX-Trigger": "directory-search"}
    assert client.get("/directory/?q=scan&sort=", headers=htmx_headers)["HX-Replace-Url"] == "/directory/?q=scan"
    assert client.get("/directory/?q=&sort=", headers=htmx_headers)["HX-Replace-Url"] == "/directory/"
    assert "HX-Replace-Url" not in client.get("/directory/?q=scan", headers={"HX-Request": "true"})


def test_typing_replaces_only_the_results(listings: None, client: Client) -> None:
    part = client.get("/directory/?q=proxy", headers={"HX-Request": "true"}).text
    assert "<html" not in part
    count = re.search(r'<p id="result-count"[^>]* hx-swap-oob="true">(.*?)</p>', part, re.S)
    assert count
    assert count[1].split() == ["1", "integration", "for", "“proxy”"]
    whole = client.get("/directory/", headers={"HX-Request": "true", "HX-History-Restore-Request": "true"}).text
    assert "<html" in whole
    assert whole.count('id="result-count"') == 1


def test_directory_needs_two_queries(listings: None, client: Client, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(2):
        client.get("/directory/?q=o&platform=linux_amd64&sort=support")


@given(query=st.dictionaries(st.sampled_from([*search.ListingFilters.__dataclass_fields__, "page"]), INVALID_VALUES))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_invalid_parameters_show_a_page(listings: None, client: Client, query: dict[str, str]) -> None:
    assert client.get(f"/directory/?{urlencode(query, errors='replace')}").status_code == 200


def test_data_of_a_listing_has_all_fields(listings: None, settings: Any) -> None:
    settings.SITE_URL = "https://portal.example"
    row = Listing.objects.get(name="Proxy")
    data = search.serialize_listing(row)
    assert data["url"] == f"https://portal.example/directory/{row.uuid}/"
    assert (data["listing_status"]["key"], data["tier"], data["track"]) == ("suspended", None, "infrastructure")
    assert (data["support"]["on_time_share"], data["support"]["has_enough_data"]) == (40.0, True)
    assert data["program"] == {"key": "terraform-provider", "name": "Terraform provider"}


def test_list_shows_the_same_status_as_the_listing_page(listings: None, client: Client) -> None:
    page = client.get("/directory/", {"listing_status": "any", "q": "Old Rocket"})
    badge = BeautifulSoup(page.content, "html.parser").select_one(".listing-marks .badge")
    assert badge.get_text(strip=True) == "No longer listed"


def test_partner_without_a_listing_has_no_page(listings: None, client: Client) -> None:
    now = NOW
    Partner.objects.create(name="Quiet", slug="quiet", domain="quiet.example", created_at=now)
    assert client.get("/partners/quiet/").status_code == 404
    page = client.get("/partners/globex/").text
    assert page.index("Volumes") < page.index("No longer listed") < page.index("Old Rocket")
    assert client.get(f"/directory/{uuid4()}/").status_code == 404


def test_run_tasks_have_one_card_per_partner(listings: None, client: Client) -> None:
    Listing.objects.filter(program="terraform-run-task").update(blurb="Scans plans.\nStops what is open.")
    page = client.get("/run-tasks/").text
    assert page.count('class="task-card"') == 1
    assert "Scans plans.<br>Stops what is open." in page
    Listing.objects.filter(program="terraform-run-task").update(listing_status="suspended")
    assert "No run tasks yet" in client.get("/run-tasks/").text
