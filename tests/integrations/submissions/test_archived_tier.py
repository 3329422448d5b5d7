"""Tests of the archived tier of providers, and of the issue link of their listing."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform_transition

pytestmark = pytest.mark.any_database
IntegrationAt = Callable[..., Integration]


@pytest.mark.parametrize(("program", "tier"), [("terraform-provider", "archived"), ("nomad", "")])
def test_archived_provider_gets_the_tier_archived(
    integration_at: IntegrationAt, alice: Any, now: datetime, program: str, tier: str
) -> None:
    row = integration_at("support", program=program)
    perform_transition(row, "archive", actor=alice, note="Replaced.", now=now + timedelta(days=1))
    archived = Integration.objects.get(pk=row.pk)
    assert (archived.stage, archived.listing_status, archived.tier) == ("archived", "delisted", tier)


def test_listing_of_a_provider_links_to_its_issues(integration_at: IntegrationAt, client: Client) -> None:
    row = integration_at("support", program="terraform-provider")
    page = BeautifulSoup(client.get(f"/directory/{row.uuid}/").content, "html.parser")
    link = page.find("a", string=lambda text: bool(text) and "Report an issue" in text)
    assert link is not None
    assert link["href"] == f"https://github.com/{row.repository}/issues"
