"""Fixture of published releases."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.fakes import signed_releases
from tests.fakes.registry import Provider, Registry
from tests.verification.checks.rules.release_checks import Sources
from verification.sources.registry.client import RegistryClient as Client


@pytest.fixture
def publish_releases(registry_server: Registry) -> Callable[..., Sources]:
    """Return a function that publishes releases of acme/rocket and returns the clients that read them."""

    def publish(*releases: signed_releases.SignedRelease, **fields: Any) -> Sources:
        registry_server.reset()
        releases_by_version = {one.version: one for one in releases} or {
            "1.0.0": signed_releases.build_release("rocket", "1.0.0")
        }
        versions = tuple(releases_by_version)
        registry_server.publish(Provider("acme/rocket", versions=versions, releases=releases_by_version, **fields))
        return Sources(Client(registry_server.url))

    return publish
