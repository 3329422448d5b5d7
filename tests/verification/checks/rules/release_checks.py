"""Helpers that run the checks of a release, with a registry on loopback and releases that are signed with real keys."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.fakes import signed_releases
from tests.verification.checks.fake_sources import SUBJECT, FakeSources
from verification.checks.types import CHECKS
from verification.sources.http.client import OutboundClient
from verification.sources.registry.client import RegistryClient as Client

NOW = datetime.now(UTC) + timedelta(minutes=5)  # after the tests sign the releases
MODULES = tuple(f"verification.checks.rules.{module}" for module in ("release", "signing_keys"))
RELEASE_CHECKS = sorted(key for key, check in CHECKS.items() if check.run.__module__ in MODULES)
REGISTRY_CHECKS = [key for key in RELEASE_CHECKS if key not in ("release.files", "release.tag")]  # without GitHub
OTHER_OWNER = "Bob Bolt <bob@globex.example>"


@dataclass
class Sources:
    """Clients of one run: of a registry on loopback and of a fake GitHub."""

    registry: Client
    github: FakeSources = field(default_factory=FakeSources)
    web: OutboundClient = field(default_factory=lambda: OutboundClient(loopback=True))
    cache: dict[str, Any] = field(default_factory=dict)

    def read(self, key: str, function: Callable[[], Any]) -> Any:
        return self.cache.setdefault(key, None) or self.cache.update({key: function()}) or self.cache[key]


def run_release_check(key: str, sources: Sources, **fields: Any) -> Any:
    """Return the result of a check for acme/rocket with these fields of the subject."""
    subject = replace(SUBJECT, **{"now": NOW, "homepage": "https://acme.example", **fields})
    return CHECKS[key].run(subject, sources)


def run_registry_checks(sources: Sources) -> dict[str, Any]:
    return {key: run_release_check(key, sources) for key in REGISTRY_CHECKS}


def build_rocket_release(version: str = "1.0.0", **options: Any) -> signed_releases.SignedRelease:
    return signed_releases.build_release("rocket", version, **options)
