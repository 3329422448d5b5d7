"""Runs the checks of a release with a real registry on loopback, whose releases are signed by real keys."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.fakes import signed
from tests.verification.checks.fake_sources import SUBJECT
from verification.checks.types import CHECKS
from verification.sources.http.client import OutboundClient
from verification.sources.registry.client import RegistryClient as Client

NOW = datetime.now(UTC) + timedelta(minutes=5)  # after the tests sign the releases
MODULES = tuple(f"verification.checks.rules.{module}" for module in ("release", "release_history", "signing_keys"))
FAMILY = sorted(key for key, check in CHECKS.items() if check.run.__module__ in MODULES)
REGISTRY_CHECKS = [
    key for key in FAMILY if key not in ("release.files", "release.tag")
]  # what the registry alone answers
OTHER = "Bob Bolt <bob@globex.example>"


@dataclass
class Sources:
    """The clients of one run: a real registry and a fake GitHub."""

    registry: Client
    github: Any = field(default_factory=lambda: GitHub())
    web: OutboundClient = field(default_factory=lambda: OutboundClient(loopback=True))
    cache: dict[str, Any] = field(default_factory=dict)

    def read(self, key: str, function: Callable[[], Any]) -> Any:
        return self.cache.setdefault(key, None) or self.cache.update({key: function()}) or self.cache[key]


def results(sources: Sources, *keys: str, **subject: Any) -> dict[str, Any]:
    about = replace(SUBJECT, **{"now": NOW, "homepage": "https://acme.example", **subject})
    return {key: CHECKS[key].run(about, sources) for key in keys or REGISTRY_CHECKS}


def rocket(version: str = "1.0.0", **options: Any) -> signed.Signed:
    return signed.release("rocket", version, **options)


@dataclass
class GitHub:
    releases_said: Any = ()
    code_said: Any = None

    def releases(self, full_name: str) -> Any:
        if isinstance(self.releases_said, Exception):
            raise self.releases_said
        return self.releases_said

    def code(self, full_name: str, ref: str) -> Any:
        if isinstance(self.code_said, Exception):
            raise self.code_said
        return self.code_said
