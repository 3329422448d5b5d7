"""Tests that the page of every audited object links to its events in the audit log."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.portal.crawl import Crawl
from tests.portal.page_urls import map_patterns_by_name

pytestmark = pytest.mark.any_database

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")  # differs between the databases that were crawled
LINK = re.compile(r'href="/audit-log/\?([^"]+)"')
# Pages of objects without events.
WITHOUT_EVENTS = {
    "accounts:enrollment": "a link from an email",
    "accounts:invitation": "a link from an email",
    "partners:invitation": "a link from an email",
    "inbox:stop": "a link from an email",
    "reports:confirm_external": "a link from an email",
    "reports:stop": "a link from an email",
    "reports:stop_external": "a link from an email",
    "reports:email_html": "an email, without the frame of the portal",
    "analytics:save_view": "a filter of one person",
    "api:docs_group": "documentation",
    "checks:check_help": "documentation",
    "submissions:program": "an edition file, which the repository versions",
    "reviews:absence": "the vacation of a reviewer",
    "directory:badge": "HTML to copy, without the frame of the portal",
}


def list_object_pages(crawl: Crawl) -> dict[str, set[str]]:
    """Return the queries of the links to the audit log by page, for pages that show one object."""
    return {
        name: {UUID.sub("UUID", query.replace("&amp;", "&")) for query in LINK.findall(answer.text)}
        for name, answer in crawl.get_responses.items()
        if map_patterns_by_name()[name].pattern.converters and answer.code == "200" and "<html" in answer.text
    }


@pytest.mark.parametrize("role", ["sam", "audrey"])
def test_page_of_each_object_links_to_its_events(crawl: Callable[[str], Crawl], role: str) -> None:
    pages = list_object_pages(crawl(role))
    assert {name for name, links in pages.items() if not links} == set(WITHOUT_EVENTS) & set(pages)


@pytest.mark.parametrize("role", ["anonymous", "alice", "mona", "rita"])
def test_others_see_no_links_to_the_audit_log(crawl: Callable[[str], Crawl], role: str) -> None:
    assert {name for name, answer in crawl(role).get_responses.items() if LINK.search(answer.text)} == set()


def test_links_select_the_events_of_the_object(crawl: Callable[[str], Crawl], world: dict[str, Any]) -> None:
    pages = list_object_pages(crawl("sam"))
    row = world["integration"]
    expected = {
        "reviews:review": f"stream=integration:{row.pk}",
        "reviews:partner": f"stream=partner:{row.partner_id}",
        "submissions:requirement": f"stream=integration:{row.pk}&detail=requirement:NO-3",
        "sla:issue": f"stream=integration:{world['listed'].pk}&detail=issue:UUID",
        "reports:detail": f"stream=report:{world['report']}",
        "accounts:person": f"stream=account:{world['rob'].pk}",
    }
    assert {name: query for name, query in expected.items() if query not in pages[name]} == {}
