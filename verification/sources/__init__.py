"""Where is read from? The clients of one run of checks."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.conf import settings

from verification.sources.errors import Unreadable
from verification.sources.github.client import GitHub
from verification.sources.http.client import Outbound
from verification.sources.registry.client import Registry

T = TypeVar("T")


def outbound() -> Outbound:
    """The client for addresses that partners can influence, as this portal is set up."""
    return Outbound(loopback=settings.LOOPBACK_SOURCES)


@dataclass(frozen=True)
class Sources:
    """The clients of one run. What was read once is remembered, so that all checks see one state of the world.

    The portal's own, which count their requests and keep answers, are made by verification.sources.factory.
    """

    github: GitHub = field(default_factory=GitHub)
    registry: Registry = field(default_factory=Registry)
    web: Outbound = field(default_factory=outbound)
    _read: dict[str, Any] = field(default_factory=dict)

    def read(self, key: str, function: Callable[[], T]) -> T:
        """See verification.checks.types.Sources."""
        if key not in self._read:
            try:
                self._read[key] = function()
            except Unreadable as refusal:
                self._read[key] = refusal
        answer: T | Unreadable = self._read[key]
        if isinstance(answer, Unreadable):
            raise answer
        return answer
