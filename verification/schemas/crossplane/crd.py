"""Kubernetes resource definitions as Crossplane's generator derives them from Terraform resources.

`build_definition` returns a CustomResourceDefinition as plain data for one of the two scopes. It doesn't include what
the generator takes from elsewhere, such as the provider's documentation and handwritten references.
"""

from dataclasses import replace

from verification.schemas.crossplane import envelope
from verification.schemas.crossplane.fields import FieldBuilder, build_view, clean_description
from verification.schemas.crossplane.naming import build_field_name, build_secret_name, pluralize
from verification.schemas.crossplane.options import GeneratorChoices
from verification.schemas.engine.types import Node, Resource

# Reserved words of CEL, which Kubernetes escapes with two underscores on each side.
CEL_RESERVED_WORDS = frozenset(
    {"as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop"}
    | {"namespace", "null", "package", "return", "true", "var", "void", "while"}
)
MANAGEMENT_CONDITION = "!({})".format(
    " || ".join(f"'{each}' in self.managementPolicies" for each in ("*", "Create", "Update"))
)
# Every Terraform resource has an ID. Crossplane keeps it in the annotation for the external name and in the status.
IDENTIFIER_NODE = Node(name="id", kind="string", computed=True)


def build_definition(resource: Resource, choices: GeneratorChoices, *, is_namespaced: bool) -> dict[str, object]:
    """Build a CustomResourceDefinition. Raises UnsupportedSchemaError with the unsupported field."""
    group_kind = choices.get_group_kind(resource.name)
    schema = _build_schema(resource, choices, group_kind.kind, is_namespaced)
    return envelope.build_shell(
        group_kind.kind,
        pluralize(group_kind.kind),
        choices.build_group_name(group_kind.group, is_namespaced=is_namespaced),
        ["crossplane", "managed", choices.category],
        envelope.build_version(choices.api_version, "printer_columns", schema),
        is_namespaced=is_namespaced,
    )


def _build_schema(resource: Resource, choices: GeneratorChoices, kind: str, is_namespaced: bool) -> dict[str, object]:
    builder = FieldBuilder(choices, resource.name, is_namespaced)
    nodes = list_generated_nodes(resource, choices)
    spec_view = build_view(builder, nodes, "spec")
    init_view = build_view(builder, nodes, "init")
    status_view = build_view(builder, nodes, "status")
    description = clean_description(resource.description)
    # Rules instead of “required”, because an object that is only observed or deleted needs no arguments.
    validations = [_build_rule(node) for node in nodes if is_required(builder, node)]
    spec = envelope.build_spec(kind, spec_view, init_view, choices.runtime, is_namespaced=is_namespaced)
    return {
        "description": f"{kind} is the Schema for the {kind}s API." + (f" {description}" if description else ""),
        "properties": {
            **envelope.copy_part("object_properties"),
            "spec": spec | ({"x-kubernetes-validations": validations} if validations else {}),
            "status": envelope.build_status(kind, status_view, choices.runtime),
        },
        "required": ["spec"],
        "type": "object",
    }


def list_generated_nodes(resource: Resource, choices: GeneratorChoices) -> tuple[Node, ...]:
    """Return the nodes that the generator uses: no timeouts or replaced arguments, but always an `id`."""
    omitted_names = {*choices.get_external_name(resource.name).omitted, "id"}
    sensitive = choices.sensitive.get(resource.name, ())
    nodes = [
        replace(node, sensitive=node.sensitive or node.name in sensitive)
        for node in resource.arguments
        if node.name not in omitted_names
    ]
    if choices.computed_nested == "parameter":
        nodes = [_clear_flags(node) for node in nodes]
    return tuple(sorted([*nodes, IDENTIFIER_NODE], key=lambda node: node.name))


def _clear_flags(node: Node) -> Node:
    """Return a node as generators around version 2.0 read it: nested attributes are not computed or sensitive."""
    children = tuple(_clear_flags(child) for child in node.children) if node.children is not None else None
    if node.syntax != "nested":
        return replace(node, children=children)
    return replace(node, children=children, computed=False, sensitive=False)


def get_spec_name(node: Node) -> str:
    """Return the name of an argument in the spec: its own, or the one of its secret reference."""
    return build_secret_name(node.name) if node.sensitive else build_field_name(node.name)


def is_required(builder: FieldBuilder, node: Node) -> bool:
    if node.optional or node.computed or builder.is_identifier(node) or node.name in builder.references:
        return False
    if node.is_single_block and builder.choices.single_blocks == "object":
        return False  # generators that create objects never require single blocks
    return node.kind != "dynamic"  # Kubernetes rejects rules for fields without a type


def _build_rule(node: Node) -> dict[str, str]:
    """Return the CEL rule for a required top-level argument."""
    name = get_spec_name(node)
    escaped_name = f"__{name}__" if name in CEL_RESERVED_WORDS else name
    rule = f"{MANAGEMENT_CONDITION} || has(self.forProvider.{escaped_name})"
    # As in the generator, a secret among the initial values doesn't satisfy the rule.
    if not node.sensitive:
        rule += f" || (has(self.initProvider) && has(self.initProvider.{escaped_name}))"
    return {"rule": rule, "message": f"spec.forProvider.{name} is a required parameter"}
