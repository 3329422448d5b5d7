"""Integrations of the demo world, from data/world.yaml: where each stands and what happened on the way."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field as Key
from pydantic import TypeAdapter

from portal.core.content_files import Content, load_content


@dataclass(frozen=True, slots=True)
class WorldEntry(Content):
    """One integration. `until`: the stage it is driven to; `then`: what happens there; `days`: begun how long ago."""

    company: str
    program: str
    name: str
    repository: str
    about: Annotated[str, Key(alias="description")]
    until: Annotated[str, Key(alias="stage")]
    then: Annotated[str, Key(alias="scenario")] = ""
    days: Annotated[int, Key(alias="started_days_ago")] = 30
    category: Annotated[int, Key(alias="category_index")] = 0
    edition: str = ""


@dataclass(frozen=True, slots=True)
class World(Content):
    """The content of world.yaml."""

    integrations: tuple[WorldEntry, ...]


WORLD = load_content(Path(__file__).parent / "data" / "world.yaml", TypeAdapter(World)).integrations
