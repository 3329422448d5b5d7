"""Clients of external sources for one run of checks."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from django.conf import settings

from portal.core.value_types import NamedValues
from verification.sources.errors import remember
from verification.sources.github.client import GitHubClient
from verification.sources.http.client import OutboundClient
from verification.sources.registry.client import RegistryClient

T = TypeVar("T")


def build_outbound_client() -> OutboundClient:
    """Build the client for URLs that partners can influence, with the portal's settings."""
    return OutboundClient(settings.ALLOW_LOOPBACK_HTTP, settings.BLOCKED_NETWORKS)


@dataclass(frozen=True)
class Sources:
    """The clients of one run. Responses are remembered, so that all checks see the same state.

    `registry` reads the v1 and v2 APIs of the public registry, and `web` every URL that a partner can influence. The
    clients of verification.sources.factory also count their requests and cache responses for later runs.
    """

    github: GitHubClient = field(default_factory=GitHubClient)
    registry: RegistryClient = field(default_factory=RegistryClient)
    web: OutboundClient = field(default_factory=build_outbound_client)
    _read: NamedValues = field(default_factory=dict)

    def read(self, key: str, function: Callable[[], T]) -> T:
        """Return what the function returned the first time in this run; a SourceError is raised again."""
        return remember(self._read, key, function)
