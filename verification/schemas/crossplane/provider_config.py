"""Kubernetes resources of the provider itself: its configurations, and who uses them."""

from typing import Any

from portal.core.value_types import JsonObject
from verification.schemas.crossplane.envelope import build_shell, copy_part
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
    schema = _build_usage_schema(is_namespaced) if kind == USAGE else _build_config_schema()
    version = {
        "additionalPrinterColumns": copy_part(f"{name}_columns"),
        "name": API_VERSION,
        "schema": {"openAPIV3Schema": {"description": f"{kind} of the provider.", "type": "object"} | schema},
        "served": True,
        "storage": True,
        "subresources": {} if kind == USAGE else {"status": {}},
    }
    return build_shell(
        kind,
        f"{kind.lower()}s",
        choices.build_group_name("", is_namespaced=is_namespaced),
        # As in published providers, which put no category on this kind.
        [] if kind == CLUSTER_CONFIG else ["crossplane", "provider", choices.category],
        version,
        is_namespaced=is_namespaced and kind != CLUSTER_CONFIG,
    )


def _build_config_schema() -> JsonObject:
    status: dict[str, Any] = {
        "conditions": copy_part("status")["conditions"],
        "users": copy_part("config_users"),
    }
    properties = copy_part("object_properties") | {
        "spec": copy_part("config_spec"),
        "status": {"type": "object", "description": "Observed state.", "properties": status},
    }
    return {"properties": properties, "required": ["spec"]}


def _build_usage_schema(is_namespaced: bool) -> JsonObject:
    reference = copy_part("namespaced_spec" if is_namespaced else "cluster_spec")["providerConfigRef"]
    # The default is for people. A usage is written by the controller, which names the configuration.
    del reference["default"]
    properties = copy_part("object_properties") | {
        "providerConfigRef": reference,
        "resourceRef": copy_part("usage_resource"),
    }
    return {"properties": properties, "required": ["providerConfigRef", "resourceRef"]}
