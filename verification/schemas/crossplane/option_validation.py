"""Validation of generator options against the schema. Crossplane ignores options for unknown resources."""

from verification.schemas.crossplane.options import GeneratorChoices, InvalidChoiceError
from verification.schemas.crossplane.references import can_refer
from verification.schemas.engine.types import Node, ParsedSchema


def validate_choices(schema: ParsedSchema, choices: GeneratorChoices) -> GeneratorChoices:
    """Return the options, or raise InvalidChoiceError for names that the schema doesn't contain."""
    targets = choices.reference_targets.values()
    for resource in sorted({*choices.by_resource, *choices.kinds, *choices.references, *choices.sensitive, *targets}):
        if resource not in schema.resources:
            raise InvalidChoiceError(f"Resource “{resource[:100]}” not found in the provider.")
    _validate_references(schema, choices)
    for resource, names in sorted(choices.sensitive.items()):
        for name in names:
            node = schema.resources[resource].node(name)
            if node is None or node.kind != "string":
                raise InvalidChoiceError(f"{resource}.{name[:100]} can't be sensitive. It must be a string argument.")
    return choices


def _validate_references(schema: ParsedSchema, choices: GeneratorChoices) -> None:
    for resource, paths in sorted(choices.references.items()):
        for path in sorted(paths):
            node = _find_node(schema.resources[resource].arguments, path)
            if node is None:
                raise InvalidChoiceError(f"Argument “{path[:100]}” not found in {resource}.")
            if not can_refer(node):
                raise InvalidChoiceError(
                    f"{resource}.{path} can't be a reference. It must be a settable, non-sensitive string."
                )


def _find_node(nodes: tuple[Node, ...], path: str) -> Node | None:
    first, _, rest = path.partition(".")
    node = next((node for node in nodes if node.name == first), None)
    return _find_node(node.children or (), rest) if node is not None and rest else node
