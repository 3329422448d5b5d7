"""Tests of metadata and compression of public pages."""

import gzip
import json
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.template import Context
from django.test import Client

from integrations.submissions.models import Integration
from portal.directory.models import Listing
from portal.ui.components.head import page_description, page_title

pytestmark = pytest.mark.any_database

PAGES = (
    "/",
    "/directory/",
    "/directory/?product=Nomad",
    "/run-tasks/",
    "/partners/acme/",
    "/programs/",
    "/programs/nomad/",
    "/programs/choose/",
    "/programs/choose/nomad/",
    "/help/getting-started/",
    "/help/",
    "/help/glossary/",
    "/help/checks/",
    "/help/checks/release.signature/",
    "/help/clock/",
    "/help/compliance/",
    "/status/",
    "/verify/",
    "/api/docs",
    "{}",
    "{}badge/",
)


@pytest.fixture
def row(integration_at: Any) -> Integration:
    return integration_at("support")


def read_head(client: Client, address: str) -> BeautifulSoup:
    return BeautifulSoup(client.get(address).text, "html.parser")


def read_metadata(client: Client, address: str) -> Any:
    """Return the structured data of a page."""
    return json.loads(str(read_head(client, address).select('[type="application/ld+json"]')[0].string))


def find_meta(page: BeautifulSoup, name: str) -> list[str]:
    return [str(each["content"]) for each in page.select(f'meta[name="{name}"], meta[property="{name}"]')]


@pytest.mark.parametrize("address", PAGES)
def test_public_page_has_metadata(row: Integration, client: Client, settings: Any, address: str) -> None:
    settings.SITE_URL = "https://portal.example"
    path = address.format(f"/directory/{row.uuid}/")
    page = read_head(client, path)
    whole = f"https://portal.example{path.partition('?')[0]}"
    title = page.title.text.removesuffix(" · Partner portal")  # type: ignore[union-attr]
    assert find_meta(page, "og:title") == [title]
    assert len(title) > 3
    assert find_meta(page, "description") == find_meta(page, "og:description")
    assert [len(each) > 3 for each in find_meta(page, "description")] == [True]
    assert [each["href"] for each in page.select('link[rel="canonical"]')] == [whole]
    assert find_meta(page, "og:url") == [whole]
    assert find_meta(page, "og:image") == ["https://portal.example/static/og.png"]
    top = [link.text.strip() for link in page.select("header.top a")]
    assert top == ["Partner portal", "Directory", "Run tasks", "Programs", "Create account", "Sign in"]


@pytest.mark.parametrize("address", PAGES)
def test_public_page_is_compressed_for_all_readers(row: Integration, client: Client, alice: Any, address: str) -> None:
    path = address.format(f"/directory/{row.uuid}/")
    plain = client.get(path)
    response = client.get(path, headers={"Accept-Encoding": "gzip"})
    assert (plain.get("Content-Encoding", ""), response["Content-Encoding"]) == ("", "gzip")
    assert "Accept-Encoding" in response["Vary"]
    assert len(response.content) < 0.5 * len(gzip.decompress(response.content))


def test_private_page_is_not_compressed(row: Integration, client: Client, alice: Any) -> None:
    client.force_login(alice)
    page = client.get(f"/integrations/{row.uuid}/", headers={"Accept-Encoding": "gzip"})
    assert (page.status_code, page.get("Content-Encoding", "")) == (200, "")
    assert find_meta(BeautifulSoup(page.text, "html.parser"), "og:url") == []


def test_badge_is_the_same_for_everyone(row: Integration, client: Client) -> None:
    for form in ("badge.svg", "badge.json", "statement.json"):
        file = client.get(f"/directory/{row.uuid}/{form}", headers={"Accept-Encoding": "gzip"})
        assert (file.get("Content-Encoding", ""), "Vary" in file) == ("", False)


def test_compressed_feed_is_not_modified(row: Integration, client: Client) -> None:
    feed = client.get("/feeds/directory.json", headers={"Accept-Encoding": "gzip"})
    assert (feed["Content-Encoding"], feed["ETag"][:2]) == ("gzip", "W/")
    headers = {"Accept-Encoding": "gzip", "If-None-Match": feed["ETag"]}
    assert client.get("/feeds/directory.json", headers=headers).status_code == 304


def test_directory_and_partner_have_structured_data(row: Integration, client: Client, settings: Any) -> None:
    settings.SITE_URL = "https://portal.example"
    Listing.objects.update(name="</script><b>")
    its = f"https://portal.example/directory/{row.uuid}/"
    metadata = read_metadata(client, "/directory/")
    item = {"@type": "ListItem", "position": 1, "name": "</script><b>", "url": its}
    assert metadata == {"@context": "https://schema.org", "@type": "ItemList", "itemListElement": [item]}
    acme = read_metadata(client, "/partners/acme/")
    assert (acme["@type"], acme["name"], acme["owns"]) == (
        "Organization",
        "Acme",
        [{"@type": "SoftwareApplication", "@id": its}],
    )
    assert read_head(client, "/directory/?q=nothing").select('[type="application/ld+json"]') == []


def test_metadata_is_escaped_in_attributes() -> None:
    context = Context()
    assert page_title(context, 'A <b>b</b>\n “"c"” &amp; &lt;d&gt;') == (
        "<title>A b “&#34;c&#34;” &amp; &lt;d&gt; · Partner portal</title>\n"
        '<meta property="og:title" content="A b “&#34;c&#34;” &amp; &lt;d&gt;">'
    )
    assert context["page_title"] == 'A b “"c"” & <d>'
    assert len(page_description("word " * 99)) < 2 * 300
