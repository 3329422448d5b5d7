"""Integrations of the demo world, from data/world.yaml."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from portal.core.content_files import Content, load_content


@dataclass(frozen=True, slots=True)
class WorldEntry(Content):
    """Integration to create."""

    company: str
    program: str
    name: str
    repository: str
    description: str
    stage: str
    scenario: str = ""
    started_days_ago: int = 30
    category_index: int = 0
    edition: str = ""


@dataclass(frozen=True, slots=True)
class World(Content):
    """Content of world.yaml."""

    integrations: tuple[WorldEntry, ...]


WORLD = load_content(Path(__file__).parent / "data" / "world.yaml", TypeAdapter(World)).integrations
