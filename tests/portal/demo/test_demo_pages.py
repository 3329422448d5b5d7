"""Tests that the pages of the demo show labels instead of internal values and keys."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

import pytest
from django.urls import reverse

from integrations.submissions.models import Integration
from portal.accounts.models import User
from tests.portal.internal_values import find_internal_values
from tests.portal.rollback_requests import create_client

pytestmark = pytest.mark.any_database

LISTS = (
    "dashboard:home",
    "submissions:list",
    "search:results",
    "reviews:queue",
    "reviews:partners",
    "reports:sla_dashboard",
    "inbox:list",
    "inbox:preferences",
    "directory:list",
    "submissions:choose_program",
)
PAGES = ("submissions:detail", "submissions:history", "submissions:edit", "checks:results", "reviews:review")


def list_pages(integrations: Iterable[Integration]) -> Iterator[tuple[Integration, str]]:
    """Yield integrations with pages: one of each state, and one of each kind and status of requirement."""
    seen = set()
    for integration in integrations:
        state = (integration.stage, integration.listing_status, integration.next_action_code)
        names = PAGES if state not in seen else ()
        seen.add(state)
        if names and integration.released_at:
            names = (*names, "compliance:status", "directory:listing")
        yield from ((integration, reverse(name, args=[integration.uuid])) for name in names)
        for requirement_id, fulfillment in integration.fulfillments_by_id.items():
            requirement = integration.edition.get_requirement(requirement_id)
            if requirement and (requirement.kind, fulfillment.status) not in seen:
                seen.add((requirement.kind, fulfillment.status))
                yield integration, reverse("submissions:requirement", args=[integration.uuid, requirement_id])


@pytest.mark.parametrize("role", ["owner", "reviewer"])
def test_pages_of_the_demo_show_no_internal_values(demo_world: None, db: None, role: str) -> None:
    reviewer = User.objects.filter(is_reviewer=True).earliest("pk")
    integrations = Integration.objects.select_related("partner").prefetch_related("fulfillments").order_by("pk")
    pages = [
        (reviewer if role == "reviewer" else integration.partner.list_members("owner")[0], page)
        for integration, page in list_pages(integrations)
    ]
    pages += [(reader, reverse(name)) for reader in dict.fromkeys(reader for reader, _ in pages) for name in LISTS]
    found = {}
    for reader, pages_of_reader in groupby(pages, key=itemgetter(0)):
        client = create_client(reader)
        for _reader, address in pages_of_reader:
            response = client.get(address)
            if response.status_code == 200 and (words := find_internal_values(response.text)):
                found[address] = words
    assert found == {}
