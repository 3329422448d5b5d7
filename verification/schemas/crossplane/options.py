"""What does whoever generates a Crossplane provider choose? The group, external names, how lists of one item look.

Nothing of this stands in a schema. The defaults are those of the generator, except that a resource's identifier comes
from the provider, which is what most published providers choose.
"""

import re
from dataclasses import dataclass, field

from verification.schemas.crossplane.naming import GroupKind, group_kind

FROM_PROVIDER = "IDENTIFIER_FROM_PROVIDER"
NAME = "NAME_AS_IDENTIFIER"
PARAMETER = "PARAMETER_AS_IDENTIFIER"
TEMPLATED = "TEMPLATED_STRING_AS_IDENTIFIER"
# a parameter that goes through a function, as in {{ .parameters.type | ToLower }}, counts for nothing
USED = re.compile(r"{{\s*\.parameters\.([^\s}]+)\s*}}")
WORD = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")
LABEL = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
VERSION = re.compile(r"v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?")
PATH = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+", re.IGNORECASE)
KIND = re.compile(r"[A-Z][A-Za-z0-9]*")
DOMAIN = "upbound.io"
SINGLETONS = ("array", "object")
COMPUTED_NESTED = ("status", "parameter")
NUMBERS = ("integer", "number")  # the first is what generators that read Go code write, as the largest providers do
RUNTIMES = ("2.0", "2.3", "1")  # the first is what most published definitions are of
# which words each choice may be, and what is said where it is another
WORDS = {
    "singletons": (SINGLETONS, "A list of one becomes an “array” or an “object”."),
    "single_blocks": (SINGLETONS, "A block that exists once becomes an “array” or an “object”."),
    "computed_nested": (COMPUTED_NESTED, "A computed nested attribute goes to the “status” or is a “parameter”."),
    "numbers": (NUMBERS, "A number becomes a “number” or an “integer”."),
    "runtime": (RUNTIMES, f"The runtime is one of {', '.join(RUNTIMES)}."),
}


class BadChoice(ValueError):
    """The choice cannot be read. The message is a sentence fit to show."""


@dataclass(frozen=True, slots=True)
class ExternalName:
    """Which arguments the external name replaces (`omitted`), and which name the object (`identifiers`)."""

    omitted: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()


def external_name(text: str) -> ExternalName:
    """From "NAME_AS_IDENTIFIER" or "PARAMETER_AS_IDENTIFIER:p"; templates are "…:field:template". Raises BadChoice."""
    rule, _, rest = text.partition(":")
    if rule == FROM_PROVIDER and not rest:
        return ExternalName()
    if rule == NAME and not rest:
        return ExternalName(omitted=("name", "name_prefix"))
    if rule == PARAMETER and rest:
        return ExternalName(omitted=(rest, f"{rest}_prefix"), identifiers=(rest,))
    if rule == TEMPLATED and rest:
        name, _, template = rest.partition(":")
        used = tuple(dict.fromkeys(USED.findall(template)))
        return ExternalName(omitted=(name, f"{name}_prefix") if name else (), identifiers=used)
    raise BadChoice(f"“{text}” is no external name: choose {FROM_PROVIDER}, {NAME}, {PARAMETER}:p or {TEMPLATED}:p:t.")


@dataclass(frozen=True, slots=True)
class Choices:
    """`root` is the domain of the cluster-scoped resources: "acme.upbound.io". `singletons` and `single_blocks` say
    whether a list of at most one object, and a block that exists once, become an array or an object; `computed_nested`
    where an attribute goes that has attributes of its own and is told by the provider alone; `numbers` whether they are
    whole; `runtime` of which age what surrounds the fields is. `references` holds for each resource the dotted paths of
    the values that refer to other resources."""

    root: str
    category: str
    default: ExternalName = field(default_factory=ExternalName)
    by_resource: dict[str, ExternalName] = field(default_factory=dict)
    kinds: dict[str, GroupKind] = field(default_factory=dict)
    singletons: str = "array"
    single_blocks: str = "array"
    computed_nested: str = "status"
    numbers: str = NUMBERS[0]
    runtime: str = RUNTIMES[0]
    api_version: str = "v1alpha1"
    references: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def external_name(self, resource: str) -> ExternalName:
        return self.by_resource.get(resource, self.default)

    def group_kind(self, resource: str) -> GroupKind:
        return self.kinds.get(resource) or group_kind(resource)

    @property
    def scopes(self) -> tuple[bool, ...]:
        """Whether each definition of a resource is namespaced. The first runtime knew no such."""
        return (False,) if self.runtime == "1" else (False, True)

    def group(self, short: str, *, namespaced: bool) -> str:
        """The whole group; the namespaced one has an "m" behind the provider's own word."""
        first, _, rest = self.root.partition(".")
        root = f"{first}.m.{rest}" if namespaced else self.root
        return f"{short}.{root}" if short else root


def choices(prefix: str, external: tuple[str, ...] = (), kinds: tuple[str, ...] = (),
            references: tuple[str, ...] = (), api_version: str = "v1alpha1", category: str = "",
            **words: str) -> Choices:  # fmt: skip
    """From words as people type them. `prefix` is "acme" (acme.upbound.io) or a whole domain; without a `category` its
    first word is one; `words` are those of WORDS. Raises BadChoice."""
    if not LABEL.fullmatch(prefix):
        raise BadChoice(f"“{prefix}” is no group prefix: write small letters, digits and hyphens, as in “acme”.")
    for name, word in words.items():
        known, sentence = WORDS[name]
        if word not in known:
            raise BadChoice(sentence)
    if category and not WORD.fullmatch(category):
        raise BadChoice(f"“{category[:40]}” is no category: write small letters, digits and hyphens, as in “acme”.")
    if not VERSION.fullmatch(api_version):
        raise BadChoice(f"“{api_version[:40]}” is no API version: write one as in “v1beta1”.")
    general = [text for text in external if not _is_named(text)]
    if len(general) > 1:
        raise BadChoice("Give one external name for all resources; name the others as in “RESOURCE=RULE”.")
    named = (text.partition("=") for text in external if _is_named(text))
    return Choices(
        root=prefix if "." in prefix else f"{prefix}.{DOMAIN}",
        category=category or prefix.partition(".")[0],
        default=external_name(general[0]) if general else ExternalName(),
        by_resource={resource: external_name(rule) for resource, _, rule in named},
        kinds=dict(_kind(text) for text in kinds),
        references=_references(references),
        api_version=api_version,
        **words,
    )


def _references(texts: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        if not PATH.fullmatch(text):
            raise BadChoice(f"“{text[:100]}” is no reference: write RESOURCE.argument, as in “acme_server.network_id”.")
        resource, _, path = text.partition(".")
        found[resource] = (*found.get(resource, ()), path)
    return found


def _is_named(text: str) -> bool:
    return "=" in text.partition(":")[0]


def _kind(text: str) -> tuple[str, GroupKind]:
    resource, _, rest = text.partition("=")
    group, _, kind = rest.partition("/")
    if not resource or not KIND.fullmatch(kind) or (group and not LABEL.fullmatch(group)):
        raise BadChoice(f"“{text}” is no kind: write RESOURCE=group/Kind.")
    return resource, GroupKind(group, kind)
