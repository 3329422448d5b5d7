"""Tests of the links that remove a filter of the SLA dashboard."""

from typing import Any

import pytest
from bs4 import BeautifulSoup

from integrations.sla.models import SupportIssue

pytestmark = pytest.mark.any_database


def test_removal_of_the_partner_removes_its_integration(
    sign_in: Any, rita: Any, issues: dict[str, SupportIssue]
) -> None:
    client = sign_in(rita)
    integration = issues["other"].integration
    page = client.get("/sla/", {"partner": integration.partner.slug, "integration": integration.uuid, "state": "all"})
    links = [link["href"] for link in BeautifulSoup(page.text, "html.parser").select(".filter-chips a")]
    assert links == ["?state=all", f"?partner={integration.partner.slug}&state=all"]
