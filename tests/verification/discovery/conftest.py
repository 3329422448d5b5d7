"""Fixtures of the tests of discoveries."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from portal.jobs.execution import run_due_jobs
from tests.fakes.github.server import Repo
from tests.fakes.registry import Provider
from verification.discovery import services
from verification.discovery.models import Discovery

ROCKET = Repo(
    "acme/terraform-provider-rocket",
    "Rockets as code.",
    homepage="https://acme.example/rocket",
    files=(("go.mod", "module x\n\nrequire github.com/hashicorp/terraform-plugin-framework v1.19.0\n"),),
)
Read = Callable[..., Discovery]


@pytest.fixture
def rocket(github: Any, registry: Any, settings: Any) -> None:
    """Create a provider with a repository and a listing."""
    settings.REGISTRY_URL = registry.url
    github.seed(ROCKET)
    registry.publish(Provider("acme/rocket"))


@pytest.fixture
def read(alice: Any) -> Read:
    """Return a function that reads an address in that many attempts and returns its discovery."""

    def read_address(address: str, *, attempts: int = 1, **options: str) -> Discovery:
        discovery = services.start_discovery(address, actor=alice, now=timezone.now(), **options)
        for number in range(attempts):
            run_due_jobs("checks", timezone.now() + timedelta(minutes=number))
        return Discovery.objects.get(pk=discovery.pk)

    return read_address
