"""Which Kubernetes resource would Crossplane's generator make of a Terraform resource?

`definition` gives the whole CustomResourceDefinition as plain data, for one of the two scopes. What the generator takes
from elsewhere (the provider's documentation, references between resources that people write by hand) is not in it.
"""

from dataclasses import replace
from typing import Any

from verification.schemas.crossplane import envelope
from verification.schemas.crossplane.fields import Maker, described, view
from verification.schemas.crossplane.naming import field_name, secret_name
from verification.schemas.crossplane.options import Choices
from verification.schemas.crossplane.pluralization import plural
from verification.schemas.engine.types import Node, Resource

# words that CEL keeps for itself; a field of that name is written with two underscores on each side
RESERVED = frozenset(
    {"as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop"}
    | {"namespace", "null", "package", "return", "true", "var", "void", "while"}
)
WANTED = "!({})".format(" || ".join(f"'{each}' in self.managementPolicies" for each in ("*", "Create", "Update")))
IDENTIFIER = Node(name="id", kind="string", computed=True)


def definition(resource: Resource, choices: Choices, *, namespaced: bool) -> dict[str, Any]:
    """The CustomResourceDefinition. Raises Unsupported with the field that prevents it."""
    found = choices.group_kind(resource.name)
    group = choices.group(found.group, namespaced=namespaced)
    many = plural(found.kind)
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{many}.{group}"},
        "spec": {
            "group": group,
            "names": {
                "categories": ["crossplane", "managed", choices.category],
                "kind": found.kind,
                "listKind": f"{found.kind}List",
                "plural": many,
                "singular": found.kind.lower(),
            },
            "scope": "Namespaced" if namespaced else "Cluster",
            "versions": [_version(resource, choices, found.kind, namespaced)],
        },
    }


def _version(resource: Resource, choices: Choices, kind: str, namespaced: bool) -> dict[str, Any]:
    return {
        "additionalPrinterColumns": envelope.columns(),
        "name": choices.api_version,
        "schema": {"openAPIV3Schema": _schema(resource, choices, kind, namespaced)},
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
    }


def _schema(resource: Resource, choices: Choices, kind: str, namespaced: bool) -> dict[str, Any]:
    references = choices.references.get(resource.name, ())
    make = Maker(choices, choices.external_name(resource.name), namespaced, references)
    nodes = offered(resource, choices)
    seen = view(make, nodes)
    words, told = described(resource.description), rules(make, nodes)
    spec = envelope.spec(kind, seen.spec, seen.init, choices.runtime, namespaced=namespaced)
    return {
        "description": f"{kind} is the Schema for the {kind}s API." + (f" {words}" if words else ""),
        "properties": {
            **envelope.head(),
            "spec": spec | ({"x-kubernetes-validations": told} if told else {}),
            "status": envelope.status(kind, seen.status, choices.runtime),
        },
        "required": ["spec"],
        "type": "object",
    }


def offered(resource: Resource, choices: Choices) -> tuple[Node, ...]:
    """What the generator looks at: no timeouts, nothing that the external name replaces, and an `id` of its own."""
    omitted = {*choices.external_name(resource.name).omitted, "id"}
    kept = [node for node in resource.arguments if node.name not in omitted]
    if choices.computed_nested == "parameter":
        kept = [_without_flags(node) for node in kept]
    return tuple(sorted([*kept, IDENTIFIER], key=lambda node: node.name))


def _without_flags(node: Node) -> Node:
    """As generators of about version 2.0 read it: an attribute with attributes is neither computed nor secret."""
    children = tuple(_without_flags(child) for child in node.children) if node.children is not None else None
    if node.syntax != "nested":
        return replace(node, children=children)
    return replace(node, children=children, computed=False, sensitive=False)


def rules(make: Maker, nodes: tuple[Node, ...]) -> list[dict[str, str]]:
    """The CEL rules for what must be given at the top level, in the order of Terraform's names."""
    return [_rule(node) for node in nodes if _must_be_given(make, node)]


def _must_be_given(make: Maker, node: Node) -> bool:
    if node.optional or node.computed or make.is_identifier(node) or node.name in make.references:
        return False
    if node.is_single_block and make.choices.single_blocks == "object":
        return False  # a block that exists once is never required by the generators that make an object of each
    return node.kind != "dynamic"  # it has no type, and Kubernetes refuses a rule about what has none


def _rule(node: Node) -> dict[str, str]:
    name = secret_name(node.name) if node.sensitive else field_name(node.name)
    escaped = f"__{name}__" if name in RESERVED else name
    rule = f"{WANTED} || has(self.forProvider.{escaped})"
    if not node.sensitive:
        rule += f" || (has(self.initProvider) && has(self.initProvider.{escaped}))"
    return {"rule": rule, "message": f"spec.forProvider.{name} is a required parameter"}
