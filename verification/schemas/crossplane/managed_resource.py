"""Conversion between Terraform values and Kubernetes objects, in both directions.

`decode` converts a provider's answer to an object; `encode_state` restores the same value, and `encode_spec` returns
the planned one. Values are plain data: None for null, lists for sets, numbers for numbers. Secrets are never part of an
object or a value: a text says where Crossplane reads or writes them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from portal.core.value_types import JsonObject
from verification.schemas.crossplane.crd import list_generated_nodes
from verification.schemas.crossplane.fields import FieldBuilder
from verification.schemas.crossplane.naming import build_field_name, build_secret_name
from verification.schemas.crossplane.options import IDENTIFIER_FROM_PROVIDER, GeneratorChoices
from verification.schemas.engine.types import Node, Resource

EXTERNAL_NAME_ANNOTATION = "crossplane.io/external-name"
ConvertLevel = Callable[[tuple[Node, ...], JsonObject], JsonObject]
OBSERVED_SECRET = "from the connection secret"  # noqa: S105 a text in place of the value


@dataclass(frozen=True, slots=True)
class ManagedResource:
    """Kubernetes object of one resource: desired state (`spec`, and `init` for creation) and observed state.

    `external_name` is None before creation. `excluded` holds observed values for which the definition has no
    field: the timeouts, and the values that the external name represents.
    """

    external_name: str | None = None
    spec: JsonObject = field(default_factory=dict)
    init: JsonObject = field(default_factory=dict)
    status: JsonObject = field(default_factory=dict)
    policies: tuple[str, ...] = ("*",)
    is_being_deleted: bool = False
    excluded: JsonObject = field(default_factory=dict)

    @property
    def creation_spec(self) -> JsonObject:
        """Return the desired state at the creation, with the initial values."""
        return _merge_values(self.init, self.spec)

    def allows(self, policy: str) -> bool:
        return "*" in self.policies or policy in self.policies


@dataclass(frozen=True, slots=True)
class ManagedResourceCodec:
    """Converter for the values of one resource with given generator options."""

    resource: Resource
    choices: GeneratorChoices

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Arguments as the definition has them: all except the ID and those that the external name replaces."""
        return tuple(node for node in list_generated_nodes(self.resource, self.choices) if node.name != "id")

    @property
    def builder(self) -> FieldBuilder:
        return FieldBuilder(self.choices, self.resource.name, is_namespaced=True)

    def read_manifest(self, manifest: JsonObject) -> ManagedResource:
        """Return the object of a manifest that fits its definition."""
        metadata = manifest["metadata"]
        spec = manifest["spec"]
        name = metadata.get("annotations", {}).get(EXTERNAL_NAME_ANNOTATION)
        if name is None and self.builder.external.rule[0] != IDENTIFIER_FROM_PROVIDER:
            name = metadata["name"]  # as Crossplane names objects by default
        policies = tuple(spec.get("managementPolicies", ["*"]))
        if policies == ("*",) and spec.get("deletionPolicy") == "Orphan":
            # The older field means all policies except Delete.
            policies = ("Observe", "Create", "Update", "LateInitialize")
        return ManagedResource(
            external_name=name,
            spec=spec["forProvider"],
            init=spec.get("initProvider", {}),
            status=manifest.get("status", {}).get("atProvider", {}),
            policies=policies,
            is_being_deleted=metadata.get("deletionTimestamp") is not None,
        )

    def hide_secrets(self, value: JsonObject) -> JsonObject:
        """Return a value with a text in place of each secret, even if the definition has a field for it."""
        return self._hide_level(self.nodes, self._hide_level(self.resource.nodes, value))

    def _hide_level(self, nodes: tuple[Node, ...], value: JsonObject) -> JsonObject:
        hidden = dict(value)
        for node in nodes:
            field_value = value.get(node.name)
            is_object = node.kind == "object"
            if field_value is not None:
                field_value = OBSERVED_SECRET if node.sensitive else field_value
                hidden[node.name] = self._convert(node, field_value, self._hide_level, is_object, is_object)
        return hidden

    def decode(self, value: JsonObject) -> ManagedResource:
        """Convert a value to an object: arguments in the spec, and all values in the status.

        The external name is the value of the first argument that it replaces, or the ID. The spec has no secrets.
        """
        value = self.hide_secrets(value)
        spec = self._decode_level(self.nodes, value, is_observed=False)
        status = self._decode_level(self.nodes, value, is_observed=True)
        if value.get("id") is not None:
            status["id"] = value["id"]
        # The other arguments that the external name replaces are prefixes, from which no name can be restored.
        names = (value.get(name) for name in (*self.builder.external.omitted[:1], "id"))
        external_name = next((name for name in names if name is not None), None)
        excluded = {name: value.get(name) for name in self._excluded_names}
        return ManagedResource(external_name=external_name, spec=spec, status=status, excluded=excluded)

    def add_observation(self, managed_resource: ManagedResource, value: JsonObject) -> ManagedResource:
        """Return the object with the state that the provider reported."""
        observed = self.decode(value)
        external_name = managed_resource.external_name or observed.external_name
        return replace(
            managed_resource, external_name=external_name, status=observed.status, excluded=observed.excluded
        )

    def encode_state(self, managed_resource: ManagedResource) -> JsonObject:
        """Return the prior state: the last observed value."""
        value = self._encode_level(self.nodes, managed_resource.status, is_observed=True)
        excluded_values = {
            name: managed_resource.excluded.get(name, self._get_excluded_value(name, managed_resource))
            for name in self._excluded_names
        }
        return dict(sorted((value | excluded_values).items()))

    def encode_spec(self, managed_resource: ManagedResource, *, creating: bool = False) -> JsonObject:
        """Return the planned state; values that only the provider sets are None."""
        # Initial values apply only once. Later, what the provider made of them is no difference.
        spec_values = managed_resource.creation_spec if creating else managed_resource.spec
        value = self._encode_level(self.nodes, spec_values, is_observed=False)
        excluded_values = {name: self._get_excluded_value(name, managed_resource) for name in self._excluded_names}
        return dict(sorted((value | excluded_values).items()))

    @property
    def _excluded_names(self) -> list[str]:
        """Names of the values that are not in the spec."""
        included = {node.name for node in self.nodes}
        return [node.name for node in self.resource.nodes if node.name not in included]

    def _get_excluded_value(self, name: str, managed_resource: ManagedResource) -> object:
        """Return the observed ID, the first argument that the name replaces, and the timeouts."""
        if name == "id":
            return managed_resource.status.get("id", managed_resource.external_name)
        if name in self.builder.external.omitted:
            return managed_resource.external_name if name == self.builder.external.omitted[0] else None
        return managed_resource.excluded.get(name)

    def _decode_level(self, nodes: tuple[Node, ...], value: JsonObject, *, is_observed: bool) -> JsonObject:
        """Return the fields of one level in the status (`is_observed`) or the spec."""
        level = partial(self._decode_level, is_observed=is_observed)
        fields: JsonObject = {}
        for node in nodes:
            field_value = value.get(node.name)
            if field_value is None or (not is_observed and (node.is_observed or field_value == OBSERVED_SECRET)):
                continue
            shapes = node.kind == "object", self.builder.is_object(node)
            fields[build_field_name(node.name)] = self._convert(node, field_value, level, *shapes)
        return {name: field_value for name, field_value in fields.items() if field_value is not None}

    def _encode_level(self, nodes: tuple[Node, ...], fields: JsonObject, *, is_observed: bool) -> JsonObject:
        """Return the values of one level from the status (`is_observed`) or the spec."""
        return {node.name: self._encode_field(node, fields, is_observed=is_observed) for node in nodes}

    def _encode_field(self, node: Node, fields: JsonObject, *, is_observed: bool) -> object:
        if node.is_observed and not is_observed:
            return None
        # The value is in a secret of the cluster, which a preview can't read.
        if node.sensitive and not is_observed:
            return _describe_reference(fields.get(build_secret_name(node.name)))
        value = fields.get(build_field_name(node.name))
        # Terraform has no null for such blocks: a missing one is an empty list.
        if value is None and node.syntax == "block" and node.kind in ("list", "set"):
            return []
        if value is None:
            return None
        level = partial(self._encode_level, is_observed=is_observed)
        return self._convert(node, value, level, self.builder.is_object(node), node.kind == "object")

    def _convert(
        self, node: Node, value: Any, level: ConvertLevel, is_object: bool = False, becomes_object: bool = False
    ) -> object:
        """Convert a value of either side. It and its result are a list unless they are a single object."""
        if value == OBSERVED_SECRET or (node.children is None and node.elem is None):
            return value

        def convert(element: Any) -> object:
            return self._convert(node.elem, element, level) if node.elem else level(node.children or (), element)

        if node.kind == "map":
            return {key: convert(element) for key, element in value.items()}
        elements = [convert(element) for element in ([value] if is_object else value)]
        return next(iter(elements), None) if becomes_object else elements


def _describe_reference(reference: Any) -> object:
    """Return a text in place of a secret value, or one for each element of a list."""
    if isinstance(reference, list):
        return [_describe_reference(element) for element in reference]
    if reference is None:
        return None
    name = "/".join(reference[part] for part in ("namespace", "name") if part in reference)
    return f"from secret {name}" + (f", key {reference['key']}" if "key" in reference else "")


def _merge_values(base: JsonObject, override: JsonObject) -> JsonObject:
    """Merge two values. `override` takes precedence, and lists are not merged."""
    both = dict(base)
    for name, value in override.items():
        old = both.get(name)
        both[name] = _merge_values(old, value) if isinstance(value, dict) and isinstance(old, dict) else value
    return both
