"""Conversion between Terraform values and Kubernetes objects, in both directions.

`decode` converts a provider's answer to an object; `encode_state` restores the same value, and `encode_spec` returns
the planned one. Values are plain data: None for null, lists for sets, numbers for numbers. Secrets are kept separately.
An empty list of secrets stores nothing and reads back as null.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from portal.core.value_types import JsonObject
from verification.schemas.crossplane.fields import FieldBuilder
from verification.schemas.crossplane.naming import build_field_name, build_secret_name
from verification.schemas.crossplane.options import GeneratorChoices
from verification.schemas.engine.types import Node, Resource

UNSAFE_CHARACTER_PATTERN = re.compile(r"[^A-Za-z0-9-]")


class UnresolvedSecretError(ValueError):
    """Missing secret or key. The message contains its name."""


@dataclass(frozen=True, slots=True)
class ManagedResource:
    """Kubernetes object of one resource: desired state (`spec`, and `init` for creation) and observed state.

    `secrets` holds the values by the name of the secret and the key in it. Before creation, `external_name` has the
    value None. `beside` holds observed values for which the definition has no field: the timeouts, and the values that
    the external name represents.
    """

    external_name: str | None = None
    spec: JsonObject = field(default_factory=dict)
    init: JsonObject = field(default_factory=dict)
    status: JsonObject = field(default_factory=dict)
    secrets: dict[str, JsonObject] = field(default_factory=dict)
    policies: tuple[str, ...] = ("*",)
    is_being_deleted: bool = False
    beside: JsonObject = field(default_factory=dict)

    def allows(self, policy: str) -> bool:
        return "*" in self.policies or policy in self.policies


@dataclass(frozen=True, slots=True)
class ManagedResourceCodec:
    """Converter for the values of one resource with given generator options."""

    resource: Resource
    choices: GeneratorChoices
    secret: str = "values"  # noqa: S105 a name

    @property
    def _make(self) -> FieldBuilder:
        return FieldBuilder(self.choices, self.choices.external_name(self.resource.name), is_namespaced=True)

    @property
    def _excluded_names(self) -> frozenset[str]:
        """Arguments that are not in the spec: the ID and those that the external name replaces."""
        return frozenset({"id", *self._name_arguments})

    @property
    def _name_arguments(self) -> tuple[str, ...]:
        """Arguments that the external name replaces; the first one is the name."""
        return self.choices.external_name(self.resource.name).omitted

    @property
    def _nodes(self) -> tuple[Node, ...]:
        return tuple(node for node in self.resource.arguments if node.name not in self._excluded_names)

    def decode(self, value: JsonObject) -> ManagedResource:
        """Convert a value to an object: arguments in the spec, and all values except secrets in the status.

        The external name is the value of the first argument that it replaces, or the ID.
        """
        secrets: dict[str, JsonObject] = {self.secret: {}}
        spec, status = _Decoder(self._make, self.secret, secrets).level(self._nodes, value, "")
        if value.get("id") is not None:
            status["id"] = value["id"]
        names = (value.get(name) for name in (*self._name_arguments[:1], "id"))
        external_name = next((name for name in names if name is not None), None)
        stored_secrets = {key: values for key, values in secrets.items() if values or key != self.secret}
        beside = {name: value.get(name) for name in self._list_excluded_nodes}
        return ManagedResource(
            external_name=external_name, spec=spec, status=status, secrets=stored_secrets, beside=beside
        )

    def encode_state(self, managed_resource: ManagedResource) -> JsonObject:
        """Return the prior state: the last observed value."""
        encoder = _Encoder(self._make, managed_resource.secrets, self.secret, True)
        value = encoder.level(self._nodes, managed_resource.status, "")
        excluded_values = {
            name: managed_resource.beside.get(name, self._get_excluded_value(name, managed_resource))
            for name in self._list_excluded_nodes
        }
        return dict(sorted((value | excluded_values).items()))

    def encode_spec(self, managed_resource: ManagedResource, *, creating: bool = False) -> JsonObject:
        """Return the planned state; values that only the provider sets are None. Raises UnresolvedSecretError."""
        spec_values = merge_values(managed_resource.init, managed_resource.spec) if creating else managed_resource.spec
        value = _Encoder(self._make, managed_resource.secrets, self.secret, False).level(self._nodes, spec_values, "")
        excluded_values = {name: self._get_excluded_value(name, managed_resource) for name in self._list_excluded_nodes}
        return dict(sorted((value | excluded_values).items()))

    @property
    def _list_excluded_nodes(self) -> list[str]:
        """Return the values that are not in the spec."""
        names = {*self._excluded_names, *(["timeouts"] if self.resource.timeouts else [])}
        return [node.name for node in self.resource.nodes if node.name in names]

    def _get_excluded_value(self, name: str, managed_resource: ManagedResource) -> object:
        """Return the observed ID, the first argument that the name replaces, and the timeouts."""
        if name == "id":
            return managed_resource.status.get("id", managed_resource.external_name)
        if name in self._name_arguments:
            return managed_resource.external_name if name == self._name_arguments[0] else None
        return managed_resource.beside.get(name)


def merge_values(under: JsonObject, over: JsonObject) -> JsonObject:
    """Merge two values. The second one takes precedence, and lists are not merged."""
    both = dict(under)
    for name, value in over.items():
        below = both.get(name)
        both[name] = merge_values(below, value) if isinstance(value, dict) and isinstance(below, dict) else value
    return both


def build_secret_key(path: str, name: str | int) -> str:
    """Return the unique key of a secret value from letters, digits, hyphens, and periods."""
    escaped_name = UNSAFE_CHARACTER_PATTERN.sub(lambda match: f"_{ord(match[0]):x}_", str(name))
    return f"{path}.{escaped_name}" if path else escaped_name


@dataclass(frozen=True, slots=True)
class _Decoder:
    make: FieldBuilder
    secret: str
    secrets: dict[str, JsonObject]

    def level(self, nodes: tuple[Node, ...], value: JsonObject, path: str) -> tuple[JsonObject, JsonObject]:
        """Return the spec and the status at one level."""
        spec: JsonObject = {}
        status: JsonObject = {}
        for node in nodes:
            field_value, here = value.get(node.name), build_secret_key(path, node.name)
            if field_value is None:
                continue
            if node.sensitive:
                reference = self._store_secret(node, field_value, here)
                if not node.is_observed:
                    spec[build_secret_name(node.name)] = reference
                continue
            spec_value, status_value = self._decode_both(node, field_value, here)
            for target, one in ((spec, None if node.is_observed else spec_value), (status, status_value)):
                if one is not None:
                    target[build_field_name(node.name)] = one
        return spec, status

    def _store_secret(self, node: Node, field_value: Any, here: str) -> object:
        """Move the value to the secret and return the reference."""
        if node.kind == "map" and not node.is_observed:
            self.secrets[f"{self.secret}.{here}"] = dict(field_value)
            return {"name": f"{self.secret}.{here}"}
        if isinstance(field_value, list) and not node.is_observed:
            return [
                self._store_secret_value(one, build_secret_key(here, number)) for number, one in enumerate(field_value)
            ]
        return self._store_secret_value(field_value, here)

    def _store_secret_value(self, field_value: object, here: str) -> JsonObject:
        self.secrets[self.secret][here] = field_value
        return {"name": self.secret, "key": here}

    def _decode_both(self, node: Node, field_value: Any, here: str) -> tuple[object, object]:
        if node.children is None:
            return field_value, field_value
        if node.kind == "object":
            both = self.level(node.children, field_value, here)
            is_object = self.make.is_object(node)
            return both if is_object else ([both[0]], [both[1]])
        items = field_value.items() if node.kind == "map" else enumerate(field_value)
        pairs = {key: self.level(node.children, one, build_secret_key(here, key)) for key, one in items}
        if node.kind == "map":
            return {key: spec for key, (spec, _) in pairs.items()}, {key: status for key, (_, status) in pairs.items()}
        if self.make.is_object(node):
            return pairs.get(0, (None, None))
        return [spec for spec, _ in pairs.values()], [status for _, status in pairs.values()]


@dataclass(frozen=True, slots=True)
class _Encoder:
    """Encode a value from the status (`observed`) or the spec, and resolve its secrets."""

    make: FieldBuilder
    secrets: Mapping[str, JsonObject]
    secret: str
    from_status: bool

    def level(self, nodes: tuple[Node, ...], values: JsonObject, path: str) -> JsonObject:
        return {node.name: self._encode_node(node, values, build_secret_key(path, node.name)) for node in nodes}

    def _encode_node(self, node: Node, values: JsonObject, here: str) -> object:
        if node.sensitive and self.from_status:
            return self._get_secret_by_path(node, here)
        if node.sensitive:
            return self._get_secret_by_reference(node, values)
        if node.is_observed and not self.from_status:
            return None
        field_value = values.get(build_field_name(node.name))
        if node.children is None:
            return field_value
        if field_value is None:
            return [] if node.syntax == "block" and node.kind in ("list", "set") else None
        return self._encode_children(node, field_value, here, node.children)

    def _encode_children(self, node: Node, field_value: Any, here: str, children: tuple[Node, ...]) -> Any:
        if node.kind == "map":
            return {key: self.level(children, one, build_secret_key(here, key)) for key, one in field_value.items()}
        if node.kind == "object":
            one = field_value if self.make.is_object(node) else next(iter(field_value), None)
            return None if one is None else self.level(children, one, here)
        several = [field_value] if self.make.is_object(node) else field_value
        return [self.level(children, one, build_secret_key(here, number)) for number, one in enumerate(several)]

    def _get_secret_by_path(self, node: Node, here: str) -> object:
        own = self.secrets.get(self.secret, {})
        if here in own:
            return own[here]
        if node.kind == "map":
            secret_values = self.secrets.get(f"{self.secret}.{here}")
            return dict(secret_values) if secret_values is not None else None
        if node.kind not in ("list", "set"):
            return None
        several: list[object] = []
        while build_secret_key(here, len(several)) in own:
            several.append(own[build_secret_key(here, len(several))])
        return several or None

    def _get_secret_by_reference(self, node: Node, values: JsonObject) -> Any:
        reference = values.get(build_secret_name(node.name))
        if reference is None or node.is_observed:
            return None
        if isinstance(reference, list):
            return [self._resolve_secret(one) for one in reference]
        return self._resolve_secret(reference)

    def _resolve_secret(self, reference: Mapping[str, str]) -> Any:
        secret_values = self.secrets.get(reference["name"])
        if secret_values is None:
            raise UnresolvedSecretError(f"Secret {reference['name']} not found.")
        if "key" not in reference:
            return dict(secret_values)
        if reference["key"] not in secret_values:
            raise UnresolvedSecretError(f"Key {reference['key']} not found in secret {reference['name']}.")
        return secret_values[reference["key"]]
