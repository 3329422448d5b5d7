"""Fixtures of a registry on loopback with releases that are signed with real keys."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from tests.verification.releases.artifacts.conftest import keyring
from tests.verification.releases.artifacts.keyring import Keyring
from tests.verification.releases.release_registry import Release, ReleaseRegistry
from tests.verification.releases.terraform import HOST
from verification.releases import Report, verify
from verification.releases.inspection import ReleaseReader
from verification.sources.http.client import OutboundClient
from verification.sources.registry.protocol import RegistryProtocol

__all__ = ["keyring"]
NOW = datetime(2026, 11, 1, tzinfo=UTC).timestamp()


@pytest.fixture(scope="session")
def registry(keyring: Keyring) -> Iterator[ReleaseRegistry]:
    registry = ReleaseRegistry(keyring)
    yield registry
    registry.stop()


@pytest.fixture
def verify_published(registry: ReleaseRegistry) -> Callable[..., Report]:
    """Return a function that publishes and verifies a release."""

    def verify_release(release: Release, *, version: str = "1.0.0", now: float = NOW) -> Report:
        registry.publish(release)
        protocol = RegistryProtocol(registry.url, OutboundClient(loopback=True))
        return verify(ReleaseReader(protocol, "acme", release.name, now, host=HOST), version)

    return verify_release
