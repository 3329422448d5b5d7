"""Fixtures of a registry on loopback with releases that real keys have signed."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from tests.verification.releases.artifacts.conftest import keyring
from tests.verification.releases.artifacts.keyring import Keyring
from tests.verification.releases.terraform import HOST
from tests.verification.releases.world import Release, World
from verification.releases import Report, verify
from verification.releases.inspection import Reader
from verification.sources.http.client import OutboundClient
from verification.sources.registry.protocol import RegistryProtocol

__all__ = ["keyring"]
NOW = datetime(2026, 11, 1, tzinfo=UTC).timestamp()


@pytest.fixture(scope="session")
def world(keyring: Keyring) -> Iterator[World]:
    world = World(keyring)
    yield world
    world.stop()


@pytest.fixture
def verify_published(world: World) -> Callable[..., Report]:
    """Return a function that publishes and verifies a release."""

    def verify_release(release: Release, *, version: str = "1.0.0", now: float = NOW) -> Report:
        world.publish(release)
        protocol = RegistryProtocol(world.url, OutboundClient(loopback=True))
        return verify(Reader(protocol, "acme", release.name, now, host=HOST), version)

    return verify_release
