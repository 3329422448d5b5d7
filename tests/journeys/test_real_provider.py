"""A provider of the real registry is submitted with its real name, and similar real providers are shown."""

import os
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from integrations.partners.models import Partner
from integrations.programs.models import RegistryProvider
from tests.conftest import create_partner
from tests.fakes.github.server import Repo
from tests.fakes.registry import Provider
from tests.journeys.walkthrough import Walkthrough

NAME = "PagerDuty/pagerduty"
REPOSITORY = "PagerDuty/terraform-provider-pagerduty"
SHARED = os.environ.get("PORTAL_SHARED", "")
pytestmark = pytest.mark.skipif(not SHARED, reason="PORTAL_SHARED is unset, so the registry data is missing")


@pytest.fixture
def acme(db: None) -> Partner:
    """The company that makes the provider."""
    return create_partner("PagerDuty", "pagerduty.com")


@pytest.fixture
def pagerduty(capsys: Any, db: None) -> RegistryProvider:
    """PagerDuty's provider. All other providers of the registry are imported too."""
    call_command("import_registry_providers", Path(SHARED) / "data/registry-extract/providers.jsonl.gz")
    captured_output = capsys.readouterr()
    assert "7,088 lines: 7,0" in captured_output.out
    assert "7,088 lines read" in captured_output.err
    return RegistryProvider.objects.get(full_name=NAME)


def test_real_provider_reaches_support(
    scriptless_walkthrough: Walkthrough, pagerduty: RegistryProvider, github: Any, registry: Any, settings: Any
) -> None:
    walkthrough = scriptless_walkthrough
    settings.REGISTRY_URL = registry.url
    description = "Manages services, teams and schedules of PagerDuty."
    github.seed(Repo(REPOSITORY, description, homepage="https://www.pagerduty.com/", releases=("v3.30.0",)))
    registry.publish(Provider(NAME, source=pagerduty.source, tier="partner", versions=("3.30.0",)))
    partner = walkthrough.partner.go("/search/?q=pagerduty").sees(NAME)
    walkthrough.start_integration(
        "Do you want users to manage resources on your platform",
        repository=REPOSITORY,
        name="PagerDuty",
        category="Logging & Monitoring",
        offering="Open Source",
    )
    partner.go(f"{walkthrough.page}similar/").sees(
        f"This repository is already published as {NAME} in the registry (partner)."
    )
    similar_providers = RegistryProvider.objects.filter(name_key="pagerduty").exclude(namespace="PagerDuty")
    most_used = [row.full_name for row in similar_providers.order_by("-downloads")[:3]]
    partner.sees(*(f"{name} is already published in the registry (community, the same product)." for name in most_used))
    partner.sees(f"{similar_providers.count() - 3} more published providers (the same product).")
    walkthrough.advance_to("review").complete_change_round(
        "Name the release that we should read.", "It is v3.30.0."
    ).advance_to("support")
    row = walkthrough.row
    assert (row.repository, row.listing_status, row.tier) == (REPOSITORY, "listed", "verified")
    partner.go("/directory/").sees("PagerDuty")
