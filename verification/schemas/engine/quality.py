"""Is a schema fit for those who use it? Rules over a schema, each with the places where it does not hold. Pure."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from verification.schemas.engine.types import Node, ProviderSchema, Resource

SECRET = re.compile(
    r"(?:^|_)(?:password|passwd|passphrase|secret|secrets|token|credential|credentials|private_key|api_key|apikey"
    r"|access_key|secret_key|client_secret|auth_key|private_pem)$"
)
SPEAKS = re.compile(
    r"deprecat|instead|in favou?r of|replace[dm]|superseded|obsolete|no longer|be removed|is removed|removed in"
    r"|removal|migrate",
    re.IGNORECASE,
)
MOST = 50  # places that are kept; the count is whole


@dataclass(frozen=True, slots=True)
class Found:
    """What one rule found: how many were looked at, how many do not hold, and the first of these by place."""

    rule: str
    looked: int
    places: tuple[str, ...]
    count: int

    def as_dict(self) -> dict[str, Any]:
        return {"rule": self.rule, "looked": self.looked, "count": self.count, "places": list(self.places)}


def _kinds(schema: ProviderSchema) -> Iterator[tuple[str, Resource]]:
    """Everything with a block, by a word that tells it apart."""
    yield "provider", schema.provider
    for word, named in (("resource", schema.resources), ("data", schema.data_sources), ("ephemeral", schema.ephemeral)):
        for name, one in named.items():
            yield f"{word} {name}", one


def _nodes(schema: ProviderSchema) -> Iterator[tuple[str, Node]]:
    for title, one in _kinds(schema):
        for node in one.arguments:
            for path, each in node.walk():
                yield f"{title}: {path}", each


def prefix(schema: ProviderSchema) -> tuple[int, list[str]]:
    """The names of resources, data sources and ephemeral resources begin with the provider's own."""
    word = schema.source.rpartition("/")[2].partition("-")[0]
    names = [title for title, _ in _kinds(schema) if title != "provider"]
    fits = (f" {word}", f" {word}_")
    return len(names), [name for name in names if not (name.endswith(fits[0]) or fits[1] in name)]


def descriptions(schema: ProviderSchema) -> tuple[int, list[str]]:
    """Every resource, data source and argument says what it is."""
    every = [(title, one.description) for title, one in _kinds(schema) if title != "provider"]
    every += [
        (place, node.description) for place, node in _nodes(schema) if node.syntax != "block" and node.name != "id"
    ]
    return len(every), [place for place, text in every if not text.strip()]


def deprecated(schema: ProviderSchema) -> tuple[int, list[str]]:
    """What is deprecated has a message, or a description that speaks of it."""
    every: list[tuple[str, Resource | Node]] = [(title, one) for title, one in _kinds(schema) if one.deprecated]
    every += [(place, node) for place, node in _nodes(schema) if node.deprecated]
    silent = [place for place, one in every if not one.deprecation.strip() and not SPEAKS.search(one.description)]
    return len(every), silent


def sensitive(schema: ProviderSchema) -> tuple[int, list[str]]:
    """What is a secret by its name is marked as sensitive or is never kept."""
    every = [(place, node) for place, node in _nodes(schema) if node.kind == "string" and SECRET.search(node.name)]
    return len(every), [place for place, node in every if not (node.sensitive or node.write_only)]


RULES: dict[str, Callable[[ProviderSchema], tuple[int, list[str]]]] = {
    "prefix": prefix,
    "descriptions": descriptions,
    "deprecated": deprecated,
    "sensitive": sensitive,
}


def judge(schema: ProviderSchema) -> tuple[Found, ...]:
    """What each rule found, in the table's order."""
    found = []
    for key, rule in RULES.items():
        looked, places = rule(schema)
        found.append(Found(key, looked, tuple(places[:MOST]), len(places)))
    return tuple(found)


def offered(schema: ProviderSchema) -> dict[str, list[str]]:
    """The names of everything that should have a page of documentation, by the folder that the page belongs in."""
    return {
        "resources": sorted(schema.resources),
        "data-sources": sorted(schema.data_sources),
        "ephemeral-resources": sorted(schema.ephemeral),
        "functions": sorted(schema.functions),
    }
