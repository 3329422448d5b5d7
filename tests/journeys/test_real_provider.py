"""One provider of the real registry, submitted under its true name and address, meets its true neighbors."""

import os
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from integrations.partners.models import Partner
from integrations.programs.models import RegistryProvider
from tests.conftest import company
from tests.fakes.github.server import Repo
from tests.fakes.registry import Provider
from tests.journeys.walk import Walk

NAME, REPOSITORY = "PagerDuty/pagerduty", "PagerDuty/terraform-provider-pagerduty"
SHARED = os.environ.get("PORTAL_SHARED", "")
pytestmark = pytest.mark.skipif(not SHARED, reason="PORTAL_SHARED is unset: the providers of the registry are not here")


@pytest.fixture
def acme(db: None) -> Partner:
    """This story's company is the one that makes the provider."""
    return company("PagerDuty", "pagerduty.com")


@pytest.fixture
def world(capsys: Any, db: None) -> RegistryProvider:
    """Every provider of the registry is here; the one of the story is returned."""
    call_command("import_registry_providers", Path(SHARED) / "data/registry-extract/providers.jsonl.gz")
    captured_output = capsys.readouterr()
    assert "7,088 lines: 7,0" in captured_output.out
    assert "7,088 lines read" in captured_output.err
    return RegistryProvider.objects.get(full_name=NAME)


def test_real_provider_goes_all_the_way(
    scriptless_walk: Walk, world: RegistryProvider, github: Any, registry: Any, settings: Any
) -> None:
    walk = scriptless_walk
    settings.REGISTRY_URL = registry.url
    description = "Manages services, teams and schedules of PagerDuty."
    github.seed(Repo(REPOSITORY, description, homepage="https://www.pagerduty.com/", releases=("v3.30.0",)))
    registry.publish(Provider(NAME, source=world.source, tier="partner", versions=("3.30.0",)))
    partner = walk.partner.go("/search/?q=pagerduty").sees(NAME)
    walk.begin(
        "Do you want users to manage resources on your platform",
        repository=REPOSITORY,
        name="PagerDuty",
        category="Logging & Monitoring",
        offering="Open Source",
    )
    partner.go(f"{walk.page}similar/").sees(
        f"This repository is already published as {NAME} in the registry (partner)."
    )
    theirs = RegistryProvider.objects.filter(name_key="pagerduty").exclude(namespace="PagerDuty")
    most_used = [row.full_name for row in theirs.order_by("-downloads")[:3]]
    partner.sees(*(f"{name} is already published in the registry (community, the same product)." for name in most_used))
    partner.sees(f"{theirs.count() - 3} more published providers (the same product).")
    walk.to("review").round_of_changes("Name the release that we should read.", "It is v3.30.0.").to("support")
    row = walk.row
    assert (row.repository, row.listing_status, row.tier) == (REPOSITORY, "listed", "verified")
    partner.go("/directory/").sees("PagerDuty")
