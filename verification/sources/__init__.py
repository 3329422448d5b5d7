"""Where is read from? The clients of one run of checks, made from the settings."""

from dataclasses import dataclass, field

from verification.sources.github import GitHub
from verification.sources.registry import Registry


@dataclass(frozen=True)
class Sources:
    """The clients of one run. Each remembers what it was told, so all checks see one state of the world."""

    github: GitHub = field(default_factory=GitHub)
    registry: Registry = field(default_factory=Registry)
