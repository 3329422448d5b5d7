"""Tests of the pages that start an integration from an address."""

from typing import Any

import pytest
from django.utils import timezone

from integrations.submissions.models import Integration
from portal.jobs import dispatcher
from tests.fakes.github.server import Repo
from tests.fakes.registry import Provider
from verification.discovery.models import Discovery


@pytest.fixture
def provider(github: Any, registry: Any, settings: Any) -> None:
    settings.REGISTRY_URL = registry.url
    github.seed(Repo("acme/terraform-provider-rocket", "Rockets as code.", homepage="https://acme.example/rocket"))
    registry.publish(Provider("acme/rocket"))


def enter(page: Any, address: str, **fields: str) -> Discovery:
    response = page.post("/new/", {"address": address, **fields})
    assert response.status_code == 302, response.context["form"].errors
    dispatcher.run_all(timezone.now(), "checks")
    return Discovery.objects.get()


def test_provider_starts_from_its_repository(provider: None, sign_in: Any, alice: Any) -> None:
    page = sign_in(alice)
    discovery = enter(page, "https://github.com/acme/terraform-provider-rocket")
    assert discovery.program_key == "terraform-provider"
    assert [reason["code"] for reason in discovery.candidates[0]["reasons"]] == ["name", "listing"]
    response = page.post(
        f"/new/{discovery.uuid}/",
        discovery.values | {"category": "networking", "offerings": ["Open Source"]},
    )
    row = Integration.objects.get()
    assert (response.status_code, response.url) == (302, f"/integrations/{row.uuid}/")
