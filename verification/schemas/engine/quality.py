"""Quality rules for schemas, each with the locations that violate it."""

import re
from collections.abc import Callable, Iterator
from itertools import chain

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
MAX_LOCATIONS = 50  # stored; the count includes all
CheckedLocation = tuple[str, bool]  # location, and whether it follows the rule


def _iterate_blocks(schema: ParsedSchema) -> Iterator[tuple[str, Resource]]:
    """Yield the provider, resources, data sources, and ephemeral resources with unique titles."""
    yield "provider", schema.provider
    for word, resources_by_name in (
        ("resource", schema.resources),
        ("data", schema.data_sources),
        ("ephemeral", schema.ephemeral),
    ):
        for name, resource in resources_by_name.items():
            yield f"{word} {name}", resource


def _iterate_nodes(schema: ParsedSchema) -> Iterator[tuple[str, Node]]:
    for title, block in _iterate_blocks(schema):
        for node in block.arguments:
            for path, each in node.walk():
                yield f"{title}: {path}", each


def check_prefix(schema: ParsedSchema) -> Iterator[CheckedLocation]:
    """Check that the names of resources and data sources start with the provider name."""
    # “Configuring Providers”: the first word of a resource type names the provider. Those of google-beta begin with
    # google.
    word = schema.source.rpartition("/")[2].partition("-")[0]
    for title, _ in _iterate_blocks(schema):
        if title != "provider":
            yield title, title.endswith(f" {word}") or f" {word}_" in title


def check_descriptions(schema: ParsedSchema) -> Iterator[CheckedLocation]:
    """Check that all resources, data sources, and arguments have a description."""
    for title, block in _iterate_blocks(schema):
        if title != "provider":
            yield title, bool(block.description.strip())
    for location, node in _iterate_nodes(schema):
        # HashiCorp's older SDK adds the ID to every resource, without a description.
        if node.syntax != "block" and node.name != "id":
            yield location, bool(node.description.strip())


def check_deprecation(schema: ParsedSchema) -> Iterator[CheckedLocation]:
    """Check that deprecated items have a message or mention the deprecation in the description."""
    every: Iterator[tuple[str, Resource | Node]] = chain(_iterate_blocks(schema), _iterate_nodes(schema))
    for location, item in every:
        if item.deprecated:
            yield location, bool(item.deprecation.strip() or DEPRECATION_PATTERN.search(item.description))


def check_sensitivity(schema: ParsedSchema) -> Iterator[CheckedLocation]:
    """Check that arguments with names of secrets are sensitive or write-only."""
    for location, node in _iterate_nodes(schema):
        # Other types, such as the number of a token's days, only have a name like that of a secret.
        if node.kind == "string" and SECRET_NAME_PATTERN.search(node.name):
            yield location, node.sensitive or node.write_only


RULES: dict[str, Callable[[ParsedSchema], Iterator[CheckedLocation]]] = {
    "prefix": check_prefix,
    "descriptions": check_descriptions,
    "deprecated": check_deprecation,
    "sensitive": check_sensitivity,
}


def evaluate_quality(schema: ParsedSchema) -> list[JsonObject]:
    """Return the result of each rule: the numbers of checked items and violations, and the first locations."""
    results = []
    for key, rule in RULES.items():
        checked_locations = list(rule(schema))
        violations = [location for location, is_good in checked_locations if not is_good]
        counts = {"checked_count": len(checked_locations), "violation_count": len(violations)}
        results.append({"rule": key, "locations": violations[:MAX_LOCATIONS]} | counts)
    return results


def count_feature_items(schema: ParsedSchema) -> dict[str, int]:
    """Return the number of items of each kind that newer versions of Terraform added."""
    return {
        "ephemeral_resources": len(schema.ephemeral),
        "resource_identities": len(schema.identities),
        "list_resources": len(schema.lists),
        "actions": len(schema.actions),
    }


def list_documented_names(schema: ParsedSchema) -> dict[str, list[str]]:
    """Return the names of all items that need a documentation page, by documentation folder."""
    return {
        "resources": sorted(schema.resources),
        "data-sources": sorted(schema.data_sources),
        "ephemeral-resources": sorted(schema.ephemeral),
        "list-resources": sorted(schema.lists),
        "actions": sorted(schema.actions),
        "functions": sorted(schema.functions),
    }
