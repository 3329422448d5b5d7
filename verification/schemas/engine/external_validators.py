"""Third-party validators for definitions. They are development tools; a missing one is not run.

`kubernetes-validate` knows the shape of a definition in each version of Kubernetes, `cel-python` compiles its rules.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec

from portal.core.value_types import JsonObject

MODULES = {"kubernetes_validate": "kubernetes-validate", "celpy": "cel-python"}


def list_missing_packages() -> list[str]:
    """Return the packages that are not installed."""
    return [package for module, package in MODULES.items() if find_spec(module) is None]


def list_rules(definition: JsonObject) -> Iterator[str]:
    """Yield the CEL expressions of all versions of a definition."""
    for version in definition["spec"]["versions"]:
        spec = version["schema"]["openAPIV3Schema"]["properties"].get("spec", {})
        yield from (rule["rule"] for rule in spec.get("x-kubernetes-validations", []))


class CrdValidators:
    """Both validators, reusable for many definitions. Raises ImportError if a package is missing."""

    def __init__(self) -> None:
        self._shapes = import_module("kubernetes_validate")
        self._cel = import_module("celpy")
        self._environment = self._cel.Environment()
        self._compiled: dict[str, str] = {}
        self.version: str = self._shapes.latest_version()
        self.count = 0

    def refusals(self, definition: dict[str, object]) -> list[str]:
        """Return the errors of a definition."""
        self.count += 1
        messages = [self._shape(definition), *(self._rule(rule) for rule in list_rules(definition))]
        return [message for message in messages if message]

    def _shape(self, definition: Mapping[str, object]) -> str:
        try:
            self._shapes.validate(definition, self.version, strict=True)
        except self._shapes.ValidationError as error:
            place = ".".join(str(part) for part in error.absolute_path)
            return f"Kubernetes {self.version}: {place or '(root)'}: {error.message[:300]}"
        return ""

    def _rule(self, rule: str) -> str:
        if rule not in self._compiled:
            try:
                self._environment.compile(rule)
                self._compiled[rule] = ""
            except self._cel.CELParseError as error:
                self._compiled[rule] = f"CEL: {str(error).splitlines()[0]} in {rule}"
        return self._compiled[rule]

    @property
    def rules(self) -> int:
        """Number of compiled rules."""
        return len(self._compiled)
