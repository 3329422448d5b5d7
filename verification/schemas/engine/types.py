"""Nodes of a parsed schema, the same for attributes, nested attributes, and blocks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from verification.schemas.engine.functions import Function

SCALARS = ("string", "number", "bool")
COLLECTIONS = ("list", "set", "map")


class SchemaParseError(ValueError):
    """The text isn't a provider schema. The message is safe to display."""


class UnsupportedSchemaError(ValueError):
    """Part of a schema without a Kubernetes counterpart. The message contains the location and the reason."""


@dataclass(frozen=True, slots=True)
class Node:
    """Argument or attribute.

    `kind` is string, number, bool, dynamic, tuple, list, set, map, or object. A collection has either `elem` (its
    element, a node without a name) or `children` (its element is an object of these). `syntax` is "attribute",
    "nested" (an attribute with attributes of its own) or "block". `deprecation` is the message, if there is one.
    """

    name: str
    kind: str
    optional: bool = False
    required: bool = False
    computed: bool = False
    sensitive: bool = False
    write_only: bool = False
    deprecated: bool = False
    deprecation: str = ""
    description: str = ""
    syntax: str = "attribute"
    children: tuple["Node", ...] | None = None
    elem: "Node | None" = None
    min_items: int = 0
    max_items: int = 0

    @property
    def is_observed(self) -> bool:
        """Return whether only the provider sets the value."""
        # A value that is optional and computed can be set, and the provider sets it otherwise.
        return self.computed and not self.optional

    @property
    def is_single_block(self) -> bool:
        return self.syntax == "block" and self.kind == "object"

    @property
    def is_singleton(self) -> bool:
        return self.kind in ("list", "set") and self.children is not None and self.max_items == 1

    def walk(self, path: str = "") -> Iterator[tuple[str, "Node"]]:
        """Yield this node and all descendants with their dotted paths."""
        here = f"{path}.{self.name}" if path else self.name
        yield here, self
        for node in self.children or ():
            yield from node.walk(here)

    @property
    def type_name(self) -> str:
        """Terraform type expression, such as "list(string)"."""
        if self.kind not in COLLECTIONS:
            return self.kind
        return f"{self.kind}({self.elem.type_name if self.elem else 'object'})"


@dataclass(frozen=True, slots=True)
class Resource:
    """Resource, data source, or provider configuration. `nodes` are ordered by name."""

    name: str
    nodes: tuple[Node, ...]
    version: int = 0
    description: str = ""
    deprecated: bool = False
    deprecation: str = ""

    def get_node(self, name: str) -> Node | None:
        return next((node for node in self.nodes if node.name == name), None)

    @property
    def timeouts(self) -> Node | None:
        """Block with the timeouts of Terraform's operations, which isn't part of the object."""
        # Only as a block, as HashiCorp's SDK adds it. An attribute with this name is an ordinary argument.
        block = self.get_node("timeouts")
        return block if block is not None and block.syntax == "block" else None

    @property
    def arguments(self) -> tuple[Node, ...]:
        """All nodes except the timeouts."""
        return tuple(node for node in self.nodes if node is not self.timeouts)


@dataclass(frozen=True, slots=True)
class ParsedSchema:
    """Schema of one provider version. The keys of the mappings are the names in configurations.

    The nodes of an identity identify an object; the required ones are mandatory for an import.
    """

    source: str
    provider: Resource
    resources: dict[str, Resource] = field(default_factory=dict)
    data_sources: dict[str, Resource] = field(default_factory=dict)
    ephemeral: dict[str, Resource] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    lists: dict[str, Resource] = field(default_factory=dict)
    actions: dict[str, Resource] = field(default_factory=dict)
    identities: dict[str, Resource] = field(default_factory=dict)

    @property
    def prefix(self) -> str:
        """Common prefix of the resource names as a part of a domain name: "aws" for aws_vpc."""
        names = sorted(self.resources) or sorted(self.data_sources)
        prefix = names[0].split("_")[0] if names else self.source.rpartition("/")[2]
        # A schema can have any names, and Acme_server or _server would make no domain name.
        return re.sub(r"[^a-z0-9]+", "-", prefix.lower()).strip("-") or "provider"
