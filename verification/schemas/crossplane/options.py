"""Options for generating a Crossplane provider: group, external names, form of single-item lists.

A schema holds none of them. The defaults are those of the generator, except that a resource's identifier comes
from the provider, which is what most published providers choose.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from portal.core.content_files import Content, load_content
from verification.schemas.crossplane.naming import GroupKind, derive_group_kind, quote_go
from verification.schemas.crossplane.references import can_refer
from verification.schemas.engine.kubernetes_rules import KIND_PATTERN, NAME_PATTERN
from verification.schemas.engine.types import Node, ParsedSchema

IDENTIFIER_FROM_PROVIDER = "IDENTIFIER_FROM_PROVIDER"
NAME_AS_IDENTIFIER = "NAME_AS_IDENTIFIER"
PARAMETER_AS_IDENTIFIER = "PARAMETER_AS_IDENTIFIER"
TEMPLATE_AS_IDENTIFIER = "TEMPLATED_STRING_AS_IDENTIFIER"
# Upjet takes only plain parameters for identifiers, not those in a function: {{ .parameters.type | ToLower }}.
PARAMETER_PATTERN = re.compile(r"{{\s*\.parameters\.([^\s}]+)\s*}}")
WORD_PATTERN = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")
VERSION_PATTERN = re.compile(r"v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?")
PATH_PATTERN = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+", re.IGNORECASE)
DEFAULT_DOMAIN = "upbound.io"


class ChoiceOption(Content):
    """Option with a fixed set of values, of which the first is the default.

    `message` explains another value, `help` is the description for the command.
    """

    values: tuple[str, ...]
    message: str
    help: str

    @property
    def default(self) -> str:
        return self.values[0]


class ListOption(Content):
    """Option of the command that can be repeated."""

    flag: str
    metavar: str
    help: str


DATA_FOLDER = Path(__file__).parent.parent / "data"


class ChoiceOptionFile(Content):
    """Content of options.yaml, by the argument of parse_choices."""

    singletons: ChoiceOption
    single_blocks: ChoiceOption
    computed_nested: ChoiceOption
    numbers: ChoiceOption
    runtime: ChoiceOption


class ListOptionFile(Content):
    """Content of list_options.yaml, by the argument of parse_choices."""

    external: ListOption
    kinds: ListOption
    references: ListOption
    sensitive: ListOption


CHOICE_OPTIONS: dict[str, ChoiceOption] = vars(load_content(DATA_FOLDER / "options.yaml", ChoiceOptionFile))
LIST_OPTIONS: dict[str, ListOption] = vars(load_content(DATA_FOLDER / "list_options.yaml", ListOptionFile))


class InvalidChoiceError(ValueError):
    """Invalid option. The message is safe to display."""


@dataclass(frozen=True, slots=True)
class ExternalName:
    """Arguments that the external name replaces (`omitted`), and arguments that identify the object (`identifiers`).

    `rule` is the rule that says so, with its parameters.
    """

    rule: tuple[str, ...] = (IDENTIFIER_FROM_PROVIDER,)
    omitted: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()

    def render_go(self) -> str:
        """Return the Go expression of the rule in Upjet's package config."""
        name, *parameters = self.rule
        arguments = ", ".join(map(quote_go, parameters))
        # Upjet's names, such as IdentifierFromProvider.
        return name.title().replace("_", "") + (f"({arguments})" if parameters else "")


def parse_external_name(text: str) -> ExternalName:
    """Parse a rule, such as "PARAMETER_AS_IDENTIFIER:p". Raises InvalidChoiceError."""
    rule, _, rest = text.partition(":")
    if rule == IDENTIFIER_FROM_PROVIDER and not rest:
        return ExternalName()
    if rule == NAME_AS_IDENTIFIER and not rest:
        # A prefix is Terraform's alternative to a name, so the external name replaces both.
        return ExternalName((rule,), omitted=("name", "name_prefix"))
    if rule == PARAMETER_AS_IDENTIFIER and rest:
        return ExternalName((rule, rest), omitted=(rest, f"{rest}_prefix"), identifiers=(rest,))
    if rule == TEMPLATE_AS_IDENTIFIER and rest:
        name, _, template = rest.partition(":")
        parameters = tuple(dict.fromkeys(PARAMETER_PATTERN.findall(template)))
        omitted = (name, f"{name}_prefix") if name else ()
        return ExternalName((rule, name, template), omitted=omitted, identifiers=parameters)
    raise InvalidChoiceError(
        f"Unknown external name “{text}”. Use {IDENTIFIER_FROM_PROVIDER}, {NAME_AS_IDENTIFIER}, "
        f"{PARAMETER_AS_IDENTIFIER}:p, or {TEMPLATE_AS_IDENTIFIER}:p:t."
    )


@dataclass(frozen=True, slots=True)
class GeneratorChoices:
    """Options of the generator. Those with a fixed set of values are described in CHOICE_OPTIONS.

    `root` is the domain of the cluster-scoped resources: "acme.upbound.io". `references` has, for each resource, the
    dotted paths of the values that refer to other resources; `reference_targets` has the resource for some of them, by
    RESOURCE.path. `sensitive` has the arguments that are sensitive although the schema doesn't say so.
    """

    root: str
    category: str
    default: ExternalName = field(default_factory=ExternalName)
    by_resource: dict[str, ExternalName] = field(default_factory=dict)
    kinds: dict[str, GroupKind] = field(default_factory=dict)
    singletons: str = CHOICE_OPTIONS["singletons"].default
    single_blocks: str = CHOICE_OPTIONS["single_blocks"].default
    computed_nested: str = CHOICE_OPTIONS["computed_nested"].default
    numbers: str = CHOICE_OPTIONS["numbers"].default
    runtime: str = CHOICE_OPTIONS["runtime"].default
    api_version: str = "v1alpha1"
    references: dict[str, tuple[str, ...]] = field(default_factory=dict)
    reference_targets: dict[str, str] = field(default_factory=dict)
    sensitive: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def get_external_name(self, resource: str) -> ExternalName:
        return self.by_resource.get(resource, self.default)

    def get_group_kind(self, resource: str) -> GroupKind:
        return self.kinds.get(resource) or derive_group_kind(resource)

    @property
    def scopes(self) -> tuple[bool, ...]:
        """Scopes of the definitions. Runtime 1 has no namespaced ones."""
        return (False,) if self.runtime == "1" else (False, True)

    def build_group_name(self, short: str, *, is_namespaced: bool) -> str:
        """Return the full group. The namespaced one has an "m" after the provider name."""
        first, _, rest = self.root.partition(".")
        # Both scopes can be installed together, so their groups must differ.
        root = f"{first}.m.{rest}" if is_namespaced else self.root
        return f"{short}.{root}" if short else root


def parse_choices(
    prefix: str,
    external: Sequence[str] = (),
    kinds: Sequence[str] = (),
    references: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    api_version: str = "v1alpha1",
    category: str = "",
    **words: str,
) -> GeneratorChoices:
    """Return the options from text as people enter it. Raises InvalidChoiceError.

    `prefix` is "acme" for acme.upbound.io, or a full domain. Its first label is the default category.
    """
    _validate_words(prefix, category, api_version, words)
    general = [text for text in external if not _is_named(text)]
    if len(general) > 1:
        raise InvalidChoiceError("Set one default external name. Write others as “RESOURCE=RULE”.")
    reference_pairs = [text.partition("=") for text in references]
    resource_rules = (text.partition("=") for text in external if _is_named(text))
    return GeneratorChoices(
        root=prefix if "." in prefix else f"{prefix}.{DEFAULT_DOMAIN}",
        category=category or prefix.partition(".")[0],
        default=parse_external_name(general[0]) if general else ExternalName(),
        by_resource={resource: parse_external_name(rule) for resource, _, rule in resource_rules},
        kinds=dict(_parse_kind(text) for text in kinds),
        references=_parse_paths("reference", (path for path, _, _ in reference_pairs)),
        reference_targets={path: target for path, _, target in reference_pairs if target},
        sensitive=_parse_paths("argument", sensitive),
        api_version=api_version,
        **words,
    )


def _validate_words(prefix: str, category: str, api_version: str, words: Mapping[str, str]) -> None:
    # The prefix becomes a part of the API group, which is a domain name.
    if not NAME_PATTERN.fullmatch(prefix):
        raise InvalidChoiceError(
            f"“{prefix}” is not a valid group prefix. Use lowercase letters, digits, and hyphens, such as “acme”."
        )
    for name, word in words.items():
        if word not in CHOICE_OPTIONS[name].values:
            raise InvalidChoiceError(CHOICE_OPTIONS[name].message)
    if category and not WORD_PATTERN.fullmatch(category):
        raise InvalidChoiceError(
            f"“{category[:40]}” is not a valid category. Use lowercase letters, digits, and hyphens, such as “acme”."
        )
    if not VERSION_PATTERN.fullmatch(api_version):
        raise InvalidChoiceError(f"“{api_version[:40]}” is not a valid API version. Use a version such as “v1beta1”.")


def _parse_paths(name: str, texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
    paths_by_resource: dict[str, tuple[str, ...]] = {}
    for text in texts:
        if not PATH_PATTERN.fullmatch(text):
            raise InvalidChoiceError(
                f"“{text[:100]}” is not a valid {name}. Write RESOURCE.argument, such as “acme_server.network_id”."
            )
        resource, _, path = text.partition(".")
        paths_by_resource[resource] = (*paths_by_resource.get(resource, ()), path)
    return paths_by_resource


def _is_named(text: str) -> bool:
    # After the colon, an equals sign can be part of a template.
    return "=" in text.partition(":")[0]


def _parse_kind(text: str) -> tuple[str, GroupKind]:
    resource, _, rest = text.partition("=")
    group, _, kind = rest.partition("/")
    # An empty group is the provider's own, without a short group.
    if not resource or not KIND_PATTERN.fullmatch(kind) or (group and not NAME_PATTERN.fullmatch(group)):
        raise InvalidChoiceError(f"“{text}” is not a valid kind. Write RESOURCE=group/Kind.")
    return resource, GroupKind(group, kind)


def validate_choices(schema: ParsedSchema, choices: GeneratorChoices) -> GeneratorChoices:
    """Return the options, or raise InvalidChoiceError for names that the schema doesn't contain.

    Crossplane ignores options for unknown resources.
    """
    targets = choices.reference_targets.values()
    for resource in sorted({*choices.by_resource, *choices.kinds, *choices.references, *choices.sensitive, *targets}):
        if resource not in schema.resources:
            raise InvalidChoiceError(f"Resource “{resource[:100]}” not found in the provider.")
    _validate_references(schema, choices)
    for resource, names in sorted(choices.sensitive.items()):
        for name in names:
            node = schema.resources[resource].get_node(name)
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
