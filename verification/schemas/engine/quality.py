"""Quality rules for schemas, each with the places that violate it."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from portal.core.value_types import JsonObject
from verification.schemas.engine.types import Node, ParsedSchema, Resource

SECRET_NAME_PATTERN = re.compile(
    r"(?:^|_)(?:password|passwd|passphrase|secret|secrets|token|credential|credentials|private_key|api_key|apikey"
    r"|access_key|secret_key|client_secret|auth_key|private_pem)$"
)
DEPRECATION_PATTERN = re.compile(
    r"deprecat|instead|in favou?r of|replace[dm]|superseded|obsolete|no longer|be removed|is removed|removed in"
    r"|removal|migrate",
    re.IGNORECASE,
)
MAX_PLACES = 50  # stored places; the count includes all


@dataclass(frozen=True, slots=True)
class SchemaQualityResult:
    """Result of a rule: the number of checked items and violations, and the first places."""

    rule: str
    looked: int
    places: tuple[str, ...]
    count: int

    def as_dict(self) -> JsonObject:
        return {"rule": self.rule, "looked": self.looked, "count": self.count, "places": list(self.places)}


def _iterate_blocks(schema: ParsedSchema) -> Iterator[tuple[str, Resource]]:
    """Yield the provider, resources, data sources, and ephemeral resources with unique titles."""
    yield "provider", schema.provider
    for word, resources_by_name in (
        ("resource", schema.resources),
        ("data", schema.data_sources),
        ("ephemeral", schema.ephemeral),
    ):
        for name, one in resources_by_name.items():
            yield f"{word} {name}", one


def _iterate_nodes(schema: ParsedSchema) -> Iterator[tuple[str, Node]]:
    for title, one in _iterate_blocks(schema):
        for node in one.arguments:
            for path, each in node.walk():
                yield f"{title}: {path}", each


def check_prefix(schema: ParsedSchema) -> tuple[int, list[str]]:
    """Check that the names of resources and data sources start with the provider name."""
    word = schema.source.rpartition("/")[2].partition("-")[0]
    names = [title for title, _ in _iterate_blocks(schema) if title != "provider"]
    fits = (f" {word}", f" {word}_")
    return len(names), [name for name in names if not (name.endswith(fits[0]) or fits[1] in name)]


def check_descriptions(schema: ParsedSchema) -> tuple[int, list[str]]:
    """Check that all resources, data sources, and arguments have a description."""
    every = [(title, one.description) for title, one in _iterate_blocks(schema) if title != "provider"]
    every += [
        (place, node.description)
        for place, node in _iterate_nodes(schema)
        if node.syntax != "block" and node.name != "id"
    ]
    return len(every), [place for place, text in every if not text.strip()]


def check_deprecation(schema: ParsedSchema) -> tuple[int, list[str]]:
    """Check that deprecated items have a message or mention the deprecation in the description."""
    every: list[tuple[str, Resource | Node]] = [
        (title, one) for title, one in _iterate_blocks(schema) if one.deprecated
    ]
    every += [(place, node) for place, node in _iterate_nodes(schema) if node.deprecated]
    silent = [
        place for place, one in every if not one.deprecation.strip() and not DEPRECATION_PATTERN.search(one.description)
    ]
    return len(every), silent


def check_sensitivity(schema: ParsedSchema) -> tuple[int, list[str]]:
    """Check that arguments with names of secrets are sensitive or write-only."""
    every = [
        (place, node)
        for place, node in _iterate_nodes(schema)
        if node.kind == "string" and SECRET_NAME_PATTERN.search(node.name)
    ]
    return len(every), [place for place, node in every if not (node.sensitive or node.write_only)]


RULES: dict[str, Callable[[ParsedSchema], tuple[int, list[str]]]] = {
    "prefix": check_prefix,
    "descriptions": check_descriptions,
    "deprecated": check_deprecation,
    "sensitive": check_sensitivity,
}


def evaluate_quality(schema: ParsedSchema) -> tuple[SchemaQualityResult, ...]:
    """Return the result of each rule in table order."""
    results = []
    for key, rule in RULES.items():
        checked_count, places = rule(schema)
        results.append(SchemaQualityResult(key, checked_count, tuple(places[:MAX_PLACES]), len(places)))
    return tuple(results)


def list_documented_names(schema: ParsedSchema) -> dict[str, list[str]]:
    """Return the names of all items that need a documentation page, by documentation folder."""
    return {
        "resources": sorted(schema.resources),
        "data-sources": sorted(schema.data_sources),
        "ephemeral-resources": sorted(schema.ephemeral),
        "functions": sorted(schema.functions),
    }
