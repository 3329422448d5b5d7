"""Validators of resource definitions: kubernetes-validate checks the structure, cel-python compiles the rules."""

from collections.abc import Iterator, Mapping

import celpy
import kubernetes_validate

from portal.core.value_types import JsonObject


def list_rules(definition: JsonObject) -> Iterator[str]:
    """Yield the CEL expressions of all versions of a definition."""
    for version in definition["spec"]["versions"]:
        spec = version["schema"]["openAPIV3Schema"]["properties"].get("spec", {})
        yield from (rule["rule"] for rule in spec.get("x-kubernetes-validations", []))


class CrdValidators:
    """Both validators, reusable for many definitions."""

    def __init__(self) -> None:
        self._environment = celpy.Environment()
        self._errors_by_rule: dict[str, str] = {}
        self.version: str = kubernetes_validate.latest_version()
        self.definition_count = 0

    def list_errors(self, definition: dict[str, object]) -> list[str]:
        """Return the errors of a definition."""
        self.definition_count += 1
        messages = [self._check_structure(definition), *(self._compile_rule(rule) for rule in list_rules(definition))]
        return [message for message in messages if message]

    def _check_structure(self, definition: Mapping[str, object]) -> str:
        try:
            kubernetes_validate.validate(definition, self.version, strict=True)
        except kubernetes_validate.ValidationError as error:
            path = ".".join(str(part) for part in error.absolute_path)
            return f"Kubernetes {self.version}: {path or '(root)'}: {error.message[:300]}"
        return ""

    def _compile_rule(self, rule: str) -> str:
        # Many resources have the same rule, and compiling one is slow.
        if rule not in self._errors_by_rule:
            try:
                self._environment.compile(rule)
                self._errors_by_rule[rule] = ""
            except celpy.CELParseError as error:
                self._errors_by_rule[rule] = f"CEL: {str(error).splitlines()[0]} in {rule}"
        return self._errors_by_rule[rule]

    @property
    def rule_count(self) -> int:
        return len(self._errors_by_rule)
