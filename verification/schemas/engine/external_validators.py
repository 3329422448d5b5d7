"""Third-party validators of custom resource definitions, which are optional development tools.

`kubernetes-validate` checks the structure of a definition, and `cel-python` compiles its validation rules.
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
        # Imported here, because the production environment doesn't have them.
        self._structures = import_module("kubernetes_validate")
        self._cel = import_module("celpy")
        self._environment = self._cel.Environment()
        self._errors_by_rule: dict[str, str] = {}
        self.version: str = self._structures.latest_version()
        self.definition_count = 0

    def list_errors(self, definition: dict[str, object]) -> list[str]:
        """Return the errors of a definition."""
        self.definition_count += 1
        messages = [self._check_structure(definition), *(self._compile_rule(rule) for rule in list_rules(definition))]
        return [message for message in messages if message]

    def _check_structure(self, definition: Mapping[str, object]) -> str:
        try:
            self._structures.validate(definition, self.version, strict=True)
        except self._structures.ValidationError as error:
            path = ".".join(str(part) for part in error.absolute_path)
            return f"Kubernetes {self.version}: {path or '(root)'}: {error.message[:300]}"
        return ""

    def _compile_rule(self, rule: str) -> str:
        # Many resources have the same rule, and compiling one is slow.
        if rule not in self._errors_by_rule:
            try:
                self._environment.compile(rule)
                self._errors_by_rule[rule] = ""
            except self._cel.CELParseError as error:
                self._errors_by_rule[rule] = f"CEL: {str(error).splitlines()[0]} in {rule}"
        return self._errors_by_rule[rule]

    @property
    def rule_count(self) -> int:
        return len(self._errors_by_rule)
