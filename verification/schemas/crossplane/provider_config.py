"""Kubernetes resources of the provider itself: its configurations, and who uses them."""

from portal.core.value_types import JsonObject
from verification.schemas.crossplane.envelope import build_shell, build_version, copy_part
from verification.schemas.crossplane.options import GeneratorChoices

API_VERSION = "v1beta1"
CONFIG = "ProviderConfig"
CLUSTER_CONFIG = "ClusterProviderConfig"
USAGE = "ProviderConfigUsage"


def build_provider_definitions(choices: GeneratorChoices) -> list[JsonObject]:
    """Return the definitions in each scope. Only the namespaced group has configurations for all namespaces."""
    return [
        _build_definition(choices, kind, is_namespaced=is_namespaced)
        for is_namespaced in choices.scopes
        for kind in (CONFIG, *([CLUSTER_CONFIG] if is_namespaced else []), USAGE)
    ]


def _build_definition(choices: GeneratorChoices, kind: str, *, is_namespaced: bool) -> JsonObject:
    name = "usage" if kind == USAGE else "config"
    schema = copy_part(f"{name}_schema")
    if kind == USAGE:
        reference = copy_part("namespaced_spec" if is_namespaced else "cluster_spec")["providerConfigRef"]
        # The default is for people. A usage is written by the controller, which names the configuration.
        del reference["default"]
        schema["properties"]["providerConfigRef"] = reference
    schema |= {"description": f"{kind} of the provider.", "type": "object"}
    return build_shell(
        kind,
        f"{kind.lower()}s",
        choices.build_group_name("", is_namespaced=is_namespaced),
        # As in published providers, which put no category on this kind.
        [] if kind == CLUSTER_CONFIG else ["crossplane", "provider", choices.category],
        build_version(API_VERSION, f"{name}_columns", schema, has_status=kind != USAGE),
        is_namespaced=is_namespaced and kind != CLUSTER_CONFIG,
    )
