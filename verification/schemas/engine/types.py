"""Nodes of a parsed schema, the same for attributes, nested attributes and blocks."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from verification.schemas.engine.functions import Function

SCALARS = ("string", "number", "bool")
COLLECTIONS = ("list", "set", "map")


class SchemaParseError(ValueError):
    """The text is no provider schema. The message is a sentence fit to show."""


class UnsupportedSchemaError(ValueError):
    """No Kubernetes resource can be made of this. The message says why, and where."""


@dataclass(frozen=True, slots=True)
class Node:
    """One argument or attribute.

    `kind` is string, number, bool, dynamic, tuple, list, set, map or object. A collection has either `elem` (its
    element, a node without a name) or `children` (its element is an object of these). `syntax` is "attribute",
    "nested" (an attribute with attributes of its own) or "block". `deprecation` is the message, where one is told.
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
        """The provider alone says it."""
        return self.computed and not self.optional

    @property
    def is_single_block(self) -> bool:
        return self.syntax == "block" and self.kind == "object"

    @property
    def is_singleton(self) -> bool:
        return self.kind in ("list", "set") and self.children is not None and self.max_items == 1

    def child(self, name: str) -> "Node | None":
        return next((node for node in self.children or () if node.name == name), None)

    def walk(self, path: str = "") -> Iterator[tuple[str, "Node"]]:
        """This node and everything below it, each with its dotted path."""
        here = f"{path}.{self.name}" if path else self.name
        yield here, self
        for node in self.children or ():
            yield from node.walk(here)

    @property
    def type_name(self) -> str:
        """The type in Terraform's words: "list(string)"."""
        if self.kind not in COLLECTIONS:
            return self.kind
        return f"{self.kind}({self.elem.type_name if self.elem else 'object'})"


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource, a data source or the provider's own configuration. `nodes` are ordered by name."""

    name: str
    nodes: tuple[Node, ...]
    version: int = 0
    description: str = ""
    deprecated: bool = False
    deprecation: str = ""

    def node(self, name: str) -> Node | None:
        return next((node for node in self.nodes if node.name == name), None)

    @property
    def timeouts(self) -> Node | None:
        """How long operations may take: a block that describes Terraform's work, not the object."""
        block = self.node("timeouts")
        return block if block is not None and block.syntax == "block" else None

    @property
    def arguments(self) -> tuple[Node, ...]:
        """What describes the object: everything but the timeouts."""
        return tuple(node for node in self.nodes if node is not self.timeouts)


@dataclass(frozen=True, slots=True)
class ParsedSchema:
    """Everything that one version of one provider offers. The mappings go by the name that users write.

    The nodes of an identity are what tells an object apart: required are those that an import must give.
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
        """The word that every resource begins with: "aws" of aws_vpc."""
        names = sorted(self.resources) or sorted(self.data_sources)
        return names[0].split("_")[0] if names else self.source.rpartition("/")[2]
