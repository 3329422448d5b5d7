"""How does a value of Terraform become a Kubernetes object, and how does the object become a value again?

`decode` reads what a provider answered into an object; `encode_state` gives the same value back, and `encode_spec` what
is wanted. Values are plain data: null is None, sets are lists, numbers are numbers. Secrets lie beside the object.
An empty list of secrets leaves nothing there and reads back as null.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from verification.schemas.crossplane.fields import Maker
from verification.schemas.crossplane.naming import field_name, secret_name
from verification.schemas.crossplane.options import Choices
from verification.schemas.engine.types import Node, Resource

Value = dict[str, Any]
UNSAFE = re.compile(r"[^A-Za-z0-9-]")


class Unresolved(ValueError):
    """A secret that the object refers to is not there. The message names it."""


@dataclass(frozen=True, slots=True)
class Managed:
    """A Kubernetes object of one resource: what is wanted (`spec`, and `init` for the creation), what was observed.

    `secrets` holds the values by the name of the secret and the key in it. `external_name` is None before creation.
    `beside` holds what was observed of that for which the definition has no field: the timeouts, and what the external
    name stands for.
    """

    external_name: str | None = None
    spec: Value = field(default_factory=dict)
    init: Value = field(default_factory=dict)
    status: Value = field(default_factory=dict)
    secrets: dict[str, dict[str, Any]] = field(default_factory=dict)
    policies: tuple[str, ...] = ("*",)
    is_being_deleted: bool = False
    beside: Value = field(default_factory=dict)

    def may(self, policy: str) -> bool:
        return "*" in self.policies or policy in self.policies


@dataclass(frozen=True, slots=True)
class Codec:
    """Values of one resource, under the choices of who generates the provider."""

    resource: Resource
    choices: Choices
    secret: str = "values"  # noqa: S105 a name

    @property
    def _make(self) -> Maker:
        return Maker(self.choices, self.choices.external_name(self.resource.name), namespaced=True)

    @property
    def _named(self) -> frozenset[str]:
        """What does not stand in the specification: the id, and what the external name replaces."""
        return frozenset({"id", *self._replaced})

    @property
    def _replaced(self) -> tuple[str, ...]:
        """What the external name replaces; the first of them is the name."""
        return self.choices.external_name(self.resource.name).omitted

    @property
    def _nodes(self) -> tuple[Node, ...]:
        return tuple(node for node in self.resource.arguments if node.name not in self._named)

    def decode(self, value: Value) -> Managed:
        """The object of this value: what can be set in the spec, what is no secret in the status.

        Its external name is what the name replaces, where there is that, and the id otherwise.
        """
        secrets: dict[str, dict[str, Any]] = {self.secret: {}}
        spec, status = _Decoding(self._make, self.secret, secrets).level(self._nodes, value, "")
        if value.get("id") is not None:
            status["id"] = value["id"]
        names = (value.get(name) for name in (*self._replaced[:1], "id"))
        named = next((name for name in names if name is not None), None)
        held = {key: kept for key, kept in secrets.items() if kept or key != self.secret}
        beside = {name: value.get(name) for name in self._left_out}
        return Managed(external_name=named, spec=spec, status=status, secrets=held, beside=beside)

    def encode_state(self, managed: Managed) -> Value:
        """The value as the provider last told it: the prior state."""
        value = _Encoding(self._make, managed.secrets, self.secret, True).level(self._nodes, managed.status, "")
        told = {name: managed.beside.get(name, self._named_so(name, managed)) for name in self._left_out}
        return dict(sorted((value | told).items()))

    def encode_spec(self, managed: Managed, *, creating: bool = False) -> Value:
        """The value as it is wanted: the planned state. What the provider alone says is None. Raises Unresolved."""
        wanted = merged(managed.init, managed.spec) if creating else managed.spec
        value = _Encoding(self._make, managed.secrets, self.secret, False).level(self._nodes, wanted, "")
        told = {name: self._named_so(name, managed) for name in self._left_out}
        return dict(sorted((value | told).items()))

    @property
    def _left_out(self) -> list[str]:
        """What the resource has and the specification has not."""
        names = {*self._named, *(["timeouts"] if self.resource.timeouts else [])}
        return [node.name for node in self.resource.nodes if node.name in names]

    def _named_so(self, name: str, managed: Managed) -> Any:
        """The id as it was observed, the first argument that the name replaces, the timeouts; nothing of the others."""
        if name == "id":
            return managed.status.get("id", managed.external_name)
        if name in self._replaced:
            return managed.external_name if name == self._replaced[0] else None
        return managed.beside.get(name)


def merged(under: Value, over: Value) -> Value:
    """Both; where both say something, the second counts. Objects are merged, lists are not."""
    both = dict(under)
    for name, value in over.items():
        below = both.get(name)
        both[name] = merged(below, value) if isinstance(value, dict) and isinstance(below, dict) else value
    return both


def place(path: str, name: str | int) -> str:
    """The key of a secret value below `path`: letters, digits, hyphens and points, and never the same for two."""
    escaped = UNSAFE.sub(lambda found: f"_{ord(found[0]):x}_", str(name))
    return f"{path}.{escaped}" if path else escaped


@dataclass(frozen=True, slots=True)
class _Decoding:
    make: Maker
    secret: str
    secrets: dict[str, dict[str, Any]]

    def level(self, nodes: tuple[Node, ...], value: Mapping[str, Any], path: str) -> tuple[Value, Value]:
        """The spec and the status at one level."""
        spec: Value = {}
        status: Value = {}
        for node in nodes:
            found, here = value.get(node.name), place(path, node.name)
            if found is None:
                continue
            if node.sensitive:
                reference = self._kept(node, found, here)
                if not node.is_observed:
                    spec[secret_name(node.name)] = reference
                continue
            wanted, seen = self._both(node, found, here)
            for target, one in ((spec, None if node.is_observed else wanted), (status, seen)):
                if one is not None:
                    target[field_name(node.name)] = one
        return spec, status

    def _kept(self, node: Node, found: Any, here: str) -> Any:
        """The value goes into the secret; what is left is the reference to it."""
        if node.kind == "map" and not node.is_observed:
            self.secrets[f"{self.secret}.{here}"] = dict(found)
            return {"name": f"{self.secret}.{here}"}
        if isinstance(found, list) and not node.is_observed:
            return [self._kept_one(one, place(here, number)) for number, one in enumerate(found)]
        return self._kept_one(found, here)

    def _kept_one(self, found: Any, here: str) -> Value:
        self.secrets[self.secret][here] = found
        return {"name": self.secret, "key": here}

    def _both(self, node: Node, found: Any, here: str) -> tuple[Any, Any]:
        if node.children is None:
            return found, found
        if node.kind == "object":
            both = self.level(node.children, found, here)
            is_object = self.make.is_object(node)
            return both if is_object else ([both[0]], [both[1]])
        if node.kind == "map":
            each = {key: self.level(node.children, one, place(here, key)) for key, one in found.items()}
            return {key: one[0] for key, one in each.items()}, {key: one[1] for key, one in each.items()}
        pairs = [self.level(node.children, one, place(here, number)) for number, one in enumerate(found)]
        if self.make.is_object(node):
            return pairs[0] if pairs else (None, None)
        return [one[0] for one in pairs], [one[1] for one in pairs]


@dataclass(frozen=True, slots=True)
class _Encoding:
    """From the status (`observed`), with every secret by its place, or from the spec, with secrets by reference."""

    make: Maker
    secrets: Mapping[str, Mapping[str, Any]]
    secret: str
    observed: bool

    def level(self, nodes: tuple[Node, ...], told: Mapping[str, Any], path: str) -> Value:
        return {node.name: self._one(node, told, place(path, node.name)) for node in nodes}

    def _one(self, node: Node, told: Mapping[str, Any], here: str) -> Any:
        if node.sensitive:
            return self._by_place(node, here) if self.observed else self._by_reference(node, told)
        if node.is_observed and not self.observed:
            return None
        found = told.get(field_name(node.name))
        if node.children is None:
            return found
        if found is None:
            return [] if node.syntax == "block" and node.kind in ("list", "set") else None
        return self._inside(node, found, here, node.children)

    def _inside(self, node: Node, found: Any, here: str, children: tuple[Node, ...]) -> Any:
        if node.kind == "map":
            return {key: self.level(children, one, place(here, key)) for key, one in found.items()}
        if node.kind == "object":
            one = found if self.make.is_object(node) else next(iter(found), None)
            return None if one is None else self.level(children, one, here)
        several = [found] if self.make.is_object(node) else found
        return [self.level(children, one, place(here, number)) for number, one in enumerate(several)]

    def _by_place(self, node: Node, here: str) -> Any:
        own = self.secrets.get(self.secret, {})
        if here in own:
            return own[here]
        if node.kind == "map":
            kept = self.secrets.get(f"{self.secret}.{here}")
            return dict(kept) if kept is not None else None
        if node.kind not in ("list", "set"):
            return None
        several: list[Any] = []
        while place(here, len(several)) in own:
            several.append(own[place(here, len(several))])
        return several or None

    def _by_reference(self, node: Node, told: Mapping[str, Any]) -> Any:
        reference = told.get(secret_name(node.name))
        if reference is None or node.is_observed:
            return None
        if isinstance(reference, list):
            return [self._resolved(one) for one in reference]
        return self._resolved(reference)

    def _resolved(self, reference: Mapping[str, str]) -> Any:
        kept = self.secrets.get(reference["name"])
        if kept is None:
            raise Unresolved(f"There is no secret {reference['name']}.")
        if "key" not in reference:
            return dict(kept)
        if reference["key"] not in kept:
            raise Unresolved(f"The secret {reference['name']} has no key {reference['key']}.")
        return kept[reference["key"]]
