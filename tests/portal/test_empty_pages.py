"""Pages of people for whom there is nothing yet: what comes next, and no controls for what isn't there."""

from typing import Any

import pytest
from bs4 import BeautifulSoup

from portal.audit.models import AuditEvent
from tests.conftest import create_user

CLEAR = "Clear all filters"


def read_headings(page: Any) -> list[str]:
    """Return the headings of empty states, and whether the page offers filters or to clear them."""
    document = BeautifulSoup(page.content, "html.parser")
    controls = ["filters"] if document.select("main form.filters") else []
    return [tag.get_text() for tag in document.select(".empty h2")] + controls + ([CLEAR] if CLEAR in page.text else [])


@pytest.mark.parametrize(
    ("path", "headings"),
    [
        ("/integrations/", ["No integrations yet"]),
        ("/reports/", ["No reports yet"]),
        ("/sla/trends/", ["No SLA figures in the last 12 weeks", "filters"]),
        ("/directory/", ["No listed integrations yet"]),
        ("/directory/?q=rocket", ["No matching integrations", CLEAR]),
        ("/integrations/?q=rocket", ["No matching integrations", "filters", CLEAR]),
    ],
)
def test_new_partner_sees_what_comes_next(sign_in: Any, alice: Any, path: str, headings: list[str]) -> None:
    assert read_headings(sign_in(alice).get(path)) == headings


def test_person_without_a_company_has_no_empty_form_of_subscriptions(db: None, sign_in: Any, alice: Any) -> None:
    newcomer = create_user("nina@nova.example", "Nina Nova")
    assert "Save subscriptions" not in sign_in(newcomer).get("/reports/").text
    assert "Save subscriptions" in sign_in(alice).get("/reports/").text


def test_empty_queue_leads_reviewers_to_their_profile(sign_in: Any, rita: Any, sam: Any) -> None:
    labels = [
        [
            link.get_text().strip()
            for link in BeautifulSoup(sign_in(person).get("/queue/").content, "html.parser").select(".empty a")
        ]
        for person in (rita, sam)
    ]
    assert labels == [["Edit reviewer profile"], []]


def test_audit_log_without_events_offers_no_filter_to_clear(sign_in: Any, sam: Any) -> None:
    client = sign_in(sam)
    assert AuditEvent.objects.count() == 0
    assert read_headings(client.get("/audit-log/")) == ["No events yet", "filters"]
    assert read_headings(client.get("/audit-log/?person=Rita")) == ["No matching events", "filters", CLEAR]


def test_search_without_results_says_what_to_try(sign_in: Any, alice: Any) -> None:
    assert "Check the spelling, or enter fewer words." in sign_in(alice).get("/search/?q=gardening").text


def test_owner_of_one_company_adds_the_first_webhook_from_the_empty_state(sign_in: Any, alice: Any) -> None:
    link = BeautifulSoup(sign_in(alice).get("/webhooks/").content, "html.parser").select_one(".empty a")
    assert link is not None
    assert (link.get_text().strip(), link["href"]) == ("Add webhook", "/webhooks/new/acme/")
